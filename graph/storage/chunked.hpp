#pragma once
// Arrays that grow without moving what is in them: one writer appends while readers read elements they know to exist.

#include "graph/storage/borrowable.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace whence::graph::impl {

/// An array of `T` whose elements never move. Chunks double in size, so that 22 pointers address 2^32 elements and a
/// small graph stays small (a directory of equal chunks of 64 Ki takes half a megabyte a column).
///
/// Invariants: 1. a chunk, once allocated or borrowed, stays until the array is destroyed. 2. only the writer calls
/// `ensure`.
/// 3. a reader touches only elements that were written before what made it know of them was published to it, so the
/// chunk pointers need no atomics. Elements start as zero bytes.
template <class T>
class ChunkedArray {
 public:
  [[nodiscard]] T& operator[](std::uint32_t index) noexcept { return *place(index); }
  [[nodiscard]] T const& operator[](std::uint32_t index) const noexcept { return *place(index); }

  /// Makes room for element `index`; chunks below must have been made.
  void ensure(std::uint32_t index) {
    auto const chunk = chunk_of(index);
    if (!chunks_[chunk]) chunks_[chunk] = zeroed_array<T>(first_size << chunk);
  }

  /// Makes room for the first `count`.
  void ensure_all(std::uint32_t count) {
    for (unsigned chunk = 0; count > 0 && chunk <= chunk_of(count - 1); ++chunk) {
      if (!chunks_[chunk]) chunks_[chunk] = zeroed_array<T>(first_size << chunk);
    }
  }

  /// The elements from `index` to `end` that lie one behind the other: at least one, where `index` is below `end`.
  [[nodiscard]] std::span<T const> run(std::uint32_t index, std::uint32_t end) const noexcept {
    auto const chunk_end = (std::uint64_t{first_size} << (chunk_of(index) + 1)) - first_size;
    return {place(index), static_cast<std::size_t>(std::min<std::uint64_t>(end, chunk_end) - index)};
  }

  /// Elements in the chunks that hold the first `count`.
  [[nodiscard]] static std::uint64_t room_for(std::uint32_t count) noexcept {
    return count == 0 ? 0 : (std::uint64_t{first_size} << (chunk_of(count - 1) + 1)) - first_size;
  }
  /// Makes an empty array of the first `count` elements at `place`, which stays the caller's and has `room_for` them.
  void borrow(T* place, std::uint32_t count) noexcept {
    for (unsigned chunk = 0; count > 0 && chunk <= chunk_of(count - 1); ++chunk) {
      chunks_[chunk] = BorrowableArray<T>{place, {.is_borrowed = true}};
      place += first_size << chunk;
    }
  }

 private:
  static constexpr unsigned first_bits = 10;
  static constexpr std::size_t first_size = std::size_t{1} << first_bits;

  // Chunk k holds the indices whose value plus `first_size` has k + first_bits + 1 bits.
  static unsigned chunk_of(std::uint32_t index) noexcept {
    return static_cast<unsigned>(std::bit_width(index + std::uint64_t{first_size})) - first_bits - 1;
  }
  [[nodiscard]] T* place(std::uint32_t index) const noexcept {
    auto const chunk = chunk_of(index);
    assert(chunks_[chunk]);
    return chunks_[chunk].get() + (index + std::uint64_t{first_size} - (std::uint64_t{first_size} << chunk));
  }

  std::array<BorrowableArray<T>, 33 - first_bits> chunks_;
};

/// A strictly increasing list of numbers that the writer appends to and, on rollback, cuts. A reader asks how many
/// are below a bound fixed at its own publication; elements at or above that bound may be rewritten meanwhile, but
/// never to anything below it, so the search is exact. Hence the atomic elements.
template <class T>
class MonotoneList {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] T at(std::uint32_t index) const noexcept { return values_[index].load(std::memory_order_relaxed); }

  /// As `ChunkedArray::run`.
  [[nodiscard]] std::span<std::atomic<T> const> run(std::uint32_t index, std::uint32_t end) const noexcept {
    return values_.run(index, end);
  }

  void push(T value) {
    auto const index = size_.load(std::memory_order_relaxed);
    assert(index == 0 || at(index - 1) < value);
    values_.ensure(index);
    values_[index].store(value, std::memory_order_relaxed);
    size_.store(index + 1, std::memory_order_release);
  }
  void replace_last(T value) noexcept { values_[size() - 1].store(value, std::memory_order_relaxed); }
  void cut(std::uint32_t size) noexcept { size_.store(size, std::memory_order_release); }

  [[nodiscard]] static std::uint64_t room_for(std::uint32_t size) noexcept {
    return ChunkedArray<std::atomic<T>>::room_for(size);
  }
  /// Makes an empty list of the `size` values at `place`, as `ChunkedArray::borrow`.
  void borrow(std::atomic<T>* place, std::uint32_t size) noexcept {
    values_.borrow(place, size);
    size_.store(size, std::memory_order_release);
  }

  /// How many values are below `bound`. O(log size).
  [[nodiscard]] std::uint32_t count_below(T bound) const noexcept {
    std::uint32_t low = 0;
    std::uint32_t high = size();
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (at(middle) < bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  ChunkedArray<std::atomic<T>> values_;
  std::atomic<std::uint32_t> size_ = 0;
};

}  // namespace whence::graph::impl
