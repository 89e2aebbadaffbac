// Numbers are read by std::from_chars, which no locale touches, after their lexical form has been checked here.
#include "schema/xml/values.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace whence::schema::xml {
namespace {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Takes a run of digits off the front.
std::string_view take_digits(std::string_view& text) noexcept {
  auto const end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  std::string_view const digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

/// Takes `+` or `-` off the front; whether it was `-`.
bool take_sign(std::string_view& text) noexcept {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  bool const is_minus = text.front() == '-';
  text.remove_prefix(1);
  return is_minus;
}

/// An unsigned decimal number, in its parts.
struct Decimal {
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  ///< its digits
  bool is_exponent_minus;
};

/// The lexical form of xs:double behind its sign: digits with or without a point, at least one, and an exponent.
std::optional<Decimal> parse_decimal(std::string_view text) noexcept {
  Decimal decimal{};
  decimal.whole = take_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    decimal.fraction = take_digits(text);
  }
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    decimal.is_exponent_minus = take_sign(text);
    decimal.exponent = take_digits(text);
    if (decimal.exponent.empty()) return std::nullopt;
  }
  return text.empty() ? std::optional{decimal} : std::nullopt;
}

bool is_zero(std::string_view digits) noexcept {
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c == '0'; });
}

/// Whether a number beyond the range of double is so for being small: it is at most 1 if its first digit, moved by the
/// exponent, is behind the point. Texts are far shorter than 10^12 digits, so an exponent that long decides alone.
bool is_tiny(Decimal const& decimal) noexcept {
  std::int64_t exponent = 0;
  auto const [end, error] =
      std::from_chars(decimal.exponent.data(), decimal.exponent.data() + decimal.exponent.size(), exponent);
  bool const is_long = error == std::errc::result_out_of_range || exponent > 1'000'000'000'000;
  if (is_long) return decimal.is_exponent_minus;  // without an exponent it stays 0
  std::size_t const whole_zeros = decimal.whole.find_first_not_of('0');
  std::int64_t const first = whole_zeros != std::string_view::npos
                                 ? static_cast<std::int64_t>(decimal.whole.size() - whole_zeros)
                                 : -static_cast<std::int64_t>(decimal.fraction.find_first_not_of('0'));
  return first + (decimal.is_exponent_minus ? -exponent : exponent) <= 0;
}

/// `0.85`, as nearly every confidence is written. Its digits and the power of ten are doubles without loss, so their
/// quotient is the double nearest to the text.
std::optional<double> parse_short_fraction(std::string_view text) noexcept {
  constexpr std::size_t digits_max = 6;
  if (!text.starts_with("0.") || text.size() == 2 || text.size() > 2 + digits_max) return std::nullopt;
  std::uint32_t digits = 0;
  std::uint32_t power = 1;
  for (char const c : text.substr(2)) {
    if (!is_digit(c)) return std::nullopt;
    digits = 10 * digits + static_cast<std::uint32_t>(c - '0');
    power *= 10;
  }
  return static_cast<double>(digits) / static_cast<double>(power);
}

}  // namespace

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

bool is_blank(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), is_white);
}

std::optional<double> parse_confidence(std::string_view text) noexcept {
  if (auto const fraction = parse_short_fraction(text)) return fraction;
  bool const is_minus = take_sign(text);
  auto const decimal = parse_decimal(text);
  if (!decimal) return std::nullopt;
  if (is_zero(decimal->whole) && is_zero(decimal->fraction)) return 0.0;
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(*decimal)) return std::nullopt;
    value = 0;
  } else if (error != std::errc{}) {
    return std::nullopt;
  }
  if (value > 1 || (is_minus && value > 0)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_message_count(std::string_view text) noexcept {
  bool const is_minus = take_sign(text);
  std::string_view const digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || (is_minus && value != 0)) return std::nullopt;
  return value;
}

std::optional<bool> parse_is_new(std::string_view text) noexcept {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  for (bool is_last = false; !is_last;) {
    std::size_t const comma = text.find(',');
    is_last = comma == std::string_view::npos;
    std::string_view const item = trim(text.substr(0, comma));
    if (!item.empty()) items.emplace_back(item);
    if (!is_last) text.remove_prefix(comma + 1);
  }
  return items;
}

bool is_lowercase_hyphen(std::string_view text) noexcept {
  auto const is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  bool is_after_word = false;
  for (char const c : text) {
    if (c == '-' ? !is_after_word : !is_word(c)) return false;
    is_after_word = c != '-';
  }
  return is_after_word;
}

}  // namespace whence::schema::xml
