#pragma once
// What the graph knows of a unit's version, whatever became of its content.

#include "graph/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace whence::graph {

struct UnitVersion {
  std::int64_t number = 1;
  std::optional<VertexId> predecessor = {};  ///< perhaps a deleted one
};

/// A version above 1 has an edge to the one before it that carries its number. O(causes).
[[nodiscard]] inline UnitVersion version_of(Snapshot const& snapshot, VertexId unit) {
  auto const causes = snapshot.causes_ever(unit);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != EdgeType::derived_from) continue;
    auto const version = snapshot.value(causes.edges[i]);
    if (version) return {static_cast<std::int64_t>(*version), causes.vertices[i]};
  }
  return {};
}

}  // namespace whence::graph
