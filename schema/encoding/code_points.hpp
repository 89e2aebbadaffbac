#pragma once
// Where the code points of UTF-8 begin.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace whence::schema {

/// Whether a byte continues a code point.
[[nodiscard]] constexpr bool is_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The byte of well-formed UTF-8 at which code point `number` begins, counted from 0; the end where there are fewer.
/// O(result).
[[nodiscard]] constexpr std::size_t start_of_code_point(std::string_view text, std::uint64_t number) noexcept {
  std::size_t at = 0;
  for (; at < text.size() && number > 0; --number) {
    ++at;
    while (at < text.size() && is_continuation(text[at])) ++at;
  }
  return at;
}

}  // namespace whence::schema
