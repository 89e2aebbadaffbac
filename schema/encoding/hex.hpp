#pragma once
// Bytes as hexadecimal digits: written in lower case, read in either.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace whence::schema {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

/// The value of a digit, -1 where `c` is none.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Whether `text` has digits as they are written, and nothing else.
[[nodiscard]] constexpr bool is_lower_hex(std::string_view text) noexcept {
  return text.find_first_not_of(hex_digits) == std::string_view::npos;
}

[[nodiscard]] inline std::string to_hex(std::span<std::uint8_t const> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (std::uint8_t const byte : bytes) {
    text.push_back(hex_digits[byte >> 4U]);
    text.push_back(hex_digits[byte & 0xFU]);
  }
  return text;
}

/// As RFC 9562 (4) writes a UUID: groups of 8, 4, 4, 4 and 12 digits.
[[nodiscard]] inline std::string uuid_text(std::array<std::uint8_t, 16> const& bytes) {
  auto text = to_hex(bytes);
  for (std::size_t const at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
  return text;
}

}  // namespace whence::schema
