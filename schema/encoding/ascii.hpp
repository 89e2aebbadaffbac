#pragma once
// Texts of ASCII, whatever the locale.

#include <string>
#include <string_view>

namespace whence::schema {

[[nodiscard]] constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] inline std::string in_lower(std::string_view text) {
  std::string made{text};
  for (char& c : made) c = lower(c);
  return made;
}

[[nodiscard]] inline std::string in_upper(std::string_view text) {
  std::string made{text};
  for (char& c : made) c = upper(c);
  return made;
}

/// `text` without `blanks` around it.
[[nodiscard]] constexpr std::string_view trim_blanks(std::string_view text,
                                                     std::string_view blanks = " \t\r") noexcept {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace whence::schema
