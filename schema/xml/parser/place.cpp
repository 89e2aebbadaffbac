// Counting lines as XML does: CR, LF and CR LF end one each.
#include "schema/xml/parser/place.hpp"

#include "schema/base/byte_block.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/code_points.hpp"
#include "schema/xml/values.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace whence::schema::xml {
namespace {

constexpr std::string_view mark_bytes = "\xEF\xBB\xBF";

/// The byte behind `end`, searched from `at`.
std::size_t behind(std::string_view bytes, std::string_view end, std::size_t at) noexcept {
  std::size_t const found = bytes.find(end, at);
  return found == std::string_view::npos ? bytes.size() : found + end.size();
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
  if (byte == '\n' || (byte == '\r' && !is_newline(cursor.offset))) {
    ++cursor.mark.line;
    ++cursor.place.line;
    cursor.mark.column = cursor.place.column = 1;
  } else if (byte != '\r' && (byte & 0xC0U) != 0x80U) {
    cursor.mark.column += byte >= 0xF0 ? 2 : 1;
    ++cursor.place.column;
  }
}

void Places::skip_lines(Cursor& cursor, std::uint64_t line) const noexcept {
  auto const begin_line = [&cursor](std::size_t offset) {
    cursor = {.offset = offset,
              .mark = {.line = cursor.mark.line + 1, .column = 1},
              .place = {.line = cursor.place.line + 1, .column = 1}};
  };
  std::size_t at = cursor.offset;
  for (; cursor.mark.line < line && bytes_.size() - at >= ByteBlock::size; at += ByteBlock::size) {
    ByteBlock const block(bytes_.data() + at);
    auto ends = block.equal_to('\n');
    if (auto const returns = block.equal_to('\r'); returns != 0) ends |= lone_returns(at, returns, ends);
    for (; ends != 0 && cursor.mark.line < line; ends &= ends - 1) {
      begin_line(at + static_cast<std::size_t>(std::countr_zero(ends)) + 1);
    }
  }
  for (; cursor.mark.line < line && at < bytes_.size(); ++at) {
    bool const is_end = bytes_[at] == '\n' || (bytes_[at] == '\r' && !is_newline(at + 1));
    if (is_end) begin_line(at + 1);
  }
}

std::uint32_t Places::lone_returns(std::size_t at, std::uint32_t returns, std::uint32_t newlines) const noexcept {
  auto const behind = static_cast<std::uint32_t>(is_newline(at + ByteBlock::size)) << (ByteBlock::size - 1);
  return returns & ~(newlines >> 1U | behind);
}

bool Places::is_newline(std::size_t offset) const noexcept {
  return offset < bytes_.size() && bytes_[offset] == '\n';
}

void Places::skip_blocks(Cursor& cursor, std::size_t end, std::uint64_t column) const noexcept {
  auto [offset, mark, place] = cursor;
  for (; end - offset >= ByteBlock::size && column - mark.column >= ByteBlock::size; offset += ByteBlock::size) {
    ByteBlock const block(bytes_.data() + offset);
    if ((block.equal_to('\n') | block.equal_to('\r')) != 0) break;
    std::size_t begun = ByteBlock::size;
    if (block.beyond_ascii() != 0) {
      begun -= static_cast<std::size_t>(std::popcount(block.continuing()));
      mark.column += static_cast<std::size_t>(std::popcount(block.leading_four()));  // two units of UTF-16
    }
    mark.column += begun;
    place.column += begun;
  }
  cursor = {offset, mark, place};
}

std::size_t Places::offset_of(Mark mark) noexcept {
  constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();
  if (mark < marks_.mark) marks_ = start();
  skip_lines(marks_, mark.line);
  while (marks_.offset < bytes_.size() && marks_.mark < mark) {
    skip_blocks(marks_, bytes_.size(), marks_.mark.line == mark.line ? mark.column : unbounded);
    if (marks_.offset < bytes_.size() && marks_.mark < mark) step(marks_);
  }
  // The bytes that continue the last character.
  while (marks_.offset < bytes_.size() && is_continuation(bytes_[marks_.offset])) ++marks_.offset;
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
    skip_blocks(places_, end, std::numeric_limits<std::uint64_t>::max());
    if (places_.offset < end) step(places_);
  }
  return places_.place;
}

}  // namespace whence::schema::xml
