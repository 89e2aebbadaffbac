#pragma once
// The versions of a thing: a line of nodes, each naming the one it replaces.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

struct Version {
  graph::VertexId vertex;
  std::int64_t version;
  bool is_dangling = false;  ///< the version that it names as the one it replaces is deleted
};

/// The version that `vertex` replaces, if any. O(its causes).
[[nodiscard]] std::optional<graph::VertexId> find_predecessor(graph::Snapshot const& snapshot, graph::VertexId vertex);

/// The whole chain from first to last, the same from any member; the node alone (version 1) where it has no versions.
/// Deleted versions are left out, and do not end it. O(causes and effects of all members, deleted ones included); of a
/// summary O(parts of its topic), of a template O(templates).
[[nodiscard]] std::vector<Version> version_chain(graph::Snapshot const& snapshot, graph::VertexId member);

/// Whether records of this type can have versions.
[[nodiscard]] bool is_versioned(schema::RecordType type) noexcept;

}  // namespace whence::queries
