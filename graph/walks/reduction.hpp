#pragma once
// Transitive reduction: the edges of a part that longer paths imply.

#include "graph/walks/walk.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace whence::graph {

/// Fails with `limit_exceeded`, naming the bound, for more than `schema::limits::reduction_vertices_max` vertices.
[[nodiscard]] Result<void> check_reduction_size(std::uint64_t vertices);

/// The influence edges of `edge_types` among `vertices` that a longer path of such edges among them implies, ascending.
/// Of two edges between the same vertices both are in it, or neither. `vertices` are visible ones of the snapshot, at
/// most `schema::limits::reduction_vertices_max`: fails with `limit_exceeded` beyond, and as `reach` does. Time
/// O(V * E), memory V^2 / 8 bytes.
[[nodiscard]] Result<std::vector<EdgeId>> implied_edges(Snapshot const& snapshot, std::span<VertexId const> vertices,
                                                        schema::EdgeTypeSet edge_types,
                                                        schema::Interrupt const& interrupt);

}  // namespace whence::graph
