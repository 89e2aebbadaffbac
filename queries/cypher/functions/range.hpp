#pragma once
// The numbers of `range()`, one after the other.

#include "queries/cypher/functions/function.hpp"

#include <cstdint>
#include <optional>

namespace whence::queries::cypher {

/// From `first` to `last`, which the steps meet. 64-bit arithmetic wraps, so that no end of the numbers is beyond it.
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool is_empty = true;

  /// The first number, which is taken out.
  std::int64_t take() noexcept {
    auto const taken = first;
    is_empty = first == last;
    first = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(step));
    return taken;
  }
  /// How many steps there are between the first and the last.
  [[nodiscard]] std::uint64_t steps() const noexcept {
    auto const distance = step > 0 ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)
                                   : static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(last);
    return distance / stride();
  }
  [[nodiscard]] std::uint64_t stride() const noexcept {
    return step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
  }
};

/// What a call of `range()` means; none where it is null, or fails.
[[nodiscard]] std::optional<NumberRange> number_range(FunctionCall const& call);

}  // namespace whence::queries::cypher
