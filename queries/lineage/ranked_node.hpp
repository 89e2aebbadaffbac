#pragma once
// A node of a result with the numbers that may rank it.

#include "schema/base/ids.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace whence::queries {

/// A node reached by a walk.
struct RankedNode {
  schema::VertexId vertex;
  std::uint32_t depth;  ///< least number of edges from a start
  double value;         ///< its weight
};

/// A node reached by a walk, with its share: the sum over all paths.
struct WeighedNode {
  schema::VertexId vertex;
  std::uint32_t depth;  ///< least number of edges from a start
  double share;         ///< 0 to 1
};

/// The vertices of `nodes` after those of `asked`: what an export of a result holds.
template <class Node>
[[nodiscard]] std::vector<schema::VertexId> vertices_of(std::vector<Node> const& nodes,
                                                        std::span<schema::VertexId const> asked) {
  std::vector<schema::VertexId> vertices;
  vertices.reserve(asked.size() + nodes.size());
  vertices.assign(asked.begin(), asked.end());
  for (Node const& node : nodes) vertices.push_back(node.vertex);
  return vertices;
}

}  // namespace whence::queries
