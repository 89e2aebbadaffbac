#pragma once
// How many of a set of effects each of their ancestors influences.

#include "graph/walks/walk.hpp"

#include <span>
#include <vector>

namespace whence::queries {

/// For each vertex of `reach.vertices`, how many of `starts` (each given once) it reaches along influence. `reach` is
/// the ancestors' reach of `starts`. Time O(ceil(starts / 256) * E), memory O(V + E) of the part reached.
[[nodiscard]] Result<std::vector<std::uint32_t>> count_reaching(graph::Snapshot const& snapshot,
                                                                std::span<graph::VertexId const> starts,
                                                                graph::Reach const& reach,
                                                                schema::Interrupt const& interrupt);

}  // namespace whence::queries
