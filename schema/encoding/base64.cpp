// Reading refuses texts in which bits are set that no byte has, since two texts would then be the same bytes. Padding
// may be left out.
#include "schema/encoding/base64.hpp"

#include <array>
#include <cstdint>

namespace whence::schema {
namespace {

constexpr std::string_view letters_and_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::uint8_t no_digit = 64;

/// The 64 characters, and what each is worth.
struct Alphabet {
  std::array<char, 64> characters = {};
  std::array<std::uint8_t, 256> values = {};

  constexpr explicit Alphabet(std::string_view last_two) {
    values.fill(no_digit);
    for (std::size_t i = 0; i < characters.size(); ++i) {
      characters[i] = i < letters_and_digits.size() ? letters_and_digits[i] : last_two[i - letters_and_digits.size()];
      values[static_cast<unsigned char>(characters[i])] = static_cast<std::uint8_t>(i);
    }
  }
};
constexpr Alphabet usual{"+/"};
constexpr Alphabet safe{"-_"};

std::string encode(std::string_view bytes, Alphabet const& alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (char const c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    held += 8;
    while (held >= 6) {
      held -= 6;
      text.push_back(alphabet.characters[(bits >> held) & 63U]);
    }
  }
  if (held > 0) text.push_back(alphabet.characters[(bits << (6 - held)) & 63U]);
  return text;
}

std::optional<std::string> decode(std::string_view text, Alphabet const& alphabet) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (char const c : text) {
    std::uint8_t const digit = alphabet.values[static_cast<unsigned char>(c)];
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

}  // namespace

std::string encode_base64(std::string_view bytes) {
  auto text = encode(bytes, usual);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string encode_base64url(std::string_view bytes) {
  return encode(bytes, safe);
}

std::optional<std::string> decode_base64(std::string_view text) {
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, usual);
}

std::optional<std::string> decode_base64url(std::string_view text) {
  return decode(text, safe);
}

}  // namespace whence::schema
