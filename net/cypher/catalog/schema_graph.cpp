// Rows of the two catalogues as nodes and relations.

#include "net/cypher/catalog/schema_graph.hpp"

#include <algorithm>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;

/// Ids go down from here with the number of the type. A store whose vertices came as far would have 4 billion.
constexpr std::uint32_t last_node = 0xFFFFFFFF;
/// Relations of a store have ids below 2^41.
constexpr std::uint64_t first_relation = std::uint64_t{1} << 41;

/// Nothing for an id that no node has.
std::optional<schema::RecordType> type_of_id(std::uint64_t node) {
  auto const number = last_node - node;
  if (node > last_node || number == 0 || number >= schema::record_type_count) return std::nullopt;
  return static_cast<schema::RecordType>(number);
}

schema::EdgeRule const& rule_of(cypher::Relation const& relation) {
  return schema::edge_rules()[relation.id - first_relation];
}

}  // namespace

SchemaGraph const& SchemaGraph::instance() {
  static SchemaGraph const only;
  return only;
}

std::string key_name(std::string_view property, std::string_view label) {
  return std::string{property} + "_of_" + std::string{label};
}

cypher::Node SchemaGraph::node(schema::RecordType type) const {
  return {.graph = this, .id = last_node - static_cast<std::uint32_t>(type)};
}

cypher::Relation SchemaGraph::relation(schema::EdgeRule const& rule) const {
  auto const rules = schema::edge_rules();
  auto const found = std::ranges::find_if(rules, [&](schema::EdgeRule const& each) {
    return each.type == rule.type && each.from == rule.from && each.to == rule.to;
  });
  return {.graph = this,
          .id = first_relation + static_cast<std::uint64_t>(found - rules.begin()),
          .from = static_cast<std::uint32_t>(node(rule.from).id),
          .to = static_cast<std::uint32_t>(node(rule.to).id)};
}

std::uint64_t SchemaGraph::node_bound() const {
  return std::uint64_t{last_node} + 1;
}

std::optional<cypher::NameId> SchemaGraph::find_label(std::string_view name) const {
  auto const type = schema::find_record_type(name);
  return type ? std::optional{static_cast<cypher::NameId>(*type)} : std::nullopt;
}

std::optional<cypher::NameId> SchemaGraph::find_type(std::string_view name) const {
  auto const type = schema::find_edge_type(name);
  return type ? std::optional{static_cast<cypher::NameId>(*type)} : std::nullopt;
}

std::string SchemaGraph::type_name(cypher::NameId type) const {
  return std::string{schema::name_of(static_cast<schema::EdgeType>(type))};
}

std::size_t SchemaGraph::scan(std::optional<cypher::NameId> label, std::uint64_t& position,
                              std::span<std::uint64_t> out) const {
  std::size_t count = 0;
  position = std::max<std::uint64_t>(position, last_node - schema::record_type_count);
  for (; position <= last_node && count < out.size(); ++position) {
    auto const type = type_of_id(position);
    if (type && (!label || static_cast<cypher::NameId>(*type) == *label)) out[count++] = position;
  }
  return count;
}

bool SchemaGraph::has_label(std::uint64_t node, cypher::NameId label) const {
  auto const type = type_of_id(node);
  return type && static_cast<cypher::NameId>(*type) == label;
}

std::vector<std::string> SchemaGraph::labels_of(std::uint64_t node) const {
  auto const type = type_of_id(node);
  if (!type) return {};
  return {std::string{schema::name_of(*type)}};
}

cypher::Value SchemaGraph::node_property(std::uint64_t node, std::string_view name) const {
  auto const all = node_properties(node);
  auto const found = all.find(name);
  return found != all.end() ? found->second : cypher::Value{};
}

cypher::Map SchemaGraph::node_properties(std::uint64_t node) const {
  auto const type = type_of_id(node);
  if (!type) return {};
  auto const label = schema::name_of(*type);
  return {{"name", std::string{label}},
          {"indexes", cypher::List{"id"}},
          {"constraints", cypher::List{key_name("id", label)}}};
}

void SchemaGraph::relations(std::uint64_t node, cypher::Direction direction, std::span<cypher::NameId const> types,
                            std::vector<cypher::RelationEnds>& out) const {
  auto const rules = schema::edge_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    auto const type = static_cast<cypher::NameId>(rules[i].type);
    if (!types.empty() && std::ranges::find(types, type) == types.end()) continue;
    auto const from = this->node(rules[i].from).id;
    auto const to = this->node(rules[i].to).id;
    bool const is_out = from == node && direction != cypher::Direction::in;
    bool const is_in = to == node && direction != cypher::Direction::out;
    if (is_out || is_in) out.push_back({.id = first_relation + i, .from = from, .to = to, .type = type});
  }
}

cypher::NameId SchemaGraph::type_of(cypher::Relation const& relation) const {
  return static_cast<cypher::NameId>(rule_of(relation).type);
}

cypher::Value SchemaGraph::relation_property(cypher::Relation const& relation, std::string_view name) const {
  return name == "name" ? cypher::Value{type_name(type_of(relation))} : cypher::Value{};
}

cypher::Map SchemaGraph::relation_properties(cypher::Relation const& relation) const {
  return {{"name", type_name(type_of(relation))}};
}

double SchemaGraph::count_nodes(std::optional<cypher::NameId> label) const {
  return label ? 1.0 : static_cast<double>(schema::record_types().size());
}

double SchemaGraph::count_relations(std::optional<cypher::NameId> type) const {
  auto const rules = schema::edge_rules();
  return static_cast<double>(std::ranges::count_if(
      rules, [&](schema::EdgeRule const& rule) { return !type || static_cast<cypher::NameId>(rule.type) == *type; }));
}

}  // namespace whence::net
