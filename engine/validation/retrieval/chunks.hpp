#pragma once
// Chunks and their retrievals: one record on the wire, a vertex and an edge in the graph. A chunk that is known gains
// an edge with each further retrieval, and once an embedding.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"

namespace whence::engine {

/// Reports, for chunks that are known or stand earlier in the batch: `conflict` where what the record says of the
/// chunk, or of a retrieval that is known, is otherwise; "unknown_reference" where the query of a retrieval is not
/// known.
void check_chunks(Candidates const& candidates, Contents const& contents, Findings& findings);

/// Adds to `plan` what known chunks gain.
void plan_chunks(Candidates const& candidates, Contents const& contents, Plan& plan);

}  // namespace whence::engine
