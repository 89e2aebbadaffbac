#pragma once
// The topological order of a part of the graph.

#include "graph/boost/adapter.hpp"

#include <cstdint>
#include <vector>

namespace whence::graph::impl {

/// The members of `graph` in an order in which each edge leads from an earlier to a later one. Influence is acyclic, so
/// all of them are in it. O(V + E) of the part. Throws `Stopped`.
[[nodiscard]] std::vector<std::uint32_t> topological_order(PartGraph const& graph);

}  // namespace whence::graph::impl
