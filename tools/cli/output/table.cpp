// The layout of tables.

#include "tools/cli/output/table.hpp"

#include "net/plain_text/shown.hpp"

#include <algorithm>
#include <cassert>
#include <ostream>
#include <utility>

namespace whence::tools {
namespace {

constexpr std::string_view gap = "  ";

void print_cell(std::ostream& out, std::string_view text, std::size_t width, Align align, bool is_last) {
  std::size_t const used = net::plain_text::display_width(text);
  std::string const padding(width > used ? width - used : 0, ' ');
  if (align == Align::right) out << padding;
  out << text;
  if (align == Align::left && !is_last) out << padding;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column const& column : columns_) widths_.push_back(net::plain_text::display_width(column.header));
}

void Table::add(std::vector<std::string> const& cells) {
  assert(cells.size() == columns_.size());
  std::vector<std::string>& row = rows_.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.push_back(net::plain_text::shown(cells[i]));
    widths_[i] = std::max(widths_[i], net::plain_text::display_width(row.back()));
  }
}

void Table::print(Io& io) const {
  if (!rows_.empty()) print_with_header(io);
}

void Table::print_with_header(Io& io) const {
  std::size_t const last = columns_.size() - 1;
  std::size_t before_last = 0;
  for (std::size_t i = 0; i < last; ++i) before_last += widths_[i] + gap.size();
  std::size_t const room = io.columns > before_last + 8 ? io.columns - before_last : 0;  // 0: wrap, nothing else fits

  if (io.has_colour) io.data << "\x1b[1m";
  for (std::size_t i = 0; i <= last; ++i) {
    print_cell(io.data, columns_[i].header, widths_[i], columns_[i].align, i == last);
    if (i != last) io.data << gap;
  }
  io.data << (io.has_colour ? "\x1b[0m\n" : "\n");
  for (std::vector<std::string> const& row : rows_) {
    for (std::size_t i = 0; i <= last; ++i) {
      std::string const cell = i == last && room != 0 ? net::plain_text::fit(row[i], room) : row[i];
      print_cell(io.data, cell, i == last && room != 0 ? std::min(room, widths_[i]) : widths_[i], columns_[i].align,
                 i == last);
      if (i != last) io.data << gap;
    }
    io.data << '\n';
  }
}

}  // namespace whence::tools
