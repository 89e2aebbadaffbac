#pragma once
// Whether a text has what is quoted from it.

#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace whence::queries {

/// How a quote is found in a text.
enum class QuoteMatch : std::uint8_t {
  exact,      ///< as it is, but for an ellipsis at its end
  folded,     ///< but for white space, and letters of ASCII in either case
  altered,    ///< some words differ
  not_found,  ///< half of its words or more differ from every part of the text
};
constexpr std::array<std::string_view, 4> enum_names(QuoteMatch) noexcept {
  return {"exact", "folded", "altered", "not_found"};
}

struct QuoteCheck {
  QuoteMatch match = QuoteMatch::not_found;
  double altered = 0;  ///< how many words differ from the part that is most like it, in parts of all words; 0 to 1
};

/// O(words of the quote * words of the text).
[[nodiscard]] QuoteCheck check_quote(std::string_view quote, std::string_view text);

}  // namespace whence::queries
