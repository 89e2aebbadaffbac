// All texts are sought at once: they are sorted, and looked up at each place of the prompt where the first bytes of one
// are, so that the time hardly depends on their number. Work is bounded. A text counts where it begins and ends with
// words.

#include "net/plain_text/sought_texts.hpp"

#include "schema/encoding/code_points.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

namespace whence::net::plain_text {

namespace {

constexpr std::size_t escape_bytes = 6;  // of `\\uXXXX`

/// Of Unicode's property White_Space, such as the spaces that do not break which texts of PDF files have.
bool is_white(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/// Of scripts that put no space between words, and punctuation: from each pair's first to its second.
constexpr auto no_word = std::to_array<std::pair<char32_t, char32_t>>({
    {0x80, 0xa9},     {0xab, 0xb4},     {0xb6, 0xb9},     {0xbb, 0xbf},       {0x0e00, 0x0eff},
    {0x1000, 0x109f}, {0x1780, 0x17ff}, {0x2000, 0x206f}, {0x20a0, 0x20cf},   {0x2190, 0x2bff},
    {0x2e00, 0x2e7f}, {0x2e80, 0xa4cf}, {0xf900, 0xfaff}, {0xfe10, 0xfe4f},   {0xff00, 0xff0f},
    {0xff1a, 0xff20}, {0xff61, 0xff9f}, {0xfffd, 0xfffd}, {0x1f000, 0x1faff}, {0x20000, 0x3ffff},
});

bool is_word(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  auto const next = std::ranges::upper_bound(no_word, c, {}, &std::pair<char32_t, char32_t>::first);
  return next == no_word.begin() || c > std::prev(next)->second;
}

/// The character that begins at `at`, of well-formed UTF-8.
char32_t character_at(std::string_view text, std::size_t at) {
  auto const first = static_cast<unsigned char>(text[at]);
  char32_t made = first;
  if (first >= 0xf0) {
    made = first & 0x07U;
  } else if (first >= 0xe0) {
    made = first & 0x0fU;
  } else if (first >= 0xc0) {
    made = first & 0x1fU;
  }
  for (++at; at < text.size() && schema::is_continuation(text[at]); ++at) {
    made = made << 6U | (static_cast<unsigned char>(text[at]) & 0x3fU);
  }
  return made;
}

/// The character that ends before `end`, which is not 0.
char32_t character_before(std::string_view text, std::size_t end) {
  auto at = end - 1;
  while (at > 0 && schema::is_continuation(text[at])) --at;
  return character_at(text.substr(0, end), at);
}

/// The bytes of the white space that begins at `at`; 0: there is none.
std::size_t white_bytes(std::string_view text, std::size_t at) {
  auto const first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return is_white(first) ? 1 : 0;
  bool const may_be = first == 0xc2 || (first >= 0xe1 && first <= 0xe3);
  if (!may_be || !is_white(character_at(text, at))) return 0;
  return first == 0xc2 ? 2 : 3;
}

/// The four hex digits of an escape `\\uXXXX` that begins at `at`.
std::optional<char32_t> escaped_unit(std::string_view text, std::size_t at) {
  if (at + escape_bytes > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  auto const digits = text.substr(at + 2, 4);
  auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return read.ptr == digits.data() + digits.size() ? std::optional<char32_t>{unit} : std::nullopt;
}

/// The character that an escape at `at` writes, which moves to the escape's last byte. None where there is no whole
/// one.
std::optional<char32_t> take_escaped(std::string_view text, std::size_t& at) {
  auto const unit = escaped_unit(text, at);
  bool const is_high = unit && *unit >= 0xd800 && *unit < 0xdc00;
  if (!unit || (*unit >= 0xdc00 && *unit < 0xe000)) return std::nullopt;
  auto second = at + escape_bytes;
  while (second + 1 < text.size() && text[second] == '\\' && text[second + 1] == '\\') ++second;  // JSON within JSON
  auto const low = is_high ? escaped_unit(text, second) : std::nullopt;
  if (is_high && !(low && *low >= 0xdc00 && *low < 0xe000)) return std::nullopt;
  at = (is_high ? second : at) + escape_bytes - 1;
  return is_high ? 0x10000 + ((*unit - 0xd800) << 10U) + (*low - 0xdc00) : *unit;
}

/// The first bytes of a text of at least `sought_min`.
std::uint64_t beginning(char const* text) {
  std::uint64_t key = 0;
  std::memcpy(&key, text, SoughtTexts::sought_min);
  return key;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  auto const is_one_of = [](char c, std::string_view marks) { return marks.find(c) != std::string_view::npos; };
  auto const space = [&] {
    if (!result.empty() && !is_one_of(result.back(), " {[,:")) result.push_back(' ');
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    char const next = i + 1 < text.size() ? text[i + 1] : '\0';
    auto const escaped = next == 'u' && c == '\\' ? take_escaped(text, i) : std::nullopt;
    auto const white = escaped ? 0 : white_bytes(text, i);
    if (escaped && is_white(*escaped)) {
      space();
    } else if (escaped) {
      schema::append_code_point(result, *escaped);
    } else if (white > 0) {
      space();
      i += white - 1;
    } else if (c == '\\' && (next == 'n' || next == 't' || next == 'r' || next == 'f')) {
      space();
      ++i;
    } else if (c == '\\' && (next == '"' || next == '\\' || next == '/')) {
      // the character itself follows
    } else {
      if (!result.empty() && result.back() == ' ' && is_one_of(c, "}],:")) result.pop_back();
      result.push_back(c);
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::size_t SoughtTexts::add(std::string_view text) {
  auto const [place, is_new] = texts_.try_emplace(folded(text), texts_.size());
  if (is_new && place->first.size() >= sought_min) beginnings_.insert(beginning(place->first.data()));
  return place->second;
}

std::optional<std::size_t> SoughtTexts::find(std::string const& folded) const {
  auto const place = texts_.find(folded);
  return place == texts_.end() ? std::nullopt : std::optional{place->second};
}

std::vector<std::size_t> SoughtTexts::found_in(std::string_view prompt,
                                               std::vector<std::string> const& messages) const {
  std::set<std::size_t> found;
  std::size_t left = compared_max;
  for (std::size_t at = 0; at + sought_min <= prompt.size() && left > 0; ++at) {
    if (!beginnings_.contains(beginning(prompt.data() + at))) continue;
    bool const is_beginning = at == 0 || !is_word(character_before(prompt, at));
    // Whatever begins `rest` begins the last text that is not behind it, too: so what both share is all that is left.
    for (auto rest = prompt.substr(at); rest.size() >= sought_min && left > 0;) {
      auto next = texts_.upper_bound(rest);
      if (next == texts_.begin()) break;
      std::string_view const text = (--next)->first;
      auto const shared = static_cast<std::size_t>(std::ranges::mismatch(text, rest).in1 - text.begin());
      left -= std::min(left, shared + sought_min);
      bool const is_whole = shared == text.size();
      rest = rest.substr(0, is_whole && shared > 0 ? shared - 1 : shared);
      if (!is_whole || shared < sought_min) continue;
      auto const end = at + shared;
      bool const ends =
          end == prompt.size() || !is_word(character_at(prompt, end)) || !is_word(character_before(text, text.size()));
      if (ends && (is_beginning || !is_word(character_at(text, 0)))) found.insert(next->second);
    }
  }
  for (auto const& message : messages) {
    auto const whole = texts_.find(message);
    if (!message.empty() && whole != texts_.end()) found.insert(whole->second);
  }
  return {found.begin(), found.end()};
}

}  // namespace whence::net::plain_text
