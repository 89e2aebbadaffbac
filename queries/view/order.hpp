#pragma once
// The orders of results: by ref, and by a value with ties by ref. Refs are compared without being built.

#include "graph/snapshot/snapshot.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::queries {

/// The vertex of an item of a result: the item itself, or its member of that name.
[[nodiscard]] inline graph::VertexId vertex_of(graph::VertexId vertex) noexcept {
  return vertex;
}
template <class Item>
[[nodiscard]] graph::VertexId vertex_of(Item const& item) noexcept {
  return item.vertex;
}

/// The byte order of the refs "Type:id" of two vertices.
[[nodiscard]] std::strong_ordering compare_refs(graph::Snapshot const& snapshot, graph::VertexId a, graph::VertexId b);

/// Positions in `vertices` in the order of their refs; equal vertices keep their order. O(n log n), and nearly all
/// comparisons look at eight bytes of key instead of at ids scattered over memory.
[[nodiscard]] std::vector<std::uint32_t> ref_order(graph::Snapshot const& snapshot,
                                                   std::span<graph::VertexId const> vertices);

/// Below this many items a plain sort beats making keys.
inline constexpr std::size_t plain_sort_max = 48;

/// Sorts items that are or have a `vertex` by its ref.
template <class Item>
void sort_by_ref(graph::Snapshot const& snapshot, std::span<Item> items) {
  if (items.size() <= plain_sort_max) {
    std::sort(items.begin(), items.end(),
              [&](Item const& a, Item const& b) { return compare_refs(snapshot, vertex_of(a), vertex_of(b)) < 0; });
    return;
  }
  std::vector<graph::VertexId> vertices;
  vertices.reserve(items.size());
  for (Item const& item : items) vertices.push_back(vertex_of(item));
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (std::uint32_t const place : ref_order(snapshot, vertices)) sorted.push_back(items[place]);
  std::copy(sorted.begin(), sorted.end(), items.begin());
}

/// Moves the first `count` of `vertices`, different ones of one type, in the order of their ids, or in the opposite
/// order, to the front, in order; the others follow in any order. About one comparison of ids each, more where they
/// come in the opposite order.
void sort_first_by_id(graph::Snapshot const& snapshot, std::span<graph::VertexId> vertices, std::size_t count,
                      bool is_descending);

/// Moves `first`, which are among `vertices`, to the front, in their order; the others follow in any order. `vertices`
/// are different and ascending. O(first log vertices).
void bring_to_front(std::span<graph::VertexId> vertices, std::span<graph::VertexId const> first);

/// Sorts items that have a `vertex` and a number: largest first, ties by ref.
template <class Item>
void rank(graph::Snapshot const& snapshot, std::span<Item> items, double Item::*number = &Item::value) {
  std::sort(items.begin(), items.end(), [&](Item const& a, Item const& b) { return a.*number > b.*number; });
  for (auto first = items.begin(); first != items.end();) {
    auto const last =
        std::find_if(first, items.end(), [&](Item const& item) { return item.*number != (*first).*number; });
    if (last - first > 1) sort_by_ref(snapshot, std::span<Item>(first, last));
    first = last;
  }
}

}  // namespace whence::queries
