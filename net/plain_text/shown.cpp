// Code points: which ones a terminal may be sent, and how wide it shows them.

#include "net/plain_text/shown.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace whence::net::plain_text {
namespace {

constexpr std::string_view ellipsis = "\u2026";
constexpr char32_t replacement = U'\ufffd';

struct Range {
  char32_t first;
  char32_t last;
};

/// Blocks of Unicode 15 that terminals give no column: combining marks, joiners, variation selectors.
constexpr Range no_column[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
                               {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},
                               {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

/// Blocks of East Asian width W or F, emoji among them (UAX 11).
constexpr Range two_columns[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
                                 {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
                                 {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};

/// Code points that may not reach a terminal unescaped: C0, DEL, C1, and the bidirectional controls (UAX 9).
constexpr Range steering[] = {{0x0, 0x1f},      {0x7f, 0x9f},     {0x61c, 0x61c},
                              {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

bool is_in(std::span<Range const> ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](Range range) { return code >= range.first && code <= range.last; });
}

std::size_t width_of(char32_t code) {
  if (code < 0x300) return 1;
  if (is_in(no_column, code)) return 0;
  return is_in(two_columns, code) ? 2 : 1;
}

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

/// Takes one code point off the front of `text`; one byte and U+FFFD where it is ill-formed.
char32_t take(std::string_view& text) {
  auto const lead = static_cast<unsigned char>(text.front());
  std::size_t const length = sequence_length(lead);
  constexpr std::array<unsigned, 5> lead_bits = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t code = lead & lead_bits[length];
  bool is_whole = length != 0 && length <= text.size();
  for (std::size_t i = 1; is_whole && i < length; ++i) {
    auto const next = static_cast<unsigned char>(text[i]);
    is_whole = (next & 0xc0U) == 0x80U;
    code = (code << 6U) | (next & 0x3fU);
  }
  text.remove_prefix(is_whole ? length : 1);
  return is_whole ? code : replacement;
}

std::string escape_of(char32_t code) {
  switch (code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u0000";
  for (std::size_t i = 0; i < 4; ++i) text[5 - i] = digits[(code >> (4 * i)) & 0xfU];
  return text;
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::string_view const before = text;
    char32_t const code = take(text);
    if (is_in(steering, code)) {
      out += escape_of(code);
    } else if (code == replacement) {
      out += "\ufffd";
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take(text));
  return width;
}

std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string{text};
  std::string_view rest = text;
  std::size_t used = 0;
  while (!rest.empty()) {
    std::string_view ahead = rest;
    used += width_of(take(ahead));
    if (used + 1 > width) break;  // one column is for the ellipsis
    rest = ahead;
  }
  return std::string{text.substr(0, text.size() - rest.size())} + std::string{ellipsis};
}

}  // namespace whence::net::plain_text
