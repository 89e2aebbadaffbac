#pragma once
// Inner products of many stored vectors with one that is asked about: the loop under every retrieval.

#include <array>
#include <cstddef>

namespace whence::graph::impl {

inline constexpr std::size_t vector_dimension = 384;
/// Sums that run side by side. Part of what a similarity is to its last bit: see `DotProducts`.
inline constexpr std::size_t dot_lanes = 16;

/// One stored vector, on cache lines of its own.
struct alignas(64) VectorRow {
  std::array<float, vector_dimension> components;
};
/// The vector asked about, widened once.
struct alignas(64) WideVector {
  std::array<double, vector_dimension> components;
};

/// Writes the inner product of each of the `count` rows with `asked` to `products`.
///
/// Every implementation gives the same bits. The product of two binary32 numbers is exact in binary64 (24 + 24 of 53
/// bits, exponents far from its ends), so multiplying and adding in one step or in two rounds alike, and only the order
/// of the additions matters. It is fixed: lane l adds the components l, l + 16, l + 32, ... in turn, starting from 0;
/// then the upper half of the lanes is added to the lower half until one is left. `asked` holds values of binary32.
using DotProducts = void (*)(VectorRow const* rows, std::size_t count, WideVector const& asked, double* products);

/// For any processor this program was built for.
void dot_products(VectorRow const* rows, std::size_t count, WideVector const& asked, double* products);

/// The fastest for the processor it runs on.
[[nodiscard]] DotProducts fastest_dot_products() noexcept;

[[nodiscard]] WideVector widened(VectorRow const& row) noexcept;

}  // namespace whence::graph::impl
