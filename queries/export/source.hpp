#pragma once
// The input of an export: a moment of a graph, and a selection of its nodes.

#include "graph/snapshot/delta.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace whence::exports {

/// One moment of a graph. Cheap to copy; the objects it points to outlive it.
struct Source {
  queries::View view;  ///< at the moment that is exported
  /// Visits what each transaction changed, from `first` up to the view's, until `visit` returns false. A read
  /// transaction of the store is open meanwhile.
  std::function<Result<void>(schema::TxId first, std::function<bool(graph::Delta&&)> const& visit)> read_deltas;
  std::function<void()> rest = {};  ///< called between slices, a hundred milliseconds apart at least; may be empty
  std::string epoch;                ///< of the store
  std::string version;              ///< of the program
};

/// Some vertices of a snapshot, each once.
class Selection {
 public:
  /// `vertices` in any order, repeats allowed.
  Selection(std::vector<schema::VertexId> vertices, std::uint32_t vertex_count);

  [[nodiscard]] bool has(schema::VertexId vertex) const noexcept {
    return schema::number(vertex) < members_.size() && members_[schema::number(vertex)];
  }
  [[nodiscard]] std::span<schema::VertexId const> vertices() const noexcept { return vertices_; }

 private:
  std::vector<schema::VertexId> vertices_;  // ascending
  std::vector<bool> members_;               // by vertex number
};

}  // namespace whence::exports
