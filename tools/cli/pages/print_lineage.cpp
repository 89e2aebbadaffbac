// Parts about what a node was made from, what was made from it, and how it was judged.

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "schema/json/members.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"
#include "tools/cli/output/labels.hpp"
#include "tools/cli/output/table.hpp"
#include "tools/cli/pages/print.hpp"
#include "tools/cli/pages/text.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

enum class Side : std::uint8_t { causes, effects, related };

/// What the other end of an edge is to `ref`; the edge is one of `ref`'s.
Side side_of(json::object const& edge, std::string_view ref) {
  auto const type = schema::find_edge_type(cell(edge, "type"));
  auto const from = schema::parse_ref(cell(edge, "from"));
  if (!type || !from) return Side::related;
  schema::Influence const influence = schema::influence_of(*type, from->type);
  if (influence == schema::Influence::none) return Side::related;
  bool const is_from_cause = influence == schema::Influence::along;
  bool const is_other_from = cell(edge, "from") != ref;
  return is_other_from == is_from_cause ? Side::causes : Side::effects;
}

/// The nodes of an answer by their refs.
std::map<std::string, json::object const*, std::less<>> nodes_by_ref(json::object const& answer) {
  std::map<std::string, json::object const*, std::less<>> nodes;
  for (json::value const& node : schema::json::list_at(answer, "nodes")) {
    if (node.is_object()) nodes[cell(node.get_object(), "ref")] = &node.get_object();
  }
  return nodes;
}

/// How many neighbours of `ref` on a side the answer leaves out.
std::uint64_t left_out(json::object const& answer, std::string_view ref, char const* side) {
  for (json::value const& item : schema::json::list_at(answer, "frontier")) {
    if (!item.is_object() || cell(item.get_object(), "ref") != ref) continue;
    json::value const* const count = item.get_object().if_contains(side);
    return count != nullptr && count->is_int64() ? static_cast<std::uint64_t>(count->get_int64()) : 0;
  }
  return 0;
}

/// The neighbours of the page's node on one side, with their number where not all are in the answer.
void print_side(PageNode const& node, json::object const& answer, Side side, std::string_view title,
                std::uint64_t hidden, Io& io) {
  auto const nodes = nodes_by_ref(answer);
  Table table{{{"EDGE"}, {"WEIGHT", Align::right}, {"REF"}, {"LABEL"}}};
  std::uint64_t count = hidden;
  for (json::value const& item : schema::json::list_at(answer, "edges")) {
    if (!item.is_object()) continue;
    json::object const& edge = item.get_object();
    std::string const from = cell(edge, "from");
    if ((from != node.ref && cell(edge, "to") != node.ref) || side_of(edge, node.ref) != side) continue;
    std::string const other = from == node.ref ? cell(edge, "to") : from;
    auto const found = nodes.find(other);
    table.add({cell(edge, "type"), cell(edge, "weight"), other,
               found != nodes.end() ? label_of_node(*found->second) : std::string{}});
    ++count;
  }
  if (count == 0) return;
  print_heading(std::string{title} + ": " + net::plain_text::grouped(count), io);
  table.print(io);
  if (hidden > 0) io.data << "and " << net::plain_text::grouped(hidden) << " more\n";
}

/// The weights of a response's sources by their refs.
std::map<std::string, std::string, std::less<>> weights_in(json::object const& record) {
  std::map<std::string, std::string, std::less<>> weights;
  for (json::value const& item : schema::json::list_at(record, "context_units")) {
    if (!item.is_object()) continue;
    std::string ref = cell(item.get_object(), "ref");
    if (ref.empty()) ref = "ContextUnit:" + cell(item.get_object(), "context_unit_id");
    weights[ref] = cell(item.get_object(), "weight");
  }
  return weights;
}

/// A share as ten blocks.
std::string bar_of(json::object const& node) {
  constexpr int blocks_max = 10;
  json::value const* const share = node.if_contains("share");
  double const part = share != nullptr && share->is_number() ? share->to_number<double>() : 0;
  auto const blocks = std::lround(part * blocks_max);
  std::string bar;
  for (int i = 0; i < blocks_max; ++i) bar += i < blocks ? "\u2588" : "\u2591";
  return bar;
}

}  // namespace

void print_sources(PageNode const& node, json::object const& answer, Io& io) {
  auto const weights = weights_in(node.record);
  Table table{{{"SHARE", Align::right}, {""}, {"WEIGHT", Align::right}, {"REF"}, {"STATUS"}, {"LABEL"}}};
  for (json::value const& item : schema::json::list_at(answer, "nodes")) {
    if (!item.is_object()) continue;
    json::object const& source = item.get_object();
    auto const weight = weights.find(cell(source, "ref"));
    table.add({cell(source, "share"), bar_of(source), weight != weights.end() ? weight->second : std::string{},
               cell(source, "ref"), cell(source, "status"), label_of_node(source)});
  }
  if (table.empty()) return;
  print_heading("sources, by their share", io);
  table.print(io);
  print_whether_more(answer, "whence influence " + node.ref, io);
}

void print_uses(PageNode const& node, json::object const& answer, Io& io) {
  print_side(node, answer, Side::effects, "made from it", left_out(answer, node.ref, "effects"), io);
}

void print_neighbours(PageNode const& node, json::object const& answer, Io& io) {
  print_side(node, answer, Side::causes, "made from", 0, io);
  print_side(node, answer, Side::effects, "made from it", 0, io);
  print_side(node, answer, Side::related, "belongs together with", 0, io);
  // Relations are counted with the causes and effects.
  std::uint64_t const hidden = left_out(answer, node.ref, "causes") + left_out(answer, node.ref, "effects");
  if (hidden > 0) io.data << "and " << net::plain_text::grouped(hidden) << " more neighbours\n";
}

void print_impact(PageNode const& node, json::object const& answer, Io& io) {
  json::object const& counts = schema::json::object_at(schema::json::object_at(answer, "counts"), "by_type");
  if (counts.empty()) return;
  print_heading("responses and answers that rest on it", io);
  for (auto const& member : counts) {
    std::string const count = member.value().is_int64()
                                  ? net::plain_text::grouped(static_cast<std::uint64_t>(member.value().get_int64()))
                                  : cell(counts, member.key());
    print_fact(member.key(), count, io);
  }
  Table table{{{"SHARE", Align::right}, {"DEPTH", Align::right}, {"REF"}, {"LABEL"}}};
  for (json::value const& item : schema::json::list_at(answer, "nodes")) {
    if (!item.is_object()) continue;
    json::object const& each = item.get_object();
    table.add({cell(each, "share"), cell(each, "depth"), cell(each, "ref"), label_of_node(each)});
  }
  table.print(io);
  print_whether_more(answer, "whence impact " + node.ref, io);
}

void print_ratings(PageNode const& node, json::object const& answer, Io& io) {
  json::array const& records = schema::json::list_at(answer, "records");
  if (records.empty()) return;
  print_heading("ratings", io);
  for (std::string_view name : {"mean_score", "aggregate_score", "feedback_count"})
    print_fact(name, cell(answer, name), io);
  Table table{{{"SCORE", Align::right}, {"TIME"}, {"USER"}, {"REF"}, {"TEXT"}}};
  for (json::value const& item : records) {
    if (!item.is_object()) continue;
    json::object const& each = item.get_object();
    table.add({cell(each, "score"), cell(each, "timestamp"), cell(each, "user_id"),
               "FeedbackRecord:" + cell(each, "id"),
               each.contains("expired") ? label_of_node(each) : cell(each, "feedback_text")});
  }
  table.print(io);
  print_whether_more(answer, "whence feedback " + node.ref, io);
}

void print_versions(PageNode const& node, json::object const& answer, Io& io) {
  json::array const& versions = schema::json::list_at(answer, "versions");
  if (versions.size() < 2) return;
  print_heading("versions", io);
  Table table{{{""}, {"REF"}, {"STATUS"}, {"TIME"}, {"LABEL"}}};
  for (json::value const& item : versions) {
    if (!item.is_object()) continue;
    json::object const& each = item.get_object();
    std::string const ref = cell(each, "ref");
    table.add({ref == node.ref ? "*" : "", ref, cell(each, "status"), net::plain_text::time_of(record_in(item)),
               label_of_node(each)});
  }
  table.print(io);
  print_whether_more(answer, "whence versions " + node.ref, io);
}

void print_history(PageNode const& node, json::object const& answer, Io& io) {
  json::array const& events = schema::json::list_at(answer, "events");
  if (events.empty()) return;
  print_heading("history", io);
  Table table{{{"TX", Align::right}, {"AT"}, {"OP"}, {"SCORE", Align::right}, {"STATUS"}}};
  for (json::value const& item : events) {
    if (!item.is_object()) continue;
    json::object const& each = item.get_object();
    table.add({cell(each, "tx"), cell(each, "at"), cell(each, "op"), cell(each, "score"), cell(each, "status")});
  }
  table.print(io);
  print_whether_more(answer, "whence history " + node.ref, io);
}

}  // namespace whence::tools
