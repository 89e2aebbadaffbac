#pragma once
// Small dense numbers for the vertices of one result.

#include "schema/base/ids.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace whence::queries {

/// Maps each vertex of a set to its place in it: open addressing with linear probing, at most half full. The set is
/// given at once, so that a result of ten nodes costs ten slots, not an array over the whole graph.
class VertexMap {
 public:
  /// Each vertex is in `vertices` once.
  explicit VertexMap(std::span<schema::VertexId const> vertices)
      : slots_(std::bit_ceil(vertices.size() * 2 + 1)), mask_(slots_.size() - 1) {
    std::uint32_t place = 0;
    for (schema::VertexId const vertex : vertices) {
      std::size_t slot = first_slot(vertex);
      while (slots_[slot].place != empty) slot = (slot + 1) & mask_;
      slots_[slot] = {vertex, place++};
    }
  }

  /// The place of `vertex`, nothing where it is not in the set. O(1) expected.
  [[nodiscard]] std::optional<std::uint32_t> find(schema::VertexId vertex) const noexcept {
    for (std::size_t slot = first_slot(vertex); slots_[slot].place != empty; slot = (slot + 1) & mask_) {
      if (slots_[slot].vertex == vertex) return slots_[slot].place;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t empty = 0xffff'ffff;

  struct Slot {
    schema::VertexId vertex{};
    std::uint32_t place = empty;
  };

  // Vertex numbers of one result often follow one another; the multiplication spreads them (Fibonacci hashing).
  [[nodiscard]] std::size_t first_slot(schema::VertexId vertex) const noexcept {
    return static_cast<std::size_t>((schema::number(vertex) * std::uint64_t{0x9e37'79b9'7f4a'7c15}) >> 32U) & mask_;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
};

}  // namespace whence::queries
