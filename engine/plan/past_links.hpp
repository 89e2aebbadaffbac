#pragma once
// What a known record named when it was written, whether or not that is still there.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/ids.hpp"
#include "schema/types/record_type.hpp"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::engine {

/// The nodes that a record has or had an edge to, as their effect or by a relation. What it says again is what it said:
/// it names a deleted node, not whatever has that id now. Refers to the snapshot.
class PastLinks {
 public:
  /// None for a vertex that `known` does not contain. O(n log n) in its edges.
  PastLinks(graph::Snapshot const& known, schema::VertexId vertex);

  /// Whether there is or was an edge to this very node. O(log n).
  [[nodiscard]] bool has(schema::VertexId other) const;

  /// Whether one of the nodes, which is deleted, had this type and id. O(log n).
  [[nodiscard]] bool has_deleted(schema::RecordType type, std::string_view id) const {
    return deleted_.contains({type, id});
  }

 private:
  std::vector<schema::VertexId> linked_;  // in order
  std::set<std::pair<schema::RecordType, std::string_view>> deleted_;
};

}  // namespace whence::engine
