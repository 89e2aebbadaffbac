#include "net/mcp/arguments.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>
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

}  // namespace

json::object settled_arguments(json::object const& schema, json::object const& arguments) {
  json::object settled = arguments;
  auto const& properties = schema.at("properties").as_object();
  for (auto& member : settled) {
    auto const* const property = properties.if_contains(member.key());
    if (property == nullptr) continue;
    auto const type = plain_text::cell(property->as_object(), "type");
    auto& value = member.value();
    if (type == "string" && (value.is_int64() || value.is_uint64())) {
      value = schema::json::to_text(value);
    } else if (type == "integer" && value.is_double()) {
      auto const given = value.get_double();
      if (std::abs(given) < 9e15 && given == std::floor(given)) value = static_cast<std::int64_t>(given);
    } else if (auto const* const text = value.if_string(); text != nullptr && type == "integer") {
      std::int64_t number = 0;
      auto const* const end = text->data() + text->size();
      auto const parsed = std::from_chars(text->data(), end, number);
      if (parsed.ec == std::errc{} && parsed.ptr == end) value = number;
    }
  }
  return settled;
}

std::string check_arguments(json::object const& schema, json::object const& arguments) {
  ArgumentCheck check;
  check.object(schema, arguments, "");
  return std::move(check.wrong);
}

}  // namespace whence::net::mcp
