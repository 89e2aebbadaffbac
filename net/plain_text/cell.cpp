// A JSON value as the text of a cell.

#include "net/plain_text/cell.hpp"

#include "schema/json/json.hpp"

#include <cmath>
#include <cstdio>

#include <boost/json/value.hpp>

namespace whence::net::plain_text {
namespace {

namespace json = boost::json;

std::string number_text(json::value const& value) {
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (value.is_uint64()) return std::to_string(value.get_uint64());
  if (value.get_double() == 0 && std::signbit(value.get_double())) return "-0.0";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value.get_double());
  return text;
}

}  // namespace

std::string cell(json::object const& object, std::string_view member) {
  json::value const* const value = object.if_contains(member);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return std::string{value->get_string()};
  if (value->is_number()) return number_text(*value);
  return schema::json::to_text(*value);
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace whence::net::plain_text
