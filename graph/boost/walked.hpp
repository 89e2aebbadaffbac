#pragma once
// The lists a walk follows: one direction of influence, cut to a snapshot, perhaps of some edge types only.
//
// Deleted neighbours are still in them: `reach` and `influences` drop those, once a vertex and only after marked lists
// (walk.cpp), and everything else looks only at neighbours that a reach has found.

#include "graph/boost/limits.hpp"
#include "graph/snapshot/access.hpp"

namespace whence::graph::impl {

/// A cheap view; valid as long as the snapshot it was made from.
class WalkedLists {
 public:
  WalkedLists(Snapshot const& snapshot, Direction direction, schema::EdgeTypeSet edge_types) noexcept
      : snapshot_{snapshot},
        storage_{&Access::storage(snapshot)},
        lists_{&storage_->lists(direction == Direction::ancestors ? ListKind::causes : ListKind::effects)},
        edges_seen_{Access::edges_seen(snapshot)},
        edge_types_{edge_types},
        is_all_{edge_types.is_all()} {}

  /// All edges of `v` in the direction, of whatever type, those to deleted neighbours too.
  [[nodiscard]] ListView operator[](VertexId v) const noexcept { return list_of(header(v)); }
  /// The same in two steps, for walks that ask for headers ahead of time.
  [[nodiscard]] ListHeader const& header(VertexId v) const noexcept { return (*lists_)[schema::number(v)]; }
  [[nodiscard]] ListView list_of(ListHeader const& header) const noexcept { return visible(header, edges_seen_); }
  [[nodiscard]] bool is_deleted(VertexId v) const noexcept { return snapshot_.is_deleted(v); }
  /// Whether every type is walked: then no edge column need be touched.
  [[nodiscard]] bool is_all() const noexcept { return is_all_; }
  [[nodiscard]] bool is_walked(EdgeId edge) const noexcept {
    return is_all_ || edge_types_.contains(storage_->edge_types[schema::number(edge)]);
  }
  [[nodiscard]] double path_weight(EdgeId edge) const noexcept { return storage_->path_weight(schema::number(edge)); }
  [[nodiscard]] EdgeType type(EdgeId edge) const noexcept { return storage_->edge_types[schema::number(edge)]; }
  /// The weight that the edge carries, not a number where it carries none.
  [[nodiscard]] double carried_weight(EdgeId edge) const noexcept {
    return storage_->carried_weight(schema::number(edge));
  }

 private:
  Snapshot snapshot_;
  Storage const* storage_;
  ChunkedArray<ListHeader> const* lists_;
  std::uint32_t edges_seen_;
  schema::EdgeTypeSet edge_types_;
  bool is_all_;
};

}  // namespace whence::graph::impl
