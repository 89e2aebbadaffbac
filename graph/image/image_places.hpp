#pragma once
// The order of an image's parts, which its writer and its reader share.

#include "graph/image/image_root.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace whence::graph::impl {

inline constexpr std::uint64_t part_alignment = 64;

[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t place) noexcept {
  return (place + part_alignment - 1) / part_alignment * part_alignment;
}

/// A list header in an image.
struct ImageListHeader {
  std::uint64_t block;  ///< its place from the image's begin, with the mark in the lowest bit; 0: none
  std::uint32_t count;
  std::uint32_t newest;
};
static_assert(sizeof(ImageListHeader) == sizeof(ListHeader));

/// An extra row in an image.
struct ImageExtraRow {
  std::array<ImageListHeader, 2> relations;
  std::uint32_t state_head;
  std::uint32_t revision_head;
  std::uint32_t hidden;
  std::uint32_t gone;
};
static_assert(sizeof(ImageExtraRow) == sizeof(ExtraRow));
static_assert(sizeof(std::uint64_t) == sizeof(char const*));

/// Visits the parts of an image in order: `column` for each array of a column or list of the storage, `ids` for the
/// texts of the ids, `lists` for the headers and blocks of causes and of effects, `extras` for the rows that few
/// vertices have with the blocks of their relations, `slots` for those of the table of ids.
template <class AnyStorage, class Visitor>
void visit_parts(AnyStorage& storage, ImageRoot const& root, Visitor& visitor) {
  visitor.column(storage.types, root.vertices);
  visitor.column(storage.created, root.vertices);
  visitor.column(storage.times, root.vertices);
  visitor.ids(root);
  visitor.lists(ListKind::causes, root);
  visitor.lists(ListKind::effects, root);
  visitor.extras(root);
  visitor.column(storage.edge_values.codes(), root.edges);
  visitor.column(storage.edge_values.others(), root.other_values);
  visitor.column(storage.edge_types, root.edges);
  visitor.list(storage.edge_ranks, root.edge_ranks);
  visitor.column(storage.transactions, root.tx + 1);
  visitor.column(storage.states, root.states);
  visitor.column(storage.revisions, root.revisions);
  for (std::size_t type = 0; type < schema::record_type_count; ++type) {
    visitor.list(storage.vertices_by_type[type], root.vertices_by_type[type]);
    visitor.list(storage.hidden_vertices[type].entries(), root.hidden_vertices[type]);
  }
  for (std::size_t type = 0; type < schema::edge_type_count; ++type) {
    visitor.list(storage.edges_made[type].entries(), root.edges_made[type]);
    visitor.list(storage.hidden_edges[type].entries(), root.hidden_edges[type]);
  }
  visitor.slots(root);
}

}  // namespace whence::graph::impl
