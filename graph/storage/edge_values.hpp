#pragma once
// The values of edges: four bytes each where they are short decimals or integers, which nearly all are.

#include "graph/storage/chunked.hpp"
#include "schema/base/limits.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace whence::graph::impl {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// A column of doubles, or none, by edge. Each comes back with the bits it was given with.
///
/// Invariants: 1. a code is, in this order, a decimal of -1 to 1 in steps of 1e-7, an integer from 0, the place of a
/// value in `others_`, or `none`. 2. a decimal or integer has its code only where decoding gives exactly its bits: an
/// IEEE division rounds correctly, so k / 1e7 is what "0.35" is read as. 3. places in `others_` grow with the edges.
/// Steps of 1e-9 would cover values of binary32 too, but leave fewer codes for places than there may be edges.
class EdgeValues {
 public:
  /// `no_value` where the edge carries none.
  [[nodiscard]] double operator[](std::uint32_t edge) const noexcept {
    auto const code = codes_[edge];
    if (code < decimal_codes) [[likely]] {
      return static_cast<double>(static_cast<std::int32_t>(code) - steps) / steps;
    }
    return uncommon(code);
  }

  /// Sets the value of `edge`, the one after the last, which was ensured.
  void append(std::uint32_t edge, double value) {
    codes_.ensure(edge);
    auto code = std::isnan(value) ? std::optional{none} : short_code(value);
    if (!code) {
      others_.ensure(others_count_);
      others_[others_count_] = value;
      code = first_place + others_count_++;
    }
    codes_[edge] = *code;
  }

  /// How many of the values of the first `edges` edges are in `others`. O(edges since the last of them).
  [[nodiscard]] std::uint32_t others_among(std::uint32_t edges) const noexcept {
    while (edges > 0) {
      auto const code = codes_[--edges];
      if (code >= first_place && code != none) return code - first_place + 1;
    }
    return 0;
  }
  /// The writer's: how many values are in `others`, all of them, and to forget those from `count` on.
  [[nodiscard]] std::uint32_t others_count() const noexcept { return others_count_; }
  void cut_others(std::uint32_t count) noexcept { others_count_ = count; }

  [[nodiscard]] ChunkedArray<std::uint32_t>& codes() noexcept { return codes_; }
  [[nodiscard]] ChunkedArray<std::uint32_t> const& codes() const noexcept { return codes_; }
  [[nodiscard]] ChunkedArray<double>& others() noexcept { return others_; }
  [[nodiscard]] ChunkedArray<double> const& others() const noexcept { return others_; }

 private:
  static constexpr std::int32_t steps = 10'000'000;
  static constexpr std::uint32_t decimal_codes = 2 * steps + 1;
  static constexpr std::uint32_t integer_codes = 1U << 24U;
  static constexpr std::uint32_t first_place = decimal_codes + integer_codes;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static_assert(none - first_place >= schema::limits::graph_edges_max);  // all may be others

  /// A decimal's or an integer's code.
  static std::optional<std::uint32_t> short_code(double value) noexcept {
    if (std::abs(value) <= 1) {
      auto const step = static_cast<std::int32_t>(std::lround(value * steps));
      auto const decoded = static_cast<double>(step) / steps;
      // By bits, since -0.0 equals 0.
      if (std::bit_cast<std::uint64_t>(decoded) == std::bit_cast<std::uint64_t>(value)) {
        return static_cast<std::uint32_t>(step + steps);
      }
    } else if (value > 0 && value < integer_codes && std::floor(value) == value) {
      return decimal_codes + static_cast<std::uint32_t>(value);
    }
    return std::nullopt;
  }

  [[nodiscard]] double uncommon(std::uint32_t code) const noexcept {
    if (code == none) return no_value;
    return code < first_place ? code - decimal_codes : others_[code - first_place];
  }

  ChunkedArray<std::uint32_t> codes_;
  ChunkedArray<double> others_;
  std::uint32_t others_count_ = 0;
};

}  // namespace whence::graph::impl
