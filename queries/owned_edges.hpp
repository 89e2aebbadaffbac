#pragma once
// Which record brought an edge, told from the graph alone: so that, node by node, every edge is told once.

#include "graph/snapshot/delta.hpp"
#include "graph/snapshot/snapshot.hpp"

#include <vector>

namespace whence::queries {

/// Appends the visible edges that came with the records of `node`. Over all nodes of a snapshot each edge comes up
/// exactly once. O(edges of the node).
void append_owned_edges(graph::Snapshot const& snapshot, graph::VertexId node, std::vector<graph::DeltaEdge>& edges);

/// The same with edges to what was deleted since.
void append_owned_edges_ever(graph::Snapshot const& snapshot, graph::VertexId node,
                             std::vector<graph::DeltaEdge>& edges);

}  // namespace whence::queries
