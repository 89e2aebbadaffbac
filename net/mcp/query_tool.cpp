// Rows as lines, and the vocabulary of the graph as text.

#include "net/mcp/query_tool.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/query_value.hpp"
#include "schema/json/members.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/records/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace whence::net::mcp {
namespace {

namespace json = boost::json;

/// Ends that are more types than this are "any".
constexpr std::size_t ends_shown_max = 10;

/// What joins the members of a list.
void add_word(std::string& text, std::string_view word, std::string_view separator) {
  if (!text.empty()) text += separator;
  text += word;
}

std::string members_of(schema::RecordType type) {
  std::string members;
  auto const blank = schema::blank_record(type);
  if (!blank) return members;
  std::visit(
      [&]<class T>(T const& /*record*/) {
        schema::for_each_field<T>([&](auto const& field) { add_word(members, field.name, ", "); });
      },
      *blank);
  return members;
}

/// The types of one edge's ends.
struct EdgeEnds {
  std::set<schema::RecordType> from = {};
  std::set<schema::RecordType> to = {};
};

std::string names_of_ends(std::set<schema::RecordType> const& types) {
  if (types.size() > ends_shown_max) return "any";
  std::string names;
  for (auto const type : types) add_word(names, schema::name_of(type), "|");
  return names;
}

/// The property that an edge has besides `tx`; empty where it is none of these.
std::string_view property_of(schema::Carries carries) {
  switch (carries) {
    case schema::Carries::weight:
      return " {weight}";
    case schema::Carries::version:
      return " {version}";
    case schema::Carries::score:
      return " {score}";
    case schema::Carries::confidence:
      return " {confidence}";
    case schema::Carries::similarity:
      return " {similarity}";
    case schema::Carries::rank:
      return " {rank}";
    case schema::Carries::none:
    case schema::Carries::time:
    case schema::Carries::citation:
    case schema::Carries::relation:
      break;
  }
  return {};
}

std::string line_of_row(json::value const& row) {
  std::string line;
  bool is_first = true;
  for (auto const& value : row.as_array()) {
    if (!is_first) line += " | ";
    is_first = false;
    line += value.is_null() ? "null" : plain_text::query_text(value);
  }
  return line + "\n";
}

}  // namespace

std::string graph_schema_text() {
  std::string text =
      "Labels and properties; every node also has ref, id and tx (the transaction that made it), sources also status, "
      "score and feedbacks:\n";
  for (auto const& type : schema::record_types()) {
    if (type.is_node) text += std::string(type.name) + ": " + members_of(type.type) + "\n";
  }
  std::map<schema::EdgeType, EdgeEnds> edges;
  for (auto const& rule : schema::edge_rules()) {
    edges[rule.type].from.insert(rule.from);
    edges[rule.type].to.insert(rule.to);
  }
  text += "Relations, from -> to:\n";
  for (auto const& [type, ends] : edges) {
    text += std::string(schema::name_of(type)) + std::string(property_of(schema::carried_by(type))) + ": " +
            names_of_ends(ends.from) + " -> " + names_of_ends(ends.to) + "\n";
  }
  text +=
      "A timestamp that is a text of RFC 3339 in records is a datetime here: it compares with datetime('...') and "
      "with texts of times; functions of texts want toString(n.timestamp).\n"
      "Procedures, whose rows compose with MATCH: CALL whence.impact.analyze(ref, {options}) YIELD node, share, and "
      "so each read method; SHOW PROCEDURES lists them.\n";
  return text;
}

ToolAnswer query(Call const& call, json::object const& arguments) {
  return fitted(arguments, 50, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto params = params_from(arguments, {"cypher", "params"});
    add_moment(params, arguments);
    params["limit"] = limit;
    auto const answer = ask(call, "query", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    for (auto const& name : schema::json::list_at(*answer, "columns"))
      add_word(made.text, std::string_view{name.as_string()}, " | ");
    made.text += "\n";
    json::array rows;
    for (auto const& row : schema::json::list_at(*answer, "rows")) {
      made.text += line_of_row(row);
      rows.push_back(plain_text::without_properties(row));
    }
    if (rows.empty()) made.text += "No rows.\n";
    bool const is_complete = answer->at("complete").as_bool();
    if (!is_complete) made.text += "\nThere are more rows: ask for fewer, or give a higher limit.\n";
    made.data = {{"tx", answer->at("tx")},
                 {"complete", is_complete},
                 {"columns", schema::json::list_at(*answer, "columns")},
                 {"rows", std::move(rows)}};
    for (auto const& warning : schema::json::list_at(*answer, "warnings"))
      made.text += "\nWarning: " + plain_text::cell(warning.as_object(), "message") + "\n";
    if (auto const plan = plain_text::cell(*answer, "plan"); !plan.empty()) {
      made.text += "\n" + plan;
      made.data["plan"] = plan;
    }
    return made;
  });
}

}  // namespace whence::net::mcp
