// Values of openCypher as JSON text, within a bound.

#include "net/cypher/json_values.hpp"

#include "net/plain_text/query_value.hpp"
#include "queries/cypher/values/components.hpp"
#include "queries/cypher/values/property_graph.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
using schema::json::Writer;

/// What a node is called: its ref, or its number in a graph without.
void write_end(Writer& out, cypher::PropertyGraph const& graph, std::uint64_t node) {
  auto const ref = graph.node_property(node, "ref");
  out.value(ref.find_text() != nullptr ? *ref.find_text() : std::to_string(node));
}

void write_properties(Writer& out, cypher::Map const& map, RowBound& bound) {
  out.begin_object();
  for (auto const& [key, value] : map) {
    if (!bound.may_go_on()) break;
    out.key(key);
    write_json(out, value, bound);
  }
  out.end_object();
}

void write_node_json(Writer& out, cypher::Node const& node, RowBound& bound) {
  out.begin_object().key("ref");
  write_end(out, *node.graph, node.id);
  out.key("labels").begin_array();
  for (auto const& label : node.graph->labels_of(node.id)) out.value(label);
  out.end_array().key("properties");
  write_properties(out, node.graph->node_properties(node.id), bound);
  out.end_object();
}

void write_relation_json(Writer& out, cypher::Relation const& relation, RowBound& bound) {
  auto const& graph = *relation.graph;
  out.begin_object().member("type", graph.type_name(graph.type_of(relation))).key("from");
  write_end(out, graph, relation.from);
  out.key("to");
  write_end(out, graph, relation.to);
  out.key("properties");
  write_properties(out, graph.relation_properties(relation), bound);
  out.end_object();
}

/// Writes a list of values with `write`.
template <class List, class Write>
void write_each(Writer& out, List const& list, RowBound& bound, Write const& write) {
  out.begin_array();
  for (auto const& each : list) {
    if (!bound.may_go_on()) break;
    write(out, each, bound);
  }
  out.end_array();
}

void write_path_json(Writer& out, cypher::Path const& path, RowBound& bound) {
  out.begin_object().key("nodes");
  write_each(out, path.nodes, bound, write_node_json);
  out.key("relations");
  write_each(out, path.relations, bound, write_relation_json);
  out.end_object();
}

/// A character that JSON writes as six, `\u0001`, makes a text as much larger.
std::size_t json_bytes(std::string const& text) {
  constexpr std::size_t escape_bytes = 5;
  auto const is_escaped = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  return text.size() + escape_bytes * static_cast<std::size_t>(std::ranges::count_if(text, is_escaped));
}

void write_text(Writer& out, std::string const& text, RowBound& bound) {
  constexpr std::size_t looked_at_bytes = std::size_t{64} << 10;
  bool const may_write = text.size() < looked_at_bytes || bound.may_go_on(json_bytes(text));
  out.value(may_write ? std::string_view{text} : std::string_view{});
}

/// As a number of JSON; what is none there is null.
void write_double(Writer& out, double value) {
  if (!std::isfinite(value)) return static_cast<void>(out.null());
  auto const special = plain_text::special_float(value);
  if (!special.empty()) return static_cast<void>(out.raw(special));
  out.value(value);
}

}  // namespace

void write_json(Writer& out, cypher::Value const& value, RowBound& bound) {
  switch (value.type()) {
    case cypher::ValueType::null:
      return static_cast<void>(out.null());
    case cypher::ValueType::boolean:
      return static_cast<void>(out.value(*value.find_bool()));
    case cypher::ValueType::integer:
      return static_cast<void>(out.value(*value.find_integer()));
    case cypher::ValueType::floating:
      return write_double(out, *value.find_double());
    case cypher::ValueType::text:
      return write_text(out, *value.find_text(), bound);
    case cypher::ValueType::list:
      return write_each(out, *value.find_list(), bound, write_json);
    case cypher::ValueType::map:
      return write_properties(out, *value.find_map(), bound);
    case cypher::ValueType::node:
      return write_node_json(out, *value.find_node(), bound);
    case cypher::ValueType::relation:
      return write_relation_json(out, *value.find_relation(), bound);
    case cypher::ValueType::path:
      return write_path_json(out, *value.find_path(), bound);
    case cypher::ValueType::date:
    case cypher::ValueType::local_time:
    case cypher::ValueType::time:
    case cypher::ValueType::local_date_time:
    case cypher::ValueType::date_time:
    case cypher::ValueType::duration:
      return static_cast<void>(out.value(cypher::full_temporal_text(value)));
  }
}

}  // namespace whence::net
