// Conversions between texts, numbers and booleans.
#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/values/components.hpp"
#include "queries/cypher/values/text.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/ascii.hpp"

#include <charconv>
#include <cmath>

namespace whence::queries::cypher::functions {
namespace {

std::optional<double> double_of(std::string_view text) {
  text = schema::trim_xml(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Value truncated(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63)) return {};
  return static_cast<std::int64_t>(value);
}

}  // namespace

Value to_integer(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null() || value.find_integer() != nullptr) return value;
  if (auto const* number = value.find_double()) return truncated(*number);
  if (auto const* flag = value.find_bool()) return wrong_argument(call, Value{*flag});
  auto const* text = value.find_text();
  if (text == nullptr) return wrong_argument(call, value);
  auto const digits = schema::trim_xml(*text);
  std::int64_t whole = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (error == std::errc{} && end == digits.data() + digits.size()) return whole;
  auto const number = double_of(digits);
  return number ? truncated(*number) : Value{};
}

Value to_float(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (value.is_number()) return value.number();
  auto const* text = value.find_text();
  if (text == nullptr) return wrong_argument(call, value);
  auto const number = double_of(*text);
  return number ? Value{*number} : Value{};
}

Value to_boolean(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null() || value.find_bool() != nullptr) return value;
  auto const* text = value.find_text();
  if (text == nullptr) return wrong_argument(call, value);
  auto const word = schema::in_lower(schema::trim_xml(*text));
  if (word == "true") return true;
  if (word == "false") return false;
  return {};
}

Value to_string(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  switch (value.type()) {
    case ValueType::null:
    case ValueType::text:
      return value;
    case ValueType::list:
    case ValueType::map:
    case ValueType::node:
    case ValueType::relation:
    case ValueType::path:
      return wrong_argument(call, value);
    case ValueType::boolean:
    case ValueType::integer:
    case ValueType::floating:
      return to_text(value);
    default:
      return temporal_text(value);
  }
}

}  // namespace whence::queries::cypher::functions
