#pragma once
// Chunks and their retrievals: one record on the wire, a vertex and an edge in the graph. A chunk that is known gains
// an edge with each further retrieval, and once an embedding.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"

#include <string>

namespace whence::engine {

/// Reports, for chunks that are known or earlier in the batch: `conflict` where the record differs from the known
/// chunk, or from a known retrieval; "unknown_reference" where the query of a retrieval is not known; "embedding" where
/// a model is named without an embedding. `unnamed_model` is the model of embeddings that name none.
void check_chunks(Candidates const& candidates, Contents const& contents, std::string const& unnamed_model,
                  Findings& findings);

/// Adds to `plan` the retrievals and embeddings that known chunks gain.
void plan_chunks(Candidates const& candidates, Contents const& contents, Plan& plan);

}  // namespace whence::engine
