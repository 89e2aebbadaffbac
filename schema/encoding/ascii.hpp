#pragma once
// Texts of ASCII, whatever the locale.

#include <string_view>

namespace whence::schema {

/// `text` without `blanks` around it.
[[nodiscard]] constexpr std::string_view trim_blanks(std::string_view text,
                                                     std::string_view blanks = " \t\r") noexcept {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace whence::schema
