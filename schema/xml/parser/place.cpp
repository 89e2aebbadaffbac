// Counting lines as XML does: CR, LF and CR LF end one each.
#include "schema/xml/parser/place.hpp"

#include "schema/xml/values.hpp"

#include <algorithm>

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

std::size_t Places::offset_of(Mark mark) noexcept {
  if (mark < marks_.mark) marks_ = start();
  while (marks_.offset < bytes_.size() && marks_.mark < mark) step(marks_);
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

Place Places::place_of(std::size_t offset) noexcept {
  if (offset < places_.offset) places_ = start();
  while (places_.offset < std::min(offset, bytes_.size())) step(places_);
  return places_.place;
}

}  // namespace whence::schema::xml
