#pragma once
// The part of the graph some walk reached, put in an order in which every vertex follows those it is reached from.

#include "graph/walks/scratch.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/poll.hpp"

#include <cstdint>
#include <vector>

namespace whence::graph::impl {

/// The members of `part` by their local numbers so that, in `direction`, every edge of the walked types inside `part`
/// leads from an earlier to a later one. Influence is acyclic, so all of them are in it. Meaningless where `poll` has
/// stopped. O(V + E) of the part.
[[nodiscard]] std::vector<std::uint32_t> topological_order(Snapshot const& snapshot, LocalNumbers const& part,
                                                           Direction direction, schema::EdgeTypeSet edge_types,
                                                           schema::Poll& poll);

}  // namespace whence::graph::impl
