// JSON Schema of records to the types that values of their members have.

#include "net/cypher/catalog/type_properties.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
namespace json = boost::json;

/// Of one word of JSON Schema; empty for "null" and what has no name here.
std::vector<std::string> names_of_word(std::string_view word, json::object const& schema) {
  auto const* const format = schema.if_contains("format");
  if (word == "string") return {format != nullptr && *format == "date-time" ? "DateTime" : "String"};
  if (word == "integer") return {"Long"};
  if (word == "number") return {"Double"};
  if (word == "boolean") return {"Boolean"};
  if (word == "object") return {"Map"};
  return {};
}

std::vector<std::string> value_types_of(json::object const& schema);

std::vector<std::string> types_of_list(json::object const& schema) {
  auto const* const items = schema.if_contains("items");
  auto const of_items = items != nullptr ? value_types_of(items->get_object()) : std::vector<std::string>{};
  bool const is_plain = of_items.size() == 1 && of_items[0] != "Map" && !of_items[0].ends_with("Array");
  return {is_plain ? of_items[0] + "Array" : "List"};
}

std::vector<std::string> value_types_of(json::object const& schema) {
  auto const* const type = schema.if_contains("type");
  if (type == nullptr) return {"Any"};
  if (type->is_string())
    return type->get_string() == "array" ? types_of_list(schema) : names_of_word(type->get_string(), schema);
  std::vector<std::string> made;
  for (auto const& each : type->get_array()) {
    auto const found = each.get_string() == "array" ? types_of_list(schema) : names_of_word(each.get_string(), schema);
    made.insert(made.end(), found.begin(), found.end());
  }
  return made;
}

std::string type_of_own(cypher::ValueType type) {
  switch (type) {
    case cypher::ValueType::integer:
      return "Long";
    case cypher::ValueType::floating:
      return "Double";
    case cypher::ValueType::text:
      return "String";
    default:
      return std::string{cypher::name_of(type)};
  }
}

void add_own(TypePropertyMap& made, std::vector<cypher::GraphProperty> const& own) {
  for (auto const& each : own)
    made[std::string{each.name}] = {.types = {type_of_own(each.type)}, .is_mandatory = each.is_of_all};
}

}  // namespace

TypeProperties::TypeProperties(json::object const& schemas) {
  for (auto const& row : schema::record_types()) {
    auto const* const found = row.is_node ? schemas.if_contains(row.name) : nullptr;
    auto& made = properties_[row.type];
    if (found == nullptr) continue;
    auto const& required = found->at("required").get_array();
    for (auto const& each : found->at("properties").get_object()) {
      if (each.key() == "$type$") continue;
      made[std::string{each.key()}] = {
          .types = value_types_of(each.value().get_object()),
          .is_mandatory = std::ranges::find(required, json::value(each.key())) != required.end()};
    }
    add_own(made, cypher::ViewGraph::properties_of(row.type));
  }
}

TypePropertyMap relation_properties_of(std::optional<schema::EdgeType> type) {
  TypePropertyMap made;
  add_own(made, cypher::ViewGraph::properties_of(type));
  return made;
}

}  // namespace whence::net
