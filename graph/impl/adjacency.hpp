#pragma once
// One list of neighbours: where it lies, how a reader cuts it to its snapshot, how the writer appends to it.
//
// Invariants
// 1. Edge ids grow along a list, and edges are numbered in order of commit: what a snapshot of n edges sees of a list
//    is the prefix with ids below n. No edge needs a stamp of its own.
// 2. A block is parallel arrays, neighbours before edges, so that a scan reads 4 bytes an edge. Slots never filled
//    hold `no_edge`, above every bound.
// 3. The writer stores `newest`, then the entry, then `count` (release). A reader loads `count` (acquire), then
//    `newest` and `block`: a `newest` below its bound says that every slot it counted is visible.
// 4. Rollback lowers `count`, never `newest`: a reader may still hold the higher count, and must not take the dropped
//    entries for visible. Whatever is appended later has an id at or above every bound given out until then.
// 5. Slots above a reader's prefix may be rewritten after a rollback, with ids again above its bound. Only edge ids
//    are read there, so they are read and written as atomics; the prefix itself never changes.
// 6. A block is replaced by a larger one only, and the old one retired (epoch.hpp).

#include "graph/snapshot.hpp"

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

namespace whence::graph::impl {

inline constexpr EdgeId no_edge{std::numeric_limits<std::uint32_t>::max()};

/// The four lists of a vertex.
enum class ListKind : std::uint8_t { causes, effects, relations_from, relations_to };
inline constexpr std::size_t list_kind_count = 4;

/// A view of a block: its capacity, then that many neighbours, then as many edge ids.
class Block {
 public:
  explicit Block(std::byte* bytes) noexcept : bytes_{bytes} {}

  [[nodiscard]] static std::size_t bytes_for(std::uint32_t capacity) noexcept {
    return sizeof(std::uint32_t) + std::size_t{capacity} * (sizeof(VertexId) + sizeof(EdgeId));
  }
  /// A block with every slot empty.
  [[nodiscard]] static std::unique_ptr<std::byte[]> make(std::uint32_t capacity) {
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(bytes_for(capacity));
    std::memset(bytes.get(), 0xff, bytes_for(capacity));
    std::memcpy(bytes.get(), &capacity, sizeof capacity);
    return bytes;
  }

  [[nodiscard]] std::uint32_t capacity() const noexcept { return *reinterpret_cast<std::uint32_t const*>(bytes_); }
  [[nodiscard]] VertexId* neighbours() const noexcept {
    return reinterpret_cast<VertexId*>(bytes_ + sizeof(std::uint32_t));
  }
  [[nodiscard]] EdgeId* edges() const noexcept { return reinterpret_cast<EdgeId*>(neighbours() + capacity()); }
  [[nodiscard]] EdgeId edge_now(std::uint32_t slot) const noexcept {
    return std::atomic_ref{edges()[slot]}.load(std::memory_order_relaxed);
  }

 private:
  std::byte* bytes_;
};

/// Where a vertex's list of one kind lies.
struct ListHeader {
  std::atomic<std::byte*> block = nullptr;  ///< owned; null while there never was an entry
  std::atomic<std::uint32_t> count = 0;
  std::atomic<std::uint32_t> newest = 0;  ///< highest edge id ever appended

  [[nodiscard]] std::uint32_t capacity() const noexcept {
    auto* const bytes = block.load(std::memory_order_relaxed);
    return bytes == nullptr ? 0 : Block{bytes}.capacity();
  }
};

/// How many of the first `count` slots hold edges below `edges_seen`. O(log count).
[[nodiscard]] inline std::uint32_t visible_prefix(Block block, std::uint32_t count, std::uint32_t edges_seen) noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (schema::number(block.edge_now(middle)) < edges_seen) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// What a snapshot of `edges_seen` edges sees of a list.
[[nodiscard]] inline Neighbours visible(ListHeader const& header, std::uint32_t edges_seen) noexcept {
  auto count = header.count.load(std::memory_order_acquire);
  if (count == 0) return {};
  auto const is_whole = header.newest.load(std::memory_order_relaxed) < edges_seen;
  Block const block{header.block.load(std::memory_order_acquire)};
  if (!is_whole) count = visible_prefix(block, count, edges_seen);
  return {{block.neighbours(), count}, {block.edges(), count}};
}

/// Makes the list's block hold at least `capacity` entries and returns the block it replaced, if any, to be retired.
[[nodiscard]] inline std::unique_ptr<std::byte[]> grow(ListHeader& header, std::uint32_t capacity) {
  auto const count = header.count.load(std::memory_order_relaxed);
  assert(capacity > header.capacity());
  std::unique_ptr<std::byte[]> old{header.block.load(std::memory_order_relaxed)};
  auto fresh = Block::make(capacity);
  if (old) {
    Block const from{old.get()};
    Block const to{fresh.get()};
    std::memcpy(to.neighbours(), from.neighbours(), count * sizeof(VertexId));
    std::memcpy(to.edges(), from.edges(), count * sizeof(EdgeId));
  }
  header.block.store(fresh.release(), std::memory_order_release);
  return old;
}

/// Appends an entry; there is room for it.
inline void append(ListHeader& header, VertexId neighbour, EdgeId edge) noexcept {
  auto const count = header.count.load(std::memory_order_relaxed);
  Block const block{header.block.load(std::memory_order_relaxed)};
  assert(count < block.capacity());
  header.newest.store(schema::number(edge), std::memory_order_relaxed);
  block.neighbours()[count] = neighbour;
  std::atomic_ref{block.edges()[count]}.store(edge, std::memory_order_relaxed);
  header.count.store(count + 1, std::memory_order_release);
}

}  // namespace whence::graph::impl
