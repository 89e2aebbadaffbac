#pragma once
// Retrieval: which chunks are most similar to a vector, and which were retrieved for a request. For the methods about
// RAG requests, those that record too.

#include "queries/retrieval/params.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/retrieval/citation.hpp"

#include <span>
#include <vector>

namespace whence::queries {

/// What the field table does not say of the params: the vector has a direction ("zero_vector"), a question has 3 to
/// 1,000 code points after trimming ("length"), and with `record` there is one ("required"). Fails with
/// `invalid_params`.
[[nodiscard]] Result<void> check_retrieve(RagRetrieveParams const& params);

/// The chunks whose embeddings are most similar to `vector` (`graph::Vectors::dimension` finite numbers, not all zero),
/// most similar first, ties by chunk id; ranks from 1. At most `filters.max_results` (5 where left out), and only of
/// the document `filters.source`; none where there is no such document. A view without vectors has no embeddings. Fails
/// as `interrupt` says, or with `corrupt` where a chunk cannot be read.
[[nodiscard]] Result<std::vector<schema::Retrieval>> retrieve(View const& view, std::span<float const> vector,
                                                              schema::QueryFilters const& filters,
                                                              schema::Interrupt const& interrupt);

/// What was retrieved for a query, by rank, then by chunk id. Deleted chunks are left out.
[[nodiscard]] Result<std::vector<schema::Retrieval>> retrievals_of(View const& view, graph::VertexId query);

/// Writes S4's chunk as a value: `chunk_id`, `content`, `metadata`, `similarity_score`, and `rank` where it is not 0.
void write_chunk(schema::json::Writer& out, schema::Retrieval const& chunk);

/// Writes S4's answer as a value, `answer` and `message` also where they are null.
void write_answer(schema::json::Writer& out, schema::Answer const& answer);

}  // namespace whence::queries
