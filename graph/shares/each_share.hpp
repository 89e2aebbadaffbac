#pragma once
// The shares of causes in many effects, effect by effect. `path_shares` gives their mean only.

#include "graph/walks/walk.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace whence::graph {

/// A cause of an effect.
struct CauseShare {
  std::uint32_t place;  ///< in `reach.vertices`
  double share;         ///< above 0, at most 1
};

/// How much is done for the effects.
struct EachShareBounds {
  std::uint64_t steps_max;  ///< vertices and edges looked at, for all effects together
  schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all();  ///< those that `reach` walked
  bool has_roles = false;                                       ///< instructions and questions have their part too
};

/// Calls `visit(i, causes)` for each of `effects`, in their order, with its ancestors and their shares in it, in no
/// order; those with a share of 0 are left out. `reach` is the whole reach of `effects` towards ancestors. The causes
/// are valid during the call, which starts no walk on this thread.
///
/// Answers the depth: how many edges away from an effect causes were looked at, for all effects alike. It is
/// `depth_unbounded` where the steps suffice for that, as a sample of 256 effects says; else the largest of 8, 4, 2 and
/// 1 for which they do, and 1 where they do for none. A share then counts the paths of which all causes but the last
/// are less than `depth` edges away. Fails as `reach`. O(V + E) of the part reached by each effect, times a logarithm.
[[nodiscard]] Result<std::uint32_t> each_share(
    Snapshot const& snapshot, std::span<VertexId const> effects, Reach const& reach, EachShareBounds const& bounds,
    schema::Interrupt const& interrupt, std::function<void(std::size_t, std::span<CauseShare const>)> const& visit);

}  // namespace whence::graph
