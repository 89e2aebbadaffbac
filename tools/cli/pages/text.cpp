// Headings, facts and texts.

#include "tools/cli/pages/text.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/time.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/encoding/code_points.hpp"
#include "schema/json/members.hpp"

#include <algorithm>
#include <ostream>

namespace whence::tools {
namespace {

constexpr std::size_t text_bytes_max = std::size_t{16} << 10;

}  // namespace

void print_heading(std::string_view title, Io& io) {
  std::string const cleaned = net::plain_text::shown(schema::in_upper(title));
  io.data << '\n' << (io.has_colour ? "\x1b[1m" + cleaned + "\x1b[0m" : cleaned) << '\n';
}

void print_fact(std::string_view name, std::string_view value, Io& io) {
  if (!value.empty()) io.data << net::plain_text::shown(name) << ": " << net::plain_text::shown(value) << '\n';
}

// Line by line, because `shown` would escape the line breaks.
void print_lines(std::string_view text, std::string_view indent, Io& io) {
  std::size_t end = std::min(text.size(), text_bytes_max);
  while (end < text.size() && end > 0 && schema::is_continuation(text[end])) --end;
  std::size_t const left_out = text.size() - end;
  std::string_view rest = text.substr(0, end);
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    io.data << (line.empty() ? std::string_view{} : indent) << net::plain_text::shown(line) << '\n';
  }
  if (left_out > 0)
    io.data << indent << "(" << net::plain_text::grouped(left_out) << " more bytes; --json has all of it)\n";
}

void print_text(std::string_view title, std::string_view text, Io& io) {
  if (text.empty()) return;
  print_heading(title, io);
  print_lines(text, "  ", io);
}

void print_whether_more(boost::json::object const& answer, std::string_view how, Io& io) {
  if (answer.contains("cursor")) io.data << "there are more: " << net::plain_text::shown(how) << '\n';
}

boost::json::object const& record_in(boost::json::value const& node) {
  static boost::json::object const none;
  return node.is_object() ? schema::json::object_at(node.get_object(), "record") : none;
}

std::string time_in(boost::json::object const& record, std::string_view name) {
  boost::json::value const* const value = record.if_contains(name);
  if (value != nullptr && value->is_int64())
    return schema::format_rfc3339(schema::time_of(schema::EpochMs{value->get_int64()}));
  return net::plain_text::cell(record, name);
}

}  // namespace whence::tools
