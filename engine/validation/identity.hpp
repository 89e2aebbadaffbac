#pragma once
// One id, one content for ever: what a batch says about records that exist already, or says twice.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/state/contents.hpp"

namespace whence::engine {

/// The existing vertices whose content `check_identity` will compare with.
[[nodiscard]] std::vector<schema::VertexId> compared_vertices(WriteBatch const& batch, Candidates const& candidates);

/// Records known under their id with other content where that is no conflict.
struct Differing {
  std::vector<Candidate const*> revised = {};   ///< keywords, subjects and discussions: they change
  std::vector<Candidate const*> numbered = {};  ///< rounds and summaries: a question of their numbers
};

/// Reports a `conflict` for each record whose id is known with other content, in the graph or earlier in the batch, and
/// for each member that a manifest gives differently from the unit it names; `precondition` "version" for a template
/// whose version is taken. Records with field errors are not compared; chunks are compared where their retrievals are.
/// What a record leaves to the server it does not deny: it takes that from the one it is compared with. Fails where the
/// store does.
[[nodiscard]] Result<Differing> check_identity(WriteBatch const& batch, Candidates const& candidates,
                                               Contents& contents, Findings& findings);

}  // namespace whence::engine
