#pragma once
// The hash table from `type:id` to vertex numbers: open addressing, one writer, readers without locks.

#include "graph/storage/borrowable.hpp"
#include "schema/base/ids.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace whence::graph::impl {

/// Key of the hash, random and secret, so that a client cannot choose ids that collide. An image keeps it.
using HashKey = std::array<std::uint64_t, 2>;

[[nodiscard]] HashKey random_hash_key();

/// SipHash-1-3 (Aumasson and Bernstein, 2012) of `id`, with the type mixed into the key.
[[nodiscard]] std::uint64_t hash_of(HashKey const& key, schema::RecordType type, std::string_view id) noexcept;

/// One table of a fixed size; the graph replaces it by a larger one (`NextIdTable`) and retires it.
///
/// Invariants: 1. a slot holds 0 (never used), `tombstone`, or the low half of a hash above a vertex number plus 2.
/// 2. a slot goes from never used to used once and never back, so a search may stop at the first never used one.
/// 3. a reader skips vertices it does not see before it looks at their ids; slots of vertices it sees never change.
class IdTable {
 public:
  using Slot = std::atomic<std::uint64_t>;

  explicit IdTable(unsigned bits);
  /// A table of the 2^`bits` slots at `slots`, which stay the caller's.
  IdTable(unsigned bits, Slot* slots, std::uint64_t used) noexcept
      : bits_{bits}, mask_{(std::uint64_t{1} << bits) - 1}, used_{used}, slots_{slots, {.is_borrowed = true}} {}

  /// The vertex among those with this hash for which `is_it(vertex)` holds. `is_it` must refuse vertices unknown to it.
  template <class IsIt>
  [[nodiscard]] std::optional<schema::VertexId> find(std::uint64_t hash, IsIt const& is_it) const {
    for (auto at = hash & mask_;; at = (at + 1) & mask_) {
      auto const slot = slots_[at].load(std::memory_order_relaxed);
      if (slot == 0) return {};
      if (slot == tombstone || slot >> 32 != (hash & 0xffff'ffff)) continue;
      auto const vertex = vertex_in(slot);
      if (is_it(vertex)) return vertex;
    }
  }

  /// Adds a vertex that is not there, and says in which slot. The table must not be full.
  std::uint64_t insert(std::uint64_t hash, schema::VertexId vertex) noexcept;
  /// Forgets a vertex that is there and that no reader sees, and says in which slot it was.
  std::uint64_t erase(std::uint64_t hash, schema::VertexId vertex) noexcept;

  /// Time for a larger one: searches are fast until seven of ten slots are used.
  [[nodiscard]] bool is_nearly_full() const noexcept { return used_ * 10 >= (mask_ + 1) * 6; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return (mask_ + 1) * sizeof(std::uint64_t); }

  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  /// The content of a slot for a copy of the table that holds only the vertices below `vertex_count`.
  [[nodiscard]] std::uint64_t slot_at(std::uint64_t at, std::uint32_t vertex_count) const noexcept {
    auto const slot = slots_[at].load(std::memory_order_relaxed);
    return slot > tombstone && schema::number(vertex_in(slot)) >= vertex_count ? tombstone : slot;
  }

 private:
  friend class NextIdTable;
  static constexpr std::uint64_t tombstone = 1;

  static schema::VertexId vertex_in(std::uint64_t slot) noexcept {
    return schema::VertexId{static_cast<std::uint32_t>(slot) - 2};
  }
  static std::uint64_t slot_of(std::uint64_t hash, schema::VertexId vertex) noexcept {
    return hash << 32 | (schema::number(vertex) + 2);
  }

  unsigned bits_;
  std::uint64_t mask_;
  std::uint64_t used_ = 0;  ///< slots ever used, tombstones included
  BorrowableArray<Slot> slots_;
};

/// The larger table that follows one, made a few slots at a time while that one is in use: copying a table of ten
/// million vertices at once takes a second, and somebody's write would wait for it. Only the writer uses it.
///
/// Invariant: it holds the vertices that are in the first `copied_` slots of the old table.
class NextIdTable {
 public:
  explicit NextIdTable(IdTable const& old) : old_{old}, larger_{std::make_unique<IdTable>(old.bits() + 1)} {}

  /// After `slot` of the old table was given to a vertex, or taken from it.
  void inserted(std::uint64_t slot, std::uint64_t hash, schema::VertexId vertex) noexcept;
  void erased(std::uint64_t slot, std::uint64_t hash, schema::VertexId vertex) noexcept;

  /// Copies some more slots. True once it holds all. Called at each insertion, it is done long before the old one is
  /// full.
  [[nodiscard]] bool copy_some() noexcept;
  /// The whole table.
  [[nodiscard]] std::unique_ptr<IdTable> take() noexcept { return std::move(larger_); }

 private:
  IdTable const& old_;
  std::unique_ptr<IdTable> larger_;
  std::uint64_t copied_ = 0;
};

}  // namespace whence::graph::impl
