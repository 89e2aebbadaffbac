// RFC 4648 section 5.

#include "net/access/base64url.hpp"

#include <array>
#include <cstdint>

namespace whence::net {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits = {};
  digits.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}
constexpr auto digits = make_digits();

}  // namespace

std::string encode_base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (char const c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    held += 8;
    while (held >= 6) {
      held -= 6;
      text.push_back(alphabet[(bits >> held) & 63U]);
    }
  }
  if (held > 0) text.push_back(alphabet[(bits << (6 - held)) & 63U]);
  return text;
}

std::optional<std::string> decode_base64url(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (char const c : text) {
    std::uint8_t const digit = digits[static_cast<unsigned char>(c)];
    if (digit == no_digit) return std::nullopt;
    bits = (bits << 6U) | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>((bits >> held) & 255U));
    }
  }
  // What is left are less than 8 bits: zeros of the last digit, and never a whole digit.
  bool const is_canonical = held < 6 && (bits & ((1U << held) - 1U)) == 0;
  if (!is_canonical) return std::nullopt;
  return bytes;
}

}  // namespace whence::net
