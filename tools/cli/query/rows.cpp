// Rows to cells and to fields.

#include "tools/cli/query/rows.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/query_value.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/output/table.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// The value of a row in a column; null where the row is shorter.
json::value const& value_at(json::value const& row, std::size_t column) {
  static json::value const null;
  json::array const* const values = row.if_array();
  return values != nullptr && column < values->size() ? (*values)[column] : null;
}

Align align_of(json::array const& rows, std::size_t column) {
  bool has_number = false;
  for (json::value const& row : rows) {
    json::value const& value = value_at(row, column);
    if (!value.is_number() && !value.is_null()) return Align::left;
    has_number = has_number || value.is_number();
  }
  return has_number ? Align::right : Align::left;
}

void print_lines(std::string_view text, std::ostream& out) {
  while (!text.empty()) {
    std::string_view const line = text.substr(0, text.find('\n'));
    out << net::plain_text::shown(line) << '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

std::string csv_field(json::value const& value) {
  if (value.is_null()) return {};
  json::value const bare = net::plain_text::without_properties(value);
  std::string text = bare.is_string() ? std::string{bare.get_string()} : net::plain_text::answer_text(bare);
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

void show_query(json::object const& result, Io& io) {
  json::array const& names = schema::json::list_at(result, "columns");
  json::array const& rows = schema::json::list_at(result, "rows");
  if (!names.empty()) {
    std::vector<std::string> headers;
    for (json::value const& name : names) headers.push_back(net::plain_text::shown(net::plain_text::query_text(name)));
    std::vector<Column> columns;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      columns.push_back({.header = headers[i], .align = align_of(rows, i)});
    }
    Table table{std::move(columns)};
    for (json::value const& row : rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < headers.size(); ++i) cells.push_back(net::plain_text::query_text(value_at(row, i)));
      table.add(cells);
    }
    table.print_with_header(io);
  }
  if (std::string const plan = net::plain_text::cell(result, "plan"); !plan.empty()) print_lines(plan, io.data);
}

void tell_query_warnings(json::object const& result, Io& io) {
  for (json::value const& warning : schema::json::list_at(result, "warnings")) {
    if (!warning.is_object()) continue;
    json::object const& members = warning.get_object();
    io.talk << "whence: warning: line " << net::plain_text::cell(members, "line") << ", column "
            << net::plain_text::cell(members, "column") << ": "
            << net::plain_text::shown(net::plain_text::cell(members, "message")) << '\n';
  }
}

std::string csv_record(json::array const& values) {
  std::string record;
  bool is_first = true;
  for (json::value const& value : values) {
    if (!is_first) record += ',';
    is_first = false;
    record += csv_field(value);
  }
  // A line without anything would be no record of one empty field.
  if (record.empty() && values.size() == 1) record = "\"\"";
  return record + "\r\n";
}

}  // namespace whence::tools
