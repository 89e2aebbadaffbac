#pragma once
// An edge with its two ends, in its stored direction.

#include "graph/snapshot/snapshot.hpp"

namespace whence::queries {

/// An edge in its stored direction, which for some types is not that of influence.
struct StoredEdge {
  graph::VertexId from;
  graph::VertexId to;
  graph::EdgeId edge;
};

/// The edge between a vertex and one of its causes or effects. O(1).
[[nodiscard]] inline StoredEdge stored_edge(graph::Snapshot const& snapshot, graph::VertexId cause,
                                            graph::VertexId effect, graph::EdgeId edge) {
  graph::EdgeView const view = snapshot.edge(cause, effect, edge);
  return {view.from, view.to, edge};
}

}  // namespace whence::queries
