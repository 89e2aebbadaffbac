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
  double share_min = 0;     ///< what lies behind a cause with a smaller share is not looked at
  schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all();  ///< those that `reach` walked
  bool has_roles = false;                                       ///< instructions and questions have their part too
};

/// Calls `visit(i, causes)` for each of `effects`, in their order, with its ancestors and their shares in it, in no
/// order; those with a share of 0 are left out. `reach` is the whole reach of `effects` towards ancestors. The causes
/// are valid during the call, which starts no walk on this thread. False where the steps did not suffice: then some of
/// the effects were not visited. Fails as `reach`. O(V + E) of the part reached by each effect, times a logarithm.
[[nodiscard]] Result<bool> each_share(Snapshot const& snapshot, std::span<VertexId const> effects, Reach const& reach,
                                      EachShareBounds const& bounds, schema::Interrupt const& interrupt,
                                      std::function<void(std::size_t, std::span<CauseShare const>)> const& visit);

}  // namespace whence::graph
