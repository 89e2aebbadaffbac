#pragma once
// The part of the graph between two vertices.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <vector>

namespace whence::graph::impl {

/// The vertices on some influence path from `from` to `to`, both included, `to` first; empty where there is no path or
/// `from` is `to`. O(V + E) of the ancestors of `to`. Fails as `reach` does.
[[nodiscard]] Result<std::vector<VertexId>> vertices_between(
    Snapshot const& snapshot, VertexId from, VertexId to, schema::Interrupt const& interrupt,
    schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all());

}  // namespace whence::graph::impl
