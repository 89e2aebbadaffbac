#include "tests/hostile/schema_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace whence::test {
namespace {

namespace json = boost::json;

bool is_of_type(json::value const& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (value.is_double()) return std::trunc(value.get_double()) == value.get_double();
  return value.is_number();
}

bool fits_type(json::value const& value, json::value const& types) {
  if (types.is_string()) return is_of_type(value, types.get_string());
  return std::ranges::any_of(types.as_array(),
                             [&](json::value const& type) { return is_of_type(value, type.as_string()); });
}

std::optional<std::string> bound_fault(json::value const& value, json::object const& schema, std::string const& place) {
  if (!value.is_number()) return std::nullopt;
  auto const number = value.to_number<double>();
  auto const* const low = schema.if_contains("minimum");
  auto const* const high = schema.if_contains("maximum");
  if (low != nullptr && number < low->to_number<double>()) return place + " is below its minimum";
  if (high != nullptr && number > high->to_number<double>()) return place + " is above its maximum";
  return std::nullopt;
}

std::optional<std::size_t> length_bound(json::object const& schema, std::string_view name) {
  auto const* const found = schema.if_contains(name);
  if (found == nullptr) return std::nullopt;
  return found->to_number<std::size_t>();
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::optional<std::string> text_fault(std::string_view text, json::object const& schema, std::string const& place) {
  auto const length = code_points(text);
  if (length < length_bound(schema, "minLength").value_or(0)) return place + " is too short";
  if (length > length_bound(schema, "maxLength").value_or(length)) return place + " is too long";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> SchemaCheck::fault(json::value const& value, json::value const& schema,
                                              std::string const& place) const {
  if (!schema.is_object()) return std::nullopt;  // `true`
  auto const& rules = schema.get_object();
  if (auto const* const named = rules.if_contains("$ref")) {
    std::string_view const name = named->as_string();
    return fault(value, schemas_.at(name.substr(name.rfind('/') + 1)), place);
  }
  if (auto const* const only = rules.if_contains("const"); only != nullptr && *only != value)
    return place + " is not " + json::serialize(*only);
  if (auto const* const each = rules.if_contains("enum");
      each != nullptr && std::ranges::find(each->as_array(), value) == each->as_array().end())
    return place + " is none of its values";
  if (auto const* const types = rules.if_contains("type"); types != nullptr && !fits_type(value, *types))
    return place + " is no " + json::serialize(*types);
  if (auto found = composed_fault(value, rules, place)) return found;
  if (auto found = bound_fault(value, rules, place)) return found;
  if (value.is_string()) return text_fault(value.get_string(), rules, place);
  if (value.is_object()) return object_fault(value.get_object(), rules, place);
  if (value.is_array()) return array_fault(value.get_array(), rules, place);
  return std::nullopt;
}

std::optional<std::string> SchemaCheck::composed_fault(json::value const& value, json::object const& schema,
                                                       std::string const& place) const {
  if (auto const* const all = schema.if_contains("allOf")) {
    for (json::value const& each : all->as_array()) {
      if (auto found = fault(value, each, place)) return found;
    }
  }
  for (auto const* const several : {"anyOf", "oneOf"}) {
    auto const* const either = schema.if_contains(several);
    if (either == nullptr) continue;
    std::string reasons;
    bool const fits = std::ranges::any_of(either->as_array(), [&](json::value const& each) {
      auto const found = fault(value, each, place);
      if (found && reasons.size() < 2'000) reasons += "; " + *found;
      return !found;
    });
    if (!fits) return place + " fits none of several" + reasons;
  }
  return std::nullopt;
}

std::optional<std::string> SchemaCheck::object_fault(json::object const& value, json::object const& schema,
                                                     std::string const& place) const {
  auto const* const known = schema.if_contains("properties");
  auto const* const others = schema.if_contains("additionalProperties");
  for (auto const& [name, member] : value) {
    auto const* rule = known == nullptr ? nullptr : known->as_object().if_contains(name);
    if (rule == nullptr) rule = others;
    if (rule == nullptr) continue;
    auto const within = place + "/" + std::string{name};
    if (rule->is_bool() && !rule->get_bool()) return within + " is not described";
    if (auto found = fault(member, *rule, within)) return found;
  }
  if (auto const* const wanted = schema.if_contains("required")) {
    for (json::value const& name : wanted->as_array()) {
      if (!value.contains(name.as_string())) return place + "/" + std::string{name.as_string()} + " is missing";
    }
  }
  return std::nullopt;
}

std::optional<std::string> SchemaCheck::array_fault(json::array const& value, json::object const& schema,
                                                    std::string const& place) const {
  if (value.size() < length_bound(schema, "minItems").value_or(0)) return place + " has too few items";
  if (value.size() > length_bound(schema, "maxItems").value_or(value.size())) return place + " has too many items";
  auto const* const items = schema.if_contains("items");
  if (items == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (auto found = fault(value[i], *items, place + "/" + std::to_string(i))) return found;
  }
  return std::nullopt;
}

bool is_finite(json::value const& value) {
  if (value.is_double()) return std::isfinite(value.get_double());
  if (value.is_array()) return std::ranges::all_of(value.get_array(), is_finite);
  if (!value.is_object()) return true;
  return std::ranges::all_of(value.get_object(), [](auto const& member) { return is_finite(member.value()); });
}

}  // namespace whence::test
