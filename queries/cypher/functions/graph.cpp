// Functions of nodes, relations and paths.
#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/values/weight.hpp"

#include <utility>

namespace whence::queries::cypher::functions {
namespace {

Value key_list(Map const& map) {
  List keys;
  for (auto const& entry : map) keys.emplace_back(entry.first);
  return keys;
}

/// The properties of a node, a relation or a map; none of another value.
std::optional<Map> map_of(Value const& value) {
  if (auto const* node = value.find_node()) return node->graph->node_properties(node->id);
  if (auto const* relation = value.find_relation()) return relation->graph->relation_properties(*relation);
  if (auto const* map = value.find_map()) return *map;
  return std::nullopt;
}

Value relation_end(FunctionCall const& call, bool is_start) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* relation = value.find_relation();
  if (relation == nullptr) return wrong_argument(call, value);
  return Node{relation->graph, is_start ? relation->from : relation->to};
}

}  // namespace

Value wrong_argument(FunctionCall const& call, Value const& value) {
  return call.state.fail(ErrorKind::type_error, "InvalidArgumentValue",
                         std::string{call.name} + "() takes no " + std::string{name_of(value.type())}, call.place);
}

Value id(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (auto const* node = value.find_node()) return static_cast<std::int64_t>(node->id);
  if (auto const* relation = value.find_relation()) return static_cast<std::int64_t>(relation->id);
  return value.is_null() ? Value{} : wrong_argument(call, value);
}

Value element_id(FunctionCall const& call) {
  if (auto const* node = call.arguments[0].find_node()) return element_id_of(*node->graph, node->id);
  auto const number = id(call);
  return number.find_integer() == nullptr ? Value{} : Value{std::to_string(*number.find_integer())};
}

Value labels(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* node = value.find_node();
  if (node == nullptr) return wrong_argument(call, value);
  List names;
  for (auto& name : node->graph->labels_of(node->id)) names.emplace_back(std::move(name));
  return names;
}

Value type(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* relation = value.find_relation();
  if (relation == nullptr) return wrong_argument(call, value);
  return relation->graph->type_name(relation->graph->type_of(*relation));
}

Value properties(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto map = map_of(value);
  return map ? Value{*std::move(map)} : wrong_argument(call, value);
}

Value keys(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const map = map_of(value);
  return map ? key_list(*map) : wrong_argument(call, value);
}

Value start_node(FunctionCall const& call) {
  return relation_end(call, true);
}
Value end_node(FunctionCall const& call) {
  return relation_end(call, false);
}

Value nodes(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* path = value.find_path();
  if (path == nullptr) return wrong_argument(call, value);
  return List(path->nodes.begin(), path->nodes.end());
}

Value relationships(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* path = value.find_path();
  if (path == nullptr) return wrong_argument(call, value);
  return List(path->relations.begin(), path->relations.end());
}

Value length(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* path = value.find_path();
  if (path == nullptr) return wrong_argument(call, value);
  return static_cast<std::int64_t>(path->relations.size());
}

Value weight(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (auto const* relation = value.find_relation()) return weight_of(*relation);
  double product = 1;
  if (auto const* path = value.find_path()) {
    for (auto const& relation : path->relations) product *= weight_of(relation);
    return product;
  }
  if (auto const* list = value.find_list()) {
    for (auto const& each : *list) {
      auto const* relation = each.find_relation();
      if (relation == nullptr) return wrong_argument(call, each);
      product *= weight_of(*relation);
    }
    return product;
  }
  return wrong_argument(call, value);
}

}  // namespace whence::queries::cypher::functions
