#pragma once
// Per-thread scratch of walks: sets and numberings of vertices that cost what was visited, not what the graph holds.
//
// Invariant: between uses everything is zero; each use clears only what it set. A query of one hop on a graph of a
// million vertices must not touch a million bits. Only the bits of a wide layer are started anew by each use.
// Memory stays with the thread: per vertex two bits and eight bytes, as far as walks have needed them.

#include "graph/snapshot/snapshot.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::graph::impl {

/// A set of vertices. Its user clears what it inserted.
class VisitedBits {
 public:
  void make_room(std::uint32_t vertex_count) {
    if (words_.size() < vertex_count / 64 + 1) words_.resize(vertex_count / 64 + 1);
  }
  /// 1 where `v` is new, 0 where it was there; without a branch.
  [[nodiscard]] std::size_t insert_counting(VertexId v) noexcept {
    auto& word = words_[schema::number(v) / 64];
    auto const before = word;
    word = before | std::uint64_t{1} << schema::number(v) % 64;
    return 1U & ~(before >> schema::number(v) % 64);
  }
  [[nodiscard]] bool contains(VertexId v) const noexcept {
    return (words_[schema::number(v) / 64] >> schema::number(v) % 64 & 1U) != 0;
  }
  /// Inserts those of a word of 64 vertices, from 64 * `word` on, and returns the ones that are new.
  std::uint64_t insert_word(std::size_t word, std::uint64_t members) noexcept {
    auto const fresh = members & ~words_[word];
    words_[word] |= fresh;
    return fresh;
  }
  void erase(VertexId v) noexcept { words_[schema::number(v) / 64] &= ~(std::uint64_t{1} << schema::number(v) % 64); }
  void clear(std::span<VertexId const> inserted) noexcept {
    if (inserted.size() > words_.size()) {
      std::ranges::fill(words_, 0);
    } else {
      for (auto const v : inserted) words_[schema::number(v) / 64] = 0;
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// This thread's set. Not for two users at once.
[[nodiscard]] VisitedBits& visited_bits() noexcept;

/// This thread's memory for what a walk finds: `vertex_count` vertices and one more, of any values. Not for two users
/// at once. So a walk allocates only its answer, which then has the right size.
[[nodiscard]] VertexId* found_vertices(std::uint32_t vertex_count);

/// The neighbours of a wide layer: a set to which each is added without looking whether it is there, and which is then
/// taken whole.
class LayerBits {
 public:
  /// The empty set, with room for vertices below `vertex_count`. O(vertex_count / 64).
  void start(std::uint32_t vertex_count) { words_.assign(vertex_count / 64 + 1, 0); }
  void insert(VertexId v) noexcept { words_[schema::number(v) / 64] |= std::uint64_t{1} << schema::number(v) % 64; }
  /// Inserts those of a set with the same room.
  void insert(LayerBits const& other) noexcept {
    for (std::size_t word = 0; word < words_.size(); ++word) words_[word] |= other.words_[word];
  }

  /// Of 64 vertices each, from 64 * place on, those that are in the set.
  [[nodiscard]] std::span<std::uint64_t const> words() const noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

/// This thread's. Not for two users at once.
[[nodiscard]] LayerBits& layer_bits() noexcept;

/// Dense numbers 0, 1, 2, ... for some vertices, in order of adding. One at a time on a thread.
class LocalNumbers {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  explicit LocalNumbers(std::uint32_t vertex_count);
  ~LocalNumbers();
  LocalNumbers(LocalNumbers const&) = delete;
  LocalNumbers& operator=(LocalNumbers const&) = delete;

  /// The vertex's number, a new one where it had none.
  std::uint32_t add(VertexId v);
  [[nodiscard]] std::uint32_t find(VertexId v) const noexcept { return plus_one_[schema::number(v)] - 1; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  [[nodiscard]] VertexId operator[](std::uint32_t number) const noexcept { return members_[number]; }
  /// All of them in the order of their vertices. O(size) where the part is dense, else O(size log size).
  [[nodiscard]] std::vector<std::uint32_t> in_order_of_commit() const;

 private:
  std::uint32_t* plus_one_;  ///< the thread's: number + 1 of each vertex, 0 for strangers
  std::vector<VertexId> members_;
};

}  // namespace whence::graph::impl
