#pragma once
// The line of versions that a vertex belongs to, deleted ones included: each names the one it replaces.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <optional>

namespace whence::graph {

/// One end of an edge that carries a version number: of a context unit, a summary, a template.
struct VersionStep {
  VertexId vertex;       ///< the version at the other end, perhaps a deleted one
  std::int64_t version;  ///< the number of the newer end
};

/// The version that `vertex` names as the one it replaces. O(its causes).
[[nodiscard]] std::optional<VersionStep> named_before(Snapshot const& snapshot, VertexId vertex);

/// The nearest version before `vertex` that is not deleted. O(causes of those passed over).
[[nodiscard]] std::optional<VertexId> living_before(Snapshot const& snapshot, VertexId vertex);

/// The nearest version after `vertex` that is not deleted. A deleted version may have been written again, so one may
/// have several after it, of which one is not deleted. O(effects of those passed over).
[[nodiscard]] std::optional<VertexId> living_after(Snapshot const& snapshot, VertexId vertex);

}  // namespace whence::graph
