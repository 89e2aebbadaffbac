// Compact JSON, by hand: the one place that says how numbers and strings look on the wire.
#include "schema/json/writer.hpp"

#include "schema/json/escape.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace whence::schema::json {
namespace {

constexpr bool needs_escape(char c) noexcept {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

/// Writes the escape of `c` at `place`, and returns the place behind it.
char* put_escape(char* place, char c) noexcept {
  *place++ = '\\';
  constexpr std::string_view named = "\"\\\b\f\n\r\t";
  constexpr std::string_view names = "\"\\bfnrt";
  if (auto const at = named.find(c); at != std::string_view::npos) {
    *place++ = names[at];
    return place;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  auto const byte = static_cast<unsigned char>(c);
  for (char const each : {'u', '0', '0', digits[byte >> 4U], digits[byte & 0xFU]}) *place++ = each;
  return place;
}

template <class Number>
void append_chars(std::string& out, Number value) {
  std::array<char, 32> buffer;  // the longest shortest form of a double has 24 characters
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

/// Whether 64 bits hold the integer. Beyond them plain digits would be read as an integer that nothing holds.
template <class Number>
bool is_of_64_bits(Number value) noexcept {
  constexpr auto int64_end = static_cast<Number>(9223372036854775808.0);
  return value >= -int64_end && value < 2 * int64_end;
}

/// A number that is shortest as `mantissa`e`exponent`, laid out as ECMAScript does (RFC 8785, section 3.2.2.3) within
/// 64 bits: plain digits from 1e-6, else an exponent without leading zeros.
void append_scientific(std::string& out, std::string_view mantissa, std::string_view exponent_text, bool is_plain) {
  if (mantissa.starts_with('-')) {
    out.push_back('-');
    mantissa.remove_prefix(1);
  }
  int exponent = 0;
  bool const is_signed = exponent_text.starts_with('+');
  std::from_chars(exponent_text.data() + (is_signed ? 1 : 0), exponent_text.data() + exponent_text.size(), exponent);
  if (exponent < -6 || !is_plain) {
    out.append(mantissa).append(exponent < 0 ? "e" : "e+").append(std::to_string(exponent));
    return;
  }
  std::string digits(mantissa.substr(0, 1));
  if (mantissa.size() > 2) digits.append(mantissa.substr(2));
  if (exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else {
    digits.resize(static_cast<std::size_t>(exponent) + 1, '0');  // with a fraction it would be shorter in plain form
    out.append(digits);
  }
}

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// Whether one of the eight bytes at `text` is written as an escape; they are copied to `copy`.
bool has_escape(char const* text, std::uint64_t& copy) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  constexpr std::uint64_t tops = ones * 0x80;
  // The top bit of a byte below `bound` is set, and none where no byte is.
  auto const below = [](std::uint64_t word, std::uint64_t bound) { return (word - ones * bound) & ~word & tops; };
  std::memcpy(&copy, text, sizeof copy);
  return (below(copy, 0x20) | below(copy ^ ones * '"', 1) | below(copy ^ ones * '\\', 1)) != 0;
}

/// Appends a number that is no integer and has at most six decimals and fifteen digits, as nearly all weights and
/// scores have; false where it has more. Takes a tenth of the time of the search for the shortest form.
///
/// The division is correctly rounded, so the digits read back as `value`. They are the shortest form, since no two
/// decimals of up to fifteen digits read back as the same number.
bool append_decimal(std::string& out, double value) {
  constexpr std::uint64_t scale = 1'000'000;
  constexpr double scaled_end = 1e15;
  double const size = std::abs(value);
  double const scaled = size * double{scale};
  if (!(scaled < scaled_end)) return false;
  auto const digits = static_cast<std::uint64_t>(scaled + 0.5);
  if (static_cast<double>(digits) / double{scale} != size) return false;
  std::array<char, 32> buffer;
  char* end = buffer.data();
  if (value < 0) *end++ = '-';
  if (digits < scale) {
    *end++ = '0';
  } else {
    end = std::to_chars(end, buffer.data() + buffer.size(), digits / scale).ptr;
  }
  *end++ = '.';
  std::uint64_t rest = digits % scale;
  for (std::uint64_t unit = scale / 10; rest > 0; unit /= 10) {
    *end++ = static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  out.append(buffer.data(), end);
  return true;
}

/// Where `bytes` more can be written. Appending piece by piece would look for room each time.
char* grow(std::string& out, std::size_t bytes) {
  std::size_t const before = out.size();
  out.resize(before + bytes);
  return out.data() + before;
}

/// `text` without escapes in quotes; the place behind it.
char* put_quoted(char* to, std::string_view text) noexcept {
  *to++ = '"';
  std::memcpy(to, text.data(), text.size());
  to += text.size();
  *to++ = '"';
  return to;
}

constexpr std::size_t short_bytes = 256;  ///< of a text that is cheaper to put in place than to append
constexpr std::size_t escape_bytes = 6;   ///< of the longest escape

/// Appends a text whose first escape is at `at`, as a JSON string. In JSON within JSON every tenth character is one, so
/// that the text is made in a buffer of its own.
void append_with_escapes(std::string& out, std::string_view text, std::size_t at) {
  out.append(1, '"').append(text, 0, at);
  std::array<char, 1024> buffer;
  auto* place = buffer.data();
  auto const* const full = buffer.data() + buffer.size() - word_bytes - escape_bytes;
  while (at < text.size()) {
    if (place >= full) {
      out.append(buffer.data(), place);
      place = buffer.data();
    }
    std::uint64_t word = 0;
    if (text.size() - at >= word_bytes && !has_escape(text.data() + at, word)) {
      std::memcpy(place, &word, word_bytes);
      place += word_bytes;
      at += word_bytes;
      continue;
    }
    for (auto const end = std::min(text.size(), at + word_bytes); at < end && !needs_escape(text[at]);) {
      *place++ = text[at++];
    }
    if (at < text.size() && needs_escape(text[at])) place = put_escape(place, text[at++]);
  }
  out.append(buffer.data(), place);
  out.push_back('"');
}

template <class Number>
void append_shortest(std::string& out, Number value) {
  if (!std::isfinite(value)) {  // JSON has no such number
    out.append("null");
    return;
  }
  constexpr auto integral_max = static_cast<Number>(1e15);
  if (std::abs(value) < integral_max && value == std::trunc(value)) {
    append_chars(out, static_cast<std::int64_t>(value));
    return;
  }
  std::array<char, 32> buffer;  // the longest shortest form of a double has 24 characters
  bool const is_plain = is_of_64_bits(value);
  auto* const last = buffer.data() + buffer.size();
  auto const end = is_plain ? std::to_chars(buffer.data(), last, value).ptr
                            : std::to_chars(buffer.data(), last, value, std::chars_format::scientific).ptr;
  std::string_view const shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  auto const mark = shortest.find('e');
  if (mark == std::string_view::npos) {
    out.append(shortest);
  } else {
    append_scientific(out, shortest.substr(0, mark), shortest.substr(mark + 1), is_plain);
  }
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  auto const first = find_escape(text, 0);
  if (first < text.size()) return append_with_escapes(out, text, first);
  if (text.size() > short_bytes) {
    out.append(1, '"').append(text).push_back('"');
    return;
  }
  put_quoted(grow(out, text.size() + 2), text);
}

void append_number(std::string& out, double value) {
  // Exact digits where they are read back as an integer: shortest digits padded with zeros would be another integer.
  constexpr double int64_end = 9223372036854775808.0;
  if (value != std::trunc(value)) {
    if (!append_decimal(out, value)) append_shortest(out, value);
  } else if (!is_of_64_bits(value)) {
    append_shortest(out, value);
  } else if (value < int64_end) {
    append_chars(out, static_cast<std::int64_t>(value));
  } else {
    append_chars(out, static_cast<std::uint64_t>(value));
  }
}

void append_integer(std::string& out, std::uint64_t value) {
  append_chars(out, value);
}

void append_number(std::string& out, float value) {
  auto const start = out.size();
  append_shortest(out, value);
  // Who reads JSON reads binary64 first. Of all numbers one, 7.038531e-26, is rounded twice to its neighbour (all were
  // tried).
  double read = 0;
  std::from_chars(out.data() + start, out.data() + out.size(), read);
  if (static_cast<float>(read) == value) return;
  out.resize(start);
  append_shortest(out, double{value});
}

void Writer::separate() {
  if (needs_comma_) out_.push_back(',');
  needs_comma_ = true;
}

Writer& Writer::begin_object() {
  separate();
  out_.push_back('{');
  needs_comma_ = false;
  return *this;
}

Writer& Writer::end_object() {
  out_.push_back('}');
  needs_comma_ = true;
  return *this;
}

Writer& Writer::begin_array() {
  separate();
  out_.push_back('[');
  needs_comma_ = false;
  return *this;
}

Writer& Writer::end_array() {
  out_.push_back(']');
  needs_comma_ = true;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  if (find_escape(name, 0) == name.size()) {  // in one piece: keys are a third of what is written
    char* to = grow(out_, name.size() + (needs_comma_ ? 4 : 3));
    if (needs_comma_) *to++ = ',';
    *put_quoted(to, name) = ':';
  } else {
    separate();
    append_string(out_, name);
    out_.push_back(':');
  }
  needs_comma_ = false;
  return *this;
}

Writer& Writer::value(std::string_view text) {
  separate();
  append_string(out_, text);
  return *this;
}

Writer& Writer::value(double number) {
  separate();
  append_number(out_, number);
  return *this;
}

Writer& Writer::value(float number) {
  separate();
  append_number(out_, number);
  return *this;
}

Writer& Writer::value(bool flag) {
  return raw(flag ? "true" : "false");
}

Writer& Writer::value(std::int64_t number) {
  separate();
  append_chars(out_, number);
  return *this;
}

Writer& Writer::value(std::uint64_t number) {
  separate();
  append_chars(out_, number);
  return *this;
}

Writer& Writer::null() {
  return raw("null");
}

Writer& Writer::raw(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

}  // namespace whence::schema::json
