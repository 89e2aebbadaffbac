#pragma once
// The code points of UTF-8: where they begin, and how they are written.

#include <cstddef>
#include <cstdint>
#include <string>
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

/// Appends one as UTF-8.
inline void append_code_point(std::string& text, char32_t code) {
  auto const put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  auto const put_rest = [&](unsigned count) {
    while (count-- > 0) put(0x80U | ((code >> (6U * count)) & 0x3FU));
  };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0U | (code >> 6U)), put_rest(1);
  if (code < 0x10000) return put(0xE0U | (code >> 12U)), put_rest(2);
  put(0xF0U | (code >> 18U));
  put_rest(3);
}

}  // namespace whence::schema
