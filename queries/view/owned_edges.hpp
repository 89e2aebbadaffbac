#pragma once
// Which record an edge came with, found from the graph alone: so that, node by node, every edge is visited once.

#include "graph/snapshot/delta.hpp"
#include "graph/snapshot/snapshot.hpp"

#include <vector>

namespace whence::queries {

/// Appends the visible edges that came with the records of `node`. Over all nodes of a snapshot each edge is appended
/// exactly once. O(edges of the node).
void append_owned_edges(graph::Snapshot const& snapshot, graph::VertexId node, std::vector<graph::DeltaEdge>& edges);

/// The same with edges to nodes that were deleted since.
void append_owned_edges_ever(graph::Snapshot const& snapshot, graph::VertexId node,
                             std::vector<graph::DeltaEdge>& edges);

}  // namespace whence::queries
