// The tokens of PROV-N, character by character.

#include "queries/export/prov/grammar.hpp"

#include "schema/encoding/percent.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace whence::exports {
namespace {

constexpr std::string_view made_iris = "urn:whence:iri:";
constexpr std::string_view plain_in_names = "/@~&+*?#$!";
constexpr std::string_view escaped_in_names = "='(),-:;[].";

struct Range {
  char32_t first;
  char32_t last;
};
/// `PN_CHARS_BASE`.
constexpr auto base_ranges = std::to_array<Range>({{'A', 'Z'},
                                                   {'a', 'z'},
                                                   {0xC0, 0xD6},
                                                   {0xD8, 0xF6},
                                                   {0xF8, 0x2FF},
                                                   {0x370, 0x37D},
                                                   {0x37F, 0x1FFF},
                                                   {0x200C, 0x200D},
                                                   {0x2070, 0x218F},
                                                   {0x2C00, 0x2FEF},
                                                   {0x3001, 0xD7FF},
                                                   {0xF900, 0xFDCF},
                                                   {0xFDF0, 0xFFFD},
                                                   {0x10000, 0xEFFFF}});
/// What `PN_CHARS` has besides, but for `_` and `-`.
constexpr auto more_ranges = std::to_array<Range>({{'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}});

bool is_in(auto const& ranges, char32_t character) noexcept {
  return std::ranges::any_of(ranges,
                             [=](Range const& range) { return character >= range.first && character <= range.last; });
}

bool is_digit_of_time(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// A character of UTF-8, and how many bytes it has.
struct Character {
  char32_t code;
  std::size_t bytes;
};

/// The character at `at` of well-formed UTF-8, which every text of a record is.
Character character_at(std::string_view text, std::size_t at) noexcept {
  auto const first = static_cast<unsigned char>(text[at]);
  std::size_t const bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (bytes == 1 || at + bytes > text.size()) return {first, 1};
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return {code, bytes};
}

/// Reads a time from the left.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) noexcept : rest_(text) {}

  bool take(char c) noexcept {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// As many digits as there are.
  std::string_view take_digits() noexcept {
    auto const end = std::ranges::find_if_not(rest_, is_digit_of_time);
    auto const digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(digits.size());
    return digits;
  }
  /// Two digits.
  std::optional<int> take_two() noexcept {
    if (rest_.size() < 2 || !is_digit_of_time(rest_[0]) || !is_digit_of_time(rest_[1])) return std::nullopt;
    int const number = (rest_[0] - '0') * 10 + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return number;
  }
  /// Two digits of a number within bounds.
  bool take_number(int least, int greatest) noexcept {
    auto const number = take_two();
    return number && *number >= least && *number <= greatest;
  }
  [[nodiscard]] bool is_done() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

bool take_clock(TimeReader& reader) noexcept {
  auto const hour = reader.take_two();
  if (!hour || *hour > 24 || !reader.take(':')) return false;
  int const greatest = *hour == 24 ? 0 : 59;
  if (!reader.take_number(0, greatest) || !reader.take(':') || !reader.take_number(0, greatest)) return false;
  if (!reader.take('.')) return true;
  auto const fraction = reader.take_digits();
  return !fraction.empty() && (*hour < 24 || fraction.find_first_not_of('0') == std::string_view::npos);
}

bool take_zone(TimeReader& reader) noexcept {
  if (reader.is_done() || reader.take('Z')) return true;
  if (!reader.take('+') && !reader.take('-')) return false;
  auto const hours = reader.take_two();
  return hours && *hours <= 14 && reader.take(':') && reader.take_number(0, *hours == 14 ? 0 : 59);
}

}  // namespace

bool is_prov_n_prefix(std::string_view text) noexcept {
  if (text.empty() || text.ends_with('.')) return false;
  for (std::size_t at = 0; at < text.size();) {
    auto const [code, bytes] = character_at(text, at);
    bool const is_base = is_in(base_ranges, code);
    bool const is_inner = code == '_' || code == '-' || code == '.' || is_in(more_ranges, code);
    if (!is_base && (at == 0 || !is_inner)) return false;
    at += bytes;
  }
  return true;
}

std::string prov_n_prefix(std::string_view text) {
  if (is_prov_n_prefix(text)) return std::string(text);
  std::string made = "ns_";
  for (std::size_t at = 0; at < text.size();) {
    auto const [code, bytes] = character_at(text, at);
    bool const is_taken = code == '-' || is_in(base_ranges, code) || is_in(more_ranges, code);
    is_taken ? made.append(text, at, bytes) : made.append("_");
    at += bytes;
  }
  return made;
}

bool is_prov_n_iri(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](char c) {
    constexpr std::string_view refused = "<>\"{}|^`\\";
    return (static_cast<unsigned char>(c) <= 0x20) || refused.find(c) != std::string_view::npos;
  });
}

std::string prov_n_iri_of(std::string_view text) {
  return std::string(made_iris).append(schema::percent_encoded(text, [](char c) {
    return c != '%' && is_prov_n_iri({&c, 1});
  }));
}

bool is_prov_n_time(std::string_view text) noexcept {
  TimeReader reader(text);
  reader.take('-');
  auto const year = reader.take_digits();
  if (year.size() < 4 || (year.size() > 4 && year.starts_with('0'))) return false;
  bool const has_day = reader.take('-') && reader.take_number(1, 12) && reader.take('-') && reader.take_number(1, 31);
  return has_day && reader.take('T') && take_clock(reader) && take_zone(reader) && reader.is_done();
}

bool append_prov_n_local(std::string& out, std::string_view local, PercentCodes codes) {
  bool is_encoded = false;
  for (std::size_t at = 0; at < local.size();) {
    auto const character = character_at(local, at);
    auto const code = character.code;
    auto const bytes = character.bytes;
    bool const is_end = at == 0 || at + bytes == local.size();
    bool const is_ascii = code < 0x80;
    auto const is_one_of = [&](std::string_view all) {
      return is_ascii && all.find(static_cast<char>(code)) != std::string_view::npos;
    };
    bool const is_within = (code == '-' || code == '.') && !is_end;
    bool const is_letter = code == '_' || is_in(base_ranges, code) || (code >= '0' && code <= '9');
    bool const is_later = at > 0 && is_in(more_ranges, code);
    bool const is_code = codes == PercentCodes::keep && schema::find_percent_byte(local, at).has_value();
    if (is_within || is_letter || is_later || is_code || is_one_of(plain_in_names)) {
      out.append(local, at, bytes);
    } else if (is_one_of(escaped_in_names)) {
      out.push_back('\\');
      out.append(local, at, bytes);
    } else {
      schema::append_percent(out, local.substr(at, bytes));
      is_encoded = true;
    }
    at += bytes;
  }
  return is_encoded;
}

}  // namespace whence::exports
