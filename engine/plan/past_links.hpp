#pragma once
// What a known record named when it was written, whether or not that is still there.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/ids.hpp"
#include "schema/types/record_type.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace whence::engine {

/// The nodes that `vertex` has or had an edge to as their effect or by a relation, deleted ones too, in order. None for
/// a vertex that `known` does not contain. O(n log n) in its edges.
[[nodiscard]] std::vector<schema::VertexId> linked_nodes(graph::Snapshot const& known, schema::VertexId vertex);

/// Whether one of `linked`, which was deleted, had this type and id. What a record says again is what it said: it names
/// the deleted node, not whatever has that id now. O(linked).
[[nodiscard]] bool is_of_deleted(graph::Snapshot const& known, std::span<schema::VertexId const> linked,
                                 schema::RecordType type, std::string_view id);

}  // namespace whence::engine
