// Counting lines as XML does: CR, LF and CR LF end one each.
#include "schema/xml/parser/place.hpp"

#include "schema/base/text.hpp"
#include "schema/xml/values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace whence::schema::xml {
namespace {

constexpr std::string_view mark_bytes = "\xEF\xBB\xBF";

/// The byte behind `end`, searched from `at`.
std::size_t behind(std::string_view bytes, std::string_view end, std::size_t at) noexcept {
  std::size_t const found = bytes.find(end, at);
  return found == std::string_view::npos ? bytes.size() : found + end.size();
}

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

constexpr std::uint64_t ones = 0x0101010101010101U;
constexpr std::uint64_t tops = 0x8080808080808080U;

/// Whether one of the eight bytes is `byte`.
constexpr bool has_byte(std::uint64_t word, std::uint64_t byte) noexcept {
  auto const zeroed = word ^ (ones * byte);
  return ((zeroed - ones) & ~zeroed & tops) != 0;
}

/// How many of the eight bytes have their bit of `tops` set in `bits`.
constexpr std::uint64_t count(std::uint64_t bits) noexcept {
  return ((bits & tops) >> 7U) * ones >> 56U;
}

}  // namespace

std::size_t byte_order_mark(std::string_view bytes) noexcept {
  return bytes.starts_with(mark_bytes) ? mark_bytes.size() : 0;
}

std::size_t skip_misc(std::string_view bytes, std::size_t at) noexcept {
  while (at < bytes.size()) {
    std::string_view const rest = bytes.substr(at);
    if (is_white(rest.front())) {
      ++at;
    } else if (rest.starts_with("<!--")) {
      at = behind(bytes, "-->", at + 4);
    } else if (rest.starts_with("<?")) {
      at = behind(bytes, "?>", at + 2);
    } else {
      break;
    }
  }
  return at;
}

Places::Cursor Places::start() const noexcept {
  return {.offset = byte_order_mark(bytes_)};
}

void Places::step(Cursor& cursor) const noexcept {
  auto const byte = static_cast<unsigned char>(bytes_[cursor.offset++]);
  bool const is_before_newline = cursor.offset < bytes_.size() && bytes_[cursor.offset] == '\n';
  if (byte == '\n' || (byte == '\r' && !is_before_newline)) {
    ++cursor.mark.line;
    ++cursor.place.line;
    cursor.mark.column = cursor.place.column = 1;
  } else if (byte != '\r' && (byte & 0xC0U) != 0x80U) {
    cursor.mark.column += byte >= 0xF0 ? 2 : 1;
    ++cursor.place.column;
  }
}

void Places::skip_words(Cursor& cursor, std::size_t end, std::uint64_t column) const noexcept {
  auto [offset, mark, place] = cursor;
  for (std::uint64_t word = 0; end - offset >= word_bytes && column - mark.column >= word_bytes; offset += word_bytes) {
    std::memcpy(&word, bytes_.data() + offset, word_bytes);
    if (has_byte(word, '\n') || has_byte(word, '\r')) break;
    auto const begun = word_bytes - count(word & (~word << 1U));                      // all but bytes 10xxxxxx
    mark.column += begun + count(word & (word << 1U) & (word << 2U) & (word << 3U));  // and bytes 1111xxxx twice
    place.column += begun;
  }
  cursor = {offset, mark, place};
}

std::size_t Places::offset_of(Mark mark) noexcept {
  if (mark < marks_.mark) marks_ = start();
  while (marks_.offset < bytes_.size() && marks_.mark < mark) {
    bool const is_line_found = marks_.mark.line == mark.line;
    skip_words(marks_, bytes_.size(), is_line_found ? mark.column : std::numeric_limits<std::uint64_t>::max());
    if (marks_.offset < bytes_.size() && marks_.mark < mark) step(marks_);
  }
  // The bytes that continue the last character.
  while (marks_.offset < bytes_.size() && (static_cast<unsigned char>(bytes_[marks_.offset]) & 0xC0U) == 0x80U) {
    ++marks_.offset;
  }
  return marks_.offset;
}

std::size_t Places::tag_before(std::size_t offset) const noexcept {
  std::size_t const found = bytes_.substr(0, offset).rfind('<');
  return found == std::string_view::npos ? offset : found;
}

std::size_t Places::text_after(std::size_t offset) const noexcept {
  return std::min(skip_misc(bytes_, offset), bytes_.size());
}

std::optional<Place> Places::place_before_mark(std::size_t offset) const noexcept {
  if (offset > marks_.offset || offset < byte_order_mark(bytes_)) return std::nullopt;
  auto const between = bytes_.substr(offset, marks_.offset - offset);
  if (between.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
  return Place{marks_.place.line, marks_.place.column - code_points(between)};
}

Place Places::place_of(std::size_t offset) noexcept {
  if (auto const near = place_before_mark(offset)) return *near;
  if (offset < places_.offset) places_ = start();
  auto const end = std::min(offset, bytes_.size());
  if (places_.offset < marks_.offset && marks_.offset <= end) places_ = marks_;
  while (places_.offset < end) {
    skip_words(places_, end, std::numeric_limits<std::uint64_t>::max());
    if (places_.offset < end) step(places_);
  }
  return places_.place;
}

}  // namespace whence::schema::xml
