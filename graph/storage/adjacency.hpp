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
// 7. A list is marked once its vertex or one of its neighbours is deleted, and stays so: what a reader gets unmarked
//    needs no look at its neighbours. The mark is the lowest bit of the block's address, which a reader loads anyway;
// only lists with entries are marked. A reader that sees the deletion sees the mark; seeing it too early costs time
// only.

#include "graph/storage/values.hpp"

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>

namespace whence::graph::impl {

inline constexpr EdgeId no_edge{std::numeric_limits<std::uint32_t>::max()};

/// The four lists of a vertex.
enum class ListKind : std::uint8_t { causes, effects, relations_from, relations_to };
inline constexpr std::size_t list_kind_count = 4;
inline constexpr std::size_t influence_kind_count = 2;

[[nodiscard]] constexpr bool is_influence(ListKind kind) noexcept {
  return kind == ListKind::causes || kind == ListKind::effects;
}
/// The place of a kind of relations among both.
[[nodiscard]] constexpr std::size_t relation_place(ListKind kind) noexcept {
  return static_cast<std::size_t>(kind) - influence_kind_count;
}

/// The list that holds an edge at its other end, where one end has it in its list of `kind`.
[[nodiscard]] constexpr ListKind opposite_of(ListKind kind) noexcept {
  switch (kind) {
    case ListKind::causes:
      return ListKind::effects;
    case ListKind::effects:
      return ListKind::causes;
    case ListKind::relations_from:
      return ListKind::relations_to;
    case ListKind::relations_to:
      return ListKind::relations_from;
  }
  return kind;
}

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

/// The address of a block, or none, with the mark of its list in the lowest bit.
class MarkedBlock {
 public:
  explicit MarkedBlock(std::byte* address) noexcept : address_{address} {}

  [[nodiscard]] bool is_marked() const noexcept { return (reinterpret_cast<std::uintptr_t>(address_) & 1U) != 0; }
  [[nodiscard]] std::byte* bytes() const noexcept { return address_ - (is_marked() ? 1 : 0); }

 private:
  std::byte* address_;
};

/// Where a vertex's list of one kind lies.
struct ListHeader {
  std::atomic<std::byte*> block = nullptr;  ///< owned, see `MarkedBlock`; null while there never was an entry
  std::atomic<std::uint32_t> count = 0;
  std::atomic<std::uint32_t> newest = 0;  ///< highest edge id ever appended

  [[nodiscard]] MarkedBlock block_now() const noexcept { return MarkedBlock{block.load(std::memory_order_relaxed)}; }
  [[nodiscard]] std::uint32_t capacity() const noexcept {
    auto* const bytes = block_now().bytes();
    return bytes == nullptr ? 0 : Block{bytes}.capacity();
  }
  /// Forgets the block and gives it to the caller.
  [[nodiscard]] std::unique_ptr<std::byte[]> release() noexcept {
    return std::unique_ptr<std::byte[]>{MarkedBlock{block.exchange(nullptr, std::memory_order_relaxed)}.bytes()};
  }
};

/// What a snapshot sees of a list, deleted neighbours included. Plain, where `Neighbours` may own a copy.
struct ListView {
  std::span<VertexId const> vertices = {};
  std::span<EdgeId const> edges = {};
  bool is_marked = false;  ///< its vertex or some of `vertices` may be deleted

  [[nodiscard]] std::size_t size() const noexcept { return vertices.size(); }
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
[[nodiscard]] inline ListView visible(ListHeader const& header, std::uint32_t edges_seen) noexcept {
  auto count = header.count.load(std::memory_order_acquire);
  if (count == 0) return {};
  auto const is_whole = header.newest.load(std::memory_order_relaxed) < edges_seen;
  MarkedBlock const marked{header.block.load(std::memory_order_acquire)};
  Block const block{marked.bytes()};
  if (!is_whole) count = visible_prefix(block, count, edges_seen);
  return {{block.neighbours(), count}, {block.edges(), count}, marked.is_marked()};
}

/// Makes the list's block hold at least `capacity` entries and returns the block it replaced, if any, to be retired.
[[nodiscard]] inline std::unique_ptr<std::byte[]> grow(ListHeader& header, std::uint32_t capacity) {
  auto const count = header.count.load(std::memory_order_relaxed);
  assert(capacity > header.capacity());
  auto fresh = Block::make(capacity);  // before the old one has an owner that would free it
  auto const replaced = header.block_now();
  std::unique_ptr<std::byte[]> old{replaced.bytes()};
  if (old) {
    Block const from{old.get()};
    Block const to{fresh.get()};
    std::memcpy(to.neighbours(), from.neighbours(), count * sizeof(VertexId));
    std::memcpy(to.edges(), from.edges(), count * sizeof(EdgeId));
  }
  header.block.store(fresh.release() + (replaced.is_marked() ? 1 : 0), std::memory_order_release);
  return old;
}

/// Appends an entry; there is room for it.
inline void append(ListHeader& header, VertexId neighbour, EdgeId edge) noexcept {
  auto const count = header.count.load(std::memory_order_relaxed);
  Block const block{header.block_now().bytes()};
  assert(count < block.capacity());
  header.newest.store(schema::number(edge), std::memory_order_relaxed);
  block.neighbours()[count] = neighbour;
  std::atomic_ref{block.edges()[count]}.store(edge, std::memory_order_relaxed);
  header.count.store(count + 1, std::memory_order_release);
}

/// Marks a list that has entries.
inline void mark(ListHeader& header) noexcept {
  auto const now = header.block_now();
  assert(now.bytes() != nullptr);
  if (!now.is_marked()) header.block.store(now.bytes() + 1, std::memory_order_release);
}

}  // namespace whence::graph::impl
