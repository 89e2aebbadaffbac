#pragma once
// Inner products of many stored vectors with one that is asked about: the loop under every retrieval.

#include <cstddef>

namespace whence::graph::impl {

/// Sums that run side by side. Part of what a similarity is to its last bit: see `DotProducts`.
inline constexpr std::size_t dot_lanes = 16;

/// The numbers that a row of `dimension` numbers takes: those and zeros up to whole lanes, which are whole cache lines
/// of binary32.
[[nodiscard]] constexpr std::size_t padded(std::size_t dimension) noexcept {
  return (dimension + dot_lanes - 1) / dot_lanes * dot_lanes;
}

/// Writes the inner product of each of `count` rows with `asked` to `products`. The rows follow one another from
/// `rows`, `length` numbers each (a multiple of `dot_lanes`, as `padded` gives); `rows` and `asked` are at addresses
/// divisible by 64.
///
/// Every implementation gives the same bits. The product of two binary32 numbers is exact in binary64 (24 + 24 of 53
/// bits, exponents far from its ends), so multiplying and adding in one step or in two rounds alike, and only the order
/// of the additions matters. It is fixed: lane l adds the components l, l + 16, l + 32, ... in turn, starting from 0;
/// then the upper half of the lanes is added to the lower half until one is left. `asked` holds values of binary32.
/// Zeros that pad a row change no sum.
using DotProducts = void (*)(float const* rows, std::size_t count, std::size_t length, double const* asked,
                             double* products);

/// For any processor this program was built for.
void dot_products(float const* rows, std::size_t count, std::size_t length, double const* asked, double* products);

/// The fastest for the processor it runs on.
[[nodiscard]] DotProducts fastest_dot_products() noexcept;

}  // namespace whence::graph::impl
