#pragma once
// Chunks and their retrievals: one record on the wire, a vertex and an edge in the graph. A chunk that is known gains
// an edge with each further retrieval, and once an embedding. The rank is on the edge, next to the similarity; such a
// revision has no content, so that readers skip it.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"

#include <string>

namespace whence::engine {

/// How the chunks of a batch are compared with known ones.
struct ChunkRules {
  std::string const& unnamed_model;  ///< the model of embeddings that name none
  schema::Mode mode = schema::Mode::strict;
  bool grows_captured = false;  ///< the batch is telemetry
};

/// Reports, for chunks that are known or earlier in the batch: `conflict` where the record differs from the known
/// chunk, or from a known retrieval; "unknown_reference" where the query of a retrieval is not known; "embedding" where
/// a model is named without an embedding. In capture mode a retrieval may bring other attributes, which are not taken.
void check_chunks(Candidates const& candidates, Contents const& contents, ChunkRules const& rules, Findings& findings);

/// Adds to `plan` the retrievals and embeddings that known chunks gain, and the contents that come back.
void plan_chunks(Candidates const& candidates, bool grows_captured, Contents const& contents, Plan& plan);

}  // namespace whence::engine
