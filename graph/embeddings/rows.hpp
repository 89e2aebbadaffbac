#pragma once
// Rows of binary32 numbers that grow without moving: one writer appends while readers read rows they know to exist.

#include "graph/embeddings/dot.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace whence::graph::impl {

/// Numbers on cache lines of their own.
template <class T>
class AlignedNumbers {
 public:
  AlignedNumbers() = default;
  explicit AlignedNumbers(std::size_t count) : numbers_{static_cast<T*>(operator new(count * sizeof(T), alignment))} {}

  [[nodiscard]] T* get() const noexcept { return numbers_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T* numbers) const noexcept { operator delete(numbers, alignment); }
  };
  std::unique_ptr<T, Free> numbers_;
};

/// Writes a vector and the zeros that pad it as rows are padded.
template <class T>
void write_padded(T* to, std::span<float const> vector) {
  std::fill(std::copy(vector.begin(), vector.end(), to), to + padded(vector.size()), T{0});
}

/// A vector on its own.
template <class T>
[[nodiscard]] AlignedNumbers<T> padded_copy(std::span<float const> vector) {
  AlignedNumbers<T> copy{padded(vector.size())};
  write_padded(copy.get(), vector);
  return copy;
}

/// Rows of equally many numbers. Chunks double in size as those of `ChunkedArray` do, whose invariants hold here too;
/// the first is small, since a store may have rows of many lengths.
class Rows {
 public:
  explicit Rows(std::size_t dimension) : length_{padded(dimension)} {}

  /// The numbers of a row and the zeros after them.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Rows from here to the end of its aligned block of `block_rows` follow one another.
  [[nodiscard]] float const* operator[](std::uint32_t row) const noexcept { return place(row); }

  /// Makes room for row `row` and copies `vector` there; rows below must have been written.
  void write(std::uint32_t row, std::span<float const> vector) {
    auto& chunk = chunks_[chunk_of(row)];
    if (chunk.get() == nullptr) chunk = AlignedNumbers<float>{(first_size << chunk_of(row)) * length_};
    write_padded(place(row), vector);
  }

  /// A power of two that divides the size of every chunk.
  static constexpr std::uint32_t block_rows = 64;

 private:
  static constexpr std::size_t first_size = block_rows;
  static constexpr unsigned first_bits = std::bit_width(first_size) - 1;

  static unsigned chunk_of(std::uint32_t row) noexcept {
    return static_cast<unsigned>(std::bit_width(row + std::uint64_t{first_size})) - first_bits - 1;
  }
  [[nodiscard]] float* place(std::uint32_t row) const noexcept {
    auto const chunk = chunk_of(row);
    assert(chunks_[chunk].get() != nullptr);
    return chunks_[chunk].get() + (row + std::uint64_t{first_size} - (std::uint64_t{first_size} << chunk)) * length_;
  }

  std::size_t length_;
  std::array<AlignedNumbers<float>, 33 - first_bits> chunks_;
};

}  // namespace whence::graph::impl
