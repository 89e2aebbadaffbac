#pragma once
// The records of retrieval requests (S4) among themselves: ranks of retrievals, chunks of prompts, citations of
// answers. What they say is settled before their ids are compared with what is known, since a client may leave parts of
// it out.

#include "engine/batch.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/needed_record.hpp"
#include "engine/state/contents.hpp"
#include "schema/records/retrieval/citation.hpp"

#include <optional>
#include <vector>

namespace whence::engine {

/// Settles every record of `batch` that belongs to a request:
/// - a retrieval without a rank gets the next of its request, or the one it has already;
/// - a prompt keeps only the ids of its chunks, each of which was retrieved ("not_retrieved") and is as said
///   (`conflict`);
/// - the Citation records of a request join the list of its Answer, which stands in the batch ("unknown_reference");
/// - an answer's citations are read from its text where it has no list ("citation_missing"); each of the list and each
///   bracket of the text means a retrieved chunk ("unsupported_citation"), which the list then names. Where its request
///   is not known that is told ("unknown_reference").
/// An answer whose retrievals are too far from the question on the whole is withheld, whatever confidence it claims;
/// another whose confidence is not their mean is taken with a warning ("confidence"). Returns the prompts that answers
/// need and nobody recorded. Fails where the store does.
[[nodiscard]] Result<std::vector<NeededRecord>> settle_requests(WriteBatch& batch, double confidence_min,
                                                             graph::Snapshot const& known, Contents& contents,
                                                             Findings& findings);

/// What was retrieved for a known request, by rank, then by chunk. Deleted chunks are left out. Fails where the store
/// does.
[[nodiscard]] Result<std::vector<schema::Retrieval>> known_retrievals(schema::VertexId query,
                                                                      graph::Snapshot const& known, Contents& contents);

/// The Answer record of a text: with its confidence, and withheld where that is below `confidence_min`. Where the
/// request has an answer of the same text, that. Fails with `not_found` where the request is not known.
[[nodiscard]] Result<schema::Answer> compose_answer(AnswerText const& text, double confidence_min,
                                                    graph::Snapshot const& known, Contents& contents);

}  // namespace whence::engine
