#pragma once
// rag.retrieve: the chunks that are most similar to a vector. Also for the methods that record a retrieval.

#include "graph/snapshot/records.hpp"
#include "queries/retrieval/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/retrieval/citation.hpp"

#include <string>
#include <vector>

namespace whence::queries {

/// The rules that the field table of the params cannot hold: the vector has a direction ("zero_vector"), its model is
/// accepted ("model_name") and has vectors of that many numbers ("items"), a question has 3 to 1,000 code points after
/// trimming ("length"), and with `record` there is one ("required"). Fails with `invalid_params`.
[[nodiscard]] Result<void> check_retrieve(View const& view, RagRetrieveParams const& params);

/// The model of the vector: the one that is named, else the default one of the view.
[[nodiscard]] std::string model_of(View const& view, RagRetrieveParams const& params);

/// The chunks whose embeddings are most similar to the vector, most similar first, ties by chunk id; ranks from 1. Only
/// embeddings of the vector's model and dimension are compared. At most `filters.max_results` (5 where left out), and
/// only of the document `filters.source`; none where there is no such document. A view without vectors has no
/// embeddings. The params are as `check_retrieve` wants them. Fails with `invalid_params` ("dimension") where the model
/// has embeddings of other dimensions only, as `interrupt` says, or with `corrupt` where a chunk cannot be read.
[[nodiscard]] Result<std::vector<schema::Retrieval>> retrieve(View const& view, RagRetrieveParams const& params,
                                                              schema::Interrupt const& interrupt);

/// What was retrieved for a query, by rank, then by chunk id. Deleted chunks are left out, those that are gone are
/// marked.
[[nodiscard]] Result<std::vector<schema::Retrieval>> retrievals_of(View const& view, graph::VertexId query);

/// The chunk `vertex` as it was found, without its similarity and rank.
[[nodiscard]] schema::Retrieval retrieval_of(Snapshot const& snapshot, VertexId vertex, graph::Said&& said);

struct RetrievedChunks {
  std::vector<schema::Retrieval> chunks = {};
};

/// rag.retrieve as a read: it refuses `record`, which is carried out where there is a writer. Fails as `check_retrieve`
/// and `retrieve` do.
[[nodiscard]] Result<RetrievedChunks> rag_retrieve(View const& view, RagRetrieveParams const& params,
                                                   Budget const& budget);

}  // namespace whence::queries
