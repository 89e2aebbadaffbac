#pragma once
// Text tables, aligned by display width, with control characters escaped.

#include "tools/cli/process/io.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

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

  /// The same, but without rows the header alone.
  void print_with_header(Io& io) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

}  // namespace whence::tools
