// Models write arguments loosely: a number as a text, a list as JSON in a text, one item without a list, null for
// nothing. `settled_arguments` makes of each what the schema says where that is certain, and `check_arguments` names
// all that is wrong then.

#include "net/mcp/arguments.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::net::mcp {
namespace {

namespace json = boost::json;

bool is_of_type(json::value const& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_int64();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

class ArgumentCheck {
 public:
  std::string wrong = {};

  void object(json::object const& schema, json::object const& given, std::string const& place) {
    auto const& properties = schema.at("properties").as_object();
    for (auto const& member : given) {
      if (auto const* const property = properties.if_contains(member.key())) {
        value(property->as_object(), member.value(), place + std::string(member.key()));
      } else {
        std::vector<std::string_view> known;
        for (auto const& each : properties) known.push_back(each.key());
        report(place + std::string(member.key()), "is no argument" + schema::did_you_mean(member.key(), known));
      }
    }
    auto const* const required = schema.if_contains("required");
    if (required == nullptr) return;
    for (auto const& name : required->as_array()) {
      if (!given.contains(name.as_string())) report(place + std::string(name.as_string()), "is required");
    }
  }

 private:
  void value(json::object const& schema, json::value const& given, std::string const& place) {
    std::string const type = plain_text::cell(schema, "type");
    if (!is_of_type(given, type)) return report(place, "must be of type " + type);
    if (given.is_object() && schema.contains("properties")) return object(schema, given.get_object(), place + "/");
    if (given.is_number()) return number(schema, given.to_number<double>(), place);
    auto const* const items = schema.if_contains("items");
    if (!given.is_array() || items == nullptr) return;
    std::size_t index = 0;
    for (auto const& item : given.get_array()) value(items->as_object(), item, place + "/" + std::to_string(index++));
  }

  void number(json::object const& schema, double given, std::string const& place) {
    auto const* const least = schema.if_contains("minimum");
    auto const* const most = schema.if_contains("maximum");
    if (least != nullptr && given < least->to_number<double>())
      report(place, "must be at least " + plain_text::cell(schema, "minimum"));
    if (most != nullptr && given > most->to_number<double>())
      report(place, "must be at most " + plain_text::cell(schema, "maximum"));
  }

  void report(std::string const& place, std::string const& rule) { wrong += "/" + place + ": " + rule + "\n"; }
};

/// JSON in a text, where it is what `type` names and says nothing twice or inexactly.
bool settle_json(json::value& value, std::string_view type) {
  auto const* const text = value.if_string();
  if (text == nullptr) return false;
  auto parsed = schema::json::parse(*text);
  if (!parsed || !parsed->duplicates.empty() || !parsed->inexact.empty() || !is_of_type(parsed->value, type))
    return false;
  value = std::move(parsed->value);
  return true;
}

void settle_text(json::value& value) {
  constexpr double exact_max = 9e15;
  auto const* const given = value.if_double();
  if (given != nullptr && std::abs(*given) < exact_max && *given == std::floor(*given))
    value = static_cast<std::int64_t>(*given);
  if (value.is_int64() || value.is_uint64()) value = schema::json::to_text(value);
}

void settle_integer(json::value& value) {
  constexpr double exact_max = 9e15;
  if (value.is_string()) settle_json(value, "number");
  auto const* const given = value.if_double();
  if (given != nullptr && std::abs(*given) < exact_max && *given == std::floor(*given))
    value = static_cast<std::int64_t>(*given);
}

void settle_boolean(json::value& value) {
  auto const* const text = value.if_string();
  if (text == nullptr) return;
  if (*text == "true" || *text == "True") value = true;
  if (*text == "false" || *text == "False") value = false;
}

void settle_members(json::object const& schema, json::object& members);

void settle(json::object const& schema, json::value& value) {
  auto const type = plain_text::cell(schema, "type");
  if (type == "string") settle_text(value);
  if (type == "integer") settle_integer(value);
  if (type == "number") settle_json(value, type);
  if (type == "boolean") settle_boolean(value);
  if (type == "object") settle_json(value, type);
  auto const* const items = schema.if_contains("items");
  if (type == "array" && !value.is_array() && !settle_json(value, type)) {
    auto const* const text = value.if_string();
    bool const is_broken_list = text != nullptr && text->starts_with('[');
    if (!is_broken_list) value = json::array{std::move(value)};
  }
  if (auto* const list = value.if_array(); list != nullptr && items != nullptr) {
    for (auto& each : *list) settle(items->get_object(), each);
  }
  if (value.is_object() && schema.contains("properties")) settle_members(schema, value.get_object());
}

void settle_members(json::object const& schema, json::object& members) {
  auto const& properties = schema.at("properties").as_object();
  std::vector<std::string> absent;
  for (auto& member : members) {
    auto const* const property = properties.if_contains(member.key());
    if (property == nullptr) continue;
    if (member.value().is_null()) {
      absent.emplace_back(member.key());
    } else {
      settle(property->get_object(), member.value());
    }
  }
  for (auto const& name : absent) members.erase(name);
}

}  // namespace

json::object settled_arguments(json::object const& schema, json::object const& arguments) {
  json::object settled = arguments;
  settle_members(schema, settled);
  return settled;
}

json::value settled_object(json::value const& value) {
  auto settled = value;
  settle_json(settled, "object");
  return settled;
}

std::string check_arguments(json::object const& schema, json::object const& arguments) {
  ArgumentCheck check;
  check.object(schema, arguments, "");
  return std::move(check.wrong);
}

}  // namespace whence::net::mcp
