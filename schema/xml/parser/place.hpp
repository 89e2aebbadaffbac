#pragma once
// From a position as Xerces reports it to the line and column that an editor shows.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace whence::schema::xml {

/// A position as Xerces reports it: columns are UTF-16 units, and it is just behind the text read.
struct Mark {
  std::uint64_t line = 1;
  std::uint64_t column = 1;

  friend auto operator<=>(Mark const&, Mark const&) = default;
};

/// Line and column in characters, both from 1. A byte order mark is no character.
struct Place {
  std::uint64_t line = 1;
  std::uint64_t column = 1;
};

/// Finds places in one document (well-formed UTF-8, or its well-formed start). Asked in document order, all questions
/// together cost one pass; a question that goes back starts a new one.
class Places {
 public:
  /// `bytes` outlive it.
  explicit Places(std::string_view bytes) noexcept : bytes_(bytes) {}

  /// The byte at `mark`; the end where it lies behind that.
  [[nodiscard]] std::size_t offset_of(Mark mark) noexcept;
  /// The `<` of the tag that ends at `offset`: neither start nor end tags hold a second one.
  [[nodiscard]] std::size_t tag_before(std::size_t offset) const noexcept;
  /// The first byte from `offset` on that is neither white space nor part of a comment or a processing instruction.
  [[nodiscard]] std::size_t text_after(std::size_t offset) const noexcept;
  [[nodiscard]] Place place_of(std::size_t offset) noexcept;

 private:
  struct Cursor {
    std::size_t offset = 0;
    Mark mark = {};
    Place place = {};
  };
  [[nodiscard]] Cursor start() const noexcept;
  void step(Cursor& cursor) const noexcept;
  [[nodiscard]] bool is_newline(std::size_t offset) const noexcept;
  /// The CR in the block at `at` that end lines: those with no LF behind.
  [[nodiscard]] std::uint32_t lone_returns(std::size_t at, std::uint32_t returns,
                                           std::uint32_t newlines) const noexcept;
  /// To the start of `line` or, where the document has fewer, of the last one. The place of a warning at the end of a
  /// document is found by reading all of it, so columns are counted in its own line only.
  void skip_lines(Cursor& cursor, std::uint64_t line) const noexcept;
  /// As steps by blocks while these end no line and lie before `end` and, as marks count, before `column`.
  void skip_blocks(Cursor& cursor, std::size_t end, std::uint64_t column) const noexcept;
  /// The place of a byte before the last mark that was asked for, in its line; else nothing. Tags end at marks.
  [[nodiscard]] std::optional<Place> place_before_mark(std::size_t offset) const noexcept;

  std::string_view bytes_;
  Cursor marks_ = start();
  Cursor places_ = start();
};

/// The byte behind white space, comments and processing instructions from `at` on; the end where one of them does not
/// end.
[[nodiscard]] std::size_t skip_misc(std::string_view bytes, std::size_t at) noexcept;

/// The length of a byte order mark at the start: 3 or 0.
[[nodiscard]] std::size_t byte_order_mark(std::string_view bytes) noexcept;

}  // namespace whence::schema::xml
