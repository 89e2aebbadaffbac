#pragma once
// Text tables, aligned by display width, with control characters escaped.

#include "tools/cli/io.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// `text` with everything that could control a terminal replaced by an escape: control characters (`\n`, `\u001b`) and
/// marks of writing direction. `text` is UTF-8; ill-formed bytes become U+FFFD.
[[nodiscard]] std::string shown(std::string_view text);

/// Columns a terminal needs for `text`: 2 for wide East Asian characters and emoji, 0 for combining marks, else 1.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The beginning of `text` that fits into `width` columns, with an ellipsis where something was cut.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string_view header;
  Align align = Align::left;
};

/// Rows under aligned headers. Cells are escaped by `shown` when added.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  /// One cell per column.
  void add(std::vector<std::string> const& cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

  /// Prints header and rows to `io.data`, the last column cut to the terminal's width. Without rows nothing is printed.
  void print(Io& io) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

}  // namespace whence::tools
