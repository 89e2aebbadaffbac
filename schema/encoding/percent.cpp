#include "schema/encoding/percent.hpp"

#include "schema/encoding/hex.hpp"

namespace whence::schema {

void append_percent(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    out.append({'%', digits[byte >> 4U], digits[byte & 0xFU]});
  }
}

std::optional<char> find_percent_byte(std::string_view text, std::size_t at) noexcept {
  if (at + 2 >= text.size() || text[at] != '%') return std::nullopt;
  int const high = hex_value(text[at + 1]);
  int const low = hex_value(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

std::optional<std::string> percent_decoded(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && !find_percent_byte(text, i)) return std::nullopt;
  }
  return percent_decoded_leniently(text);
}

std::string percent_decoded_leniently(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = find_percent_byte(text, i);
    plain.push_back(byte.value_or(text[i]));
    if (byte) i += 2;
  }
  return plain;
}

}  // namespace whence::schema
