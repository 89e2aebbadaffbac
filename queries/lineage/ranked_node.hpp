#pragma once
// A node of a result with the number that ranks it.

#include "schema/base/ids.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace whence::queries {

/// A node reached by a walk.
struct RankedNode {
  schema::VertexId vertex;
  std::uint32_t depth;  ///< least number of edges from a start
  double value;         ///< its weight or its total influence, as the result says
};

/// The vertices of `nodes` after those of `asked`: what an export of a result holds.
[[nodiscard]] inline std::vector<schema::VertexId> vertices_of(std::span<RankedNode const> nodes,
                                                               std::span<schema::VertexId const> asked) {
  std::vector<schema::VertexId> vertices;
  vertices.reserve(asked.size() + nodes.size());
  vertices.assign(asked.begin(), asked.end());
  for (RankedNode const& node : nodes) vertices.push_back(node.vertex);
  return vertices;
}

}  // namespace whence::queries
