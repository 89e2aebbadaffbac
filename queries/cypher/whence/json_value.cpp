// A node is an object of its labels and properties, a relation names its ends by their refs. Back from JSON come only
// values that JSON has: a moment that was written stays a text.
#include "queries/cypher/whence/json_value.hpp"

#include "queries/cypher/values/components.hpp"
#include "queries/cypher/values/property_graph.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::queries::cypher {
namespace {

boost::json::object object_of(Map const& map) {
  boost::json::object made;
  for (auto const& entry : map) made[entry.first] = to_json(entry.second);
  return made;
}

boost::json::value ref_of(Node const& node) {
  auto const ref = node.graph->node_property(node.id, "ref");
  if (auto const* text = ref.find_text()) return boost::json::value(*text);
  return boost::json::value(static_cast<std::int64_t>(node.id));
}

boost::json::object node_object(Node const& node) {
  boost::json::object made;
  auto const ref = node.graph->node_property(node.id, "ref");
  if (ref.find_text() == nullptr) made["id"] = node.id;
  boost::json::array labels;
  for (auto const& label : node.graph->labels_of(node.id)) labels.emplace_back(label);
  made["labels"] = std::move(labels);
  made["properties"] = object_of(node.graph->node_properties(node.id));
  return made;
}

boost::json::object relation_object(Relation const& relation) {
  boost::json::object made;
  made["from"] = ref_of(Node{relation.graph, relation.from});
  made["to"] = ref_of(Node{relation.graph, relation.to});
  made["type"] = relation.graph->type_name(relation.graph->type_of(relation));
  made["properties"] = object_of(relation.graph->relation_properties(relation));
  return made;
}

/// What neither an integer nor a float holds is its digits.
Value from_unsigned(std::uint64_t number) {
  constexpr double uint64_end = 18446744073709551616.0;
  if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return static_cast<std::int64_t>(number);
  auto const nearest = static_cast<double>(number);
  bool const is_same = nearest < uint64_end && static_cast<std::uint64_t>(nearest) == number;
  return is_same ? Value{nearest} : Value{std::to_string(number)};
}

}  // namespace

Value from_json(boost::json::value const& json) {
  switch (json.kind()) {
    case boost::json::kind::null:
      return {};
    case boost::json::kind::bool_:
      return json.get_bool();
    case boost::json::kind::int64:
      return json.get_int64();
    case boost::json::kind::uint64:
      return from_unsigned(json.get_uint64());
    case boost::json::kind::double_:
      return json.get_double();
    case boost::json::kind::string:
      return std::string{json.get_string()};
    case boost::json::kind::array: {
      List made;
      made.reserve(json.get_array().size());
      for (auto const& each : json.get_array()) made.push_back(from_json(each));
      return made;
    }
    case boost::json::kind::object: {
      Map made;
      for (auto const& each : json.get_object()) made.emplace(std::string{each.key()}, from_json(each.value()));
      return made;
    }
  }
  return {};
}

Value from_time(schema::Time time) {
  return DateTime{.seconds = time.seconds, .nanos = static_cast<std::int32_t>(time.nanos)};
}

std::optional<schema::Time> to_time(Value const& value) {
  constexpr std::int64_t first = -62'167'219'200;  // 0000-01-01T00:00:00Z
  constexpr std::int64_t last = 253'402'300'799;   // 9999-12-31T23:59:59Z
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  if (auto const* moment = value.find_date_time()) {
    seconds = moment->seconds;
    nanos = moment->nanos;
  } else if (auto const* local = value.find<LocalDateTime>()) {
    seconds = local->seconds;
    nanos = local->nanos;
  } else if (auto const* date = value.find<Date>()) {
    if (date->days < first / seconds_per_day || date->days > last / seconds_per_day) return std::nullopt;
    seconds = date->days * seconds_per_day;
  } else {
    return std::nullopt;
  }
  if (seconds < first || seconds > last) return std::nullopt;
  return schema::Time{.seconds = seconds, .nanos = static_cast<std::uint32_t>(nanos)};
}

boost::json::value to_json(Value const& value) {
  switch (value.type()) {
    case ValueType::null:
      return nullptr;
    case ValueType::boolean:
      return *value.find_bool();
    case ValueType::integer:
      return *value.find_integer();
    case ValueType::floating:
      return std::isfinite(*value.find_double()) ? boost::json::value(*value.find_double())
                                                 : boost::json::value(nullptr);
    case ValueType::text:
      return boost::json::value(*value.find_text());
    case ValueType::list: {
      boost::json::array made;
      for (auto const& each : *value.find_list()) made.push_back(to_json(each));
      return made;
    }
    case ValueType::map:
      return object_of(*value.find_map());
    case ValueType::node:
      return node_object(*value.find_node());
    case ValueType::relation:
      return relation_object(*value.find_relation());
    case ValueType::path: {
      boost::json::array nodes;
      boost::json::array relations;
      for (auto const& each : value.find_path()->nodes) nodes.push_back(node_object(each));
      for (auto const& each : value.find_path()->relations) relations.push_back(relation_object(each));
      return boost::json::object{{"nodes", std::move(nodes)}, {"relations", std::move(relations)}};
    }
    default:
      return boost::json::value(full_temporal_text(value));
  }
}

}  // namespace whence::queries::cypher
