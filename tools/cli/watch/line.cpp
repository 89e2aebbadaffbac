// Formatting events. Each line is laid out by itself, because later lines are not known yet.

#include "tools/cli/watch/line.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "net/plain_text/shown.hpp"

#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view line_gap = "  ";
constexpr std::size_t op_columns = 7;   ///< of the longest, `version`
constexpr std::size_t room_least = 16;  ///< less is not worth cutting for

struct OpColour {
  std::string_view op;
  std::string_view colour;
};
constexpr OpColour colours[] = {{"put", "\x1b[32m"},    {"version", "\x1b[36m"}, {"status", "\x1b[33m"},
                                {"delete", "\x1b[31m"}, {"expire", "\x1b[31m"},  {"changed", "\x1b[33m"}};

std::string coloured(std::string_view text, std::string_view op) {
  for (OpColour const& row : colours) {
    if (row.op == op) return std::string{row.colour}.append(text).append("\x1b[0m");
  }
  return std::string{text};
}

void add_fact(std::string& facts, std::string_view fact) {
  if (!fact.empty()) facts.append(line_gap).append(fact);
}

std::string count_of_edges(json::object const& event) {
  json::value const* const edges = event.if_contains("edges");
  if (edges == nullptr || !edges->is_array() || edges->get_array().empty()) return {};
  std::size_t const count = edges->get_array().size();
  return std::to_string(count) + (count == 1 ? " edge" : " edges");
}

/// Everything after the ref.
std::string facts_of(json::object const& event) {
  std::string facts;
  for (std::string_view mark : {"snapshot", "entered", "purged"}) {
    if (event.contains(mark)) add_fact(facts, mark);
  }
  add_fact(facts, net::plain_text::cell(event, "status"));
  if (std::string const score = net::plain_text::cell(event, "score"); !score.empty())
    add_fact(facts, "score " + score);
  if (event.contains("newer")) add_fact(facts, "newer " + net::plain_text::cell(event, "newer"));
  json::value const* const record = event.if_contains("record");
  if (record != nullptr && record->is_object()) add_fact(facts, net::plain_text::details(record->get_object()));
  add_fact(facts, count_of_edges(event));
  return facts;
}

}  // namespace

std::string watch_line(json::object const& event, Io const& io) {
  std::string const when =
      net::plain_text::shown(net::plain_text::cell(event, "at") + "  tx " + net::plain_text::cell(event, "tx")) +
      std::string{line_gap};
  std::string op = net::plain_text::shown(net::plain_text::cell(event, "op"));
  std::string const padding(op.size() < op_columns ? op_columns - op.size() : 0, ' ');
  std::string what =
      padding + std::string{line_gap} + net::plain_text::shown(net::plain_text::cell(event, "ref") + facts_of(event));
  std::size_t const used = net::plain_text::display_width(when) + net::plain_text::display_width(op);
  if (io.columns > used + room_least) what = net::plain_text::fit(what, io.columns - used);
  return when + (io.has_colour ? coloured(op, op) : op) + what;
}

}  // namespace whence::tools
