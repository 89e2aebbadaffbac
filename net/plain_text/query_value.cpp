// Nodes, relations and paths are recognised by the members that they have.

#include "net/plain_text/query_value.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net::plain_text {
namespace {

namespace json = boost::json;

/// Fractions beyond this are printed in full: six digits would round them to whole numbers.
constexpr double rounded_max = 1e5;

/// The object that `value` is, if it has these members and no others.
json::object const* find_shape(json::value const& value, std::initializer_list<std::string_view> members) {
  json::object const* const object = value.if_object();
  if (object == nullptr || object->size() != members.size()) return nullptr;
  bool const has_all = std::ranges::all_of(members, [object](std::string_view each) { return object->contains(each); });
  return has_all ? object : nullptr;
}

json::object const* find_node_value(json::value const& value) {
  json::object const* const node = find_shape(value, {"ref", "labels", "properties"});
  return node != nullptr && node->at("properties").is_object() && node->at("labels").is_array() ? node : nullptr;
}

json::object const* find_relation_value(json::value const& value) {
  json::object const* const relation = find_shape(value, {"type", "from", "to", "properties"});
  return relation != nullptr && relation->at("properties").is_object() ? relation : nullptr;
}

json::object const* find_path_value(json::value const& value) {
  json::object const* const path = find_shape(value, {"nodes", "relations"});
  return path != nullptr && path->at("nodes").is_array() && path->at("relations").is_array() ? path : nullptr;
}

/// The ref, the label, and what became of the node unless it is as it was recorded.
std::string node_text(json::object const& node) {
  std::string text = cell(node, "ref");
  json::object record = node.at("properties").get_object();
  json::array const& labels = node.at("labels").get_array();
  if (!labels.empty()) record["$type$"] = labels.front();
  if (std::string const words = label(record); !words.empty()) text += "  " + words;
  if (cell(record, "status") == "deprecated") text += "  [deprecated]";
  return text;
}

/// What is between the brackets: of an influence also the edge's own type.
std::string relation_words(json::object const& relation) {
  std::string words = cell(relation, "type");
  json::object const& properties = relation.at("properties").get_object();
  for (char const* const member : {"type", "weight", "confidence"}) {
    if (std::string const word = cell(properties, member); !word.empty()) words += " " + word;
  }
  return words;
}

std::string path_text(json::object const& path) {
  json::array const& nodes = path.at("nodes").get_array();
  json::array const& relations = path.at("relations").get_array();
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_object()) continue;
    std::string const ref = cell(nodes[i].get_object(), "ref");
    if (i > 0 && i <= relations.size() && relations[i - 1].is_object()) {
      json::object const& relation = relations[i - 1].get_object();
      std::string const words = "[" + (find_relation_value(relations[i - 1]) ? relation_words(relation) : "") + "]";
      bool const is_along = cell(relation, "to") == ref;
      text += is_along ? " -" + words + "-> " : " <-" + words + "- ";
    }
    text += ref;
  }
  return text;
}

std::string fraction_text(json::value const& value) {
  double const number = value.get_double();
  if (std::abs(number) >= rounded_max) return answer_text(value);
  if (number == 0 && std::signbit(number)) return "-0.0";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

void write_answer(schema::json::Writer& out, json::value const& value) {
  auto const special = value.is_double() ? special_float(value.get_double()) : std::string{};
  if (!special.empty()) {
    out.raw(special);
  } else if (json::array const* const list = value.if_array()) {
    out.begin_array();
    for (json::value const& each : *list) write_answer(out, each);
    out.end_array();
  } else if (json::object const* const map = value.if_object()) {
    out.begin_object();
    for (auto const& member : *map) write_answer(out.key(member.key()), member.value());
    out.end_object();
  } else {
    out.raw(schema::json::to_text(value));
  }
}

}  // namespace

std::string special_float(double value) {
  constexpr double int64_end = 9223372036854775808.0;
  if (value == 0 && std::signbit(value)) return "-0.0";
  if (value < int64_end || value >= 2 * int64_end) return {};
  std::array<char, 32> buffer;
  auto const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  return {buffer.data(), end};
}

std::string answer_text(json::value const& value) {
  std::string text;
  schema::json::Writer out{text};
  write_answer(out, value);
  return text;
}

json::value without_properties(json::value const& value) {
  if (json::object const* const node = find_node_value(value)) return json::value(cell(*node, "ref"));
  if (find_relation_value(value) != nullptr || find_path_value(value) != nullptr) return json::value(query_text(value));
  if (json::array const* const list = value.if_array()) {
    json::array bare;
    for (json::value const& each : *list) bare.push_back(without_properties(each));
    return json::value(std::move(bare));
  }
  if (json::object const* const map = value.if_object()) {
    json::object bare;
    for (auto const& [name, each] : *map) bare[name] = without_properties(each);
    return json::value(std::move(bare));
  }
  return value;
}

std::string query_text(json::value const& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return std::string{value.get_string()};
  if (value.is_double()) return fraction_text(value);
  if (json::object const* const node = find_node_value(value)) return node_text(*node);
  if (json::object const* const relation = find_relation_value(value)) return "-[" + relation_words(*relation) + "]->";
  if (json::object const* const path = find_path_value(value)) return path_text(*path);
  return answer_text(without_properties(value));
}

}  // namespace whence::net::plain_text
