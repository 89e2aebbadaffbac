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
  auto const digits = text.substr(text.starts_with('-') ? 1 : 0);
  bool const is_letter = !digits.empty() && (digits.front() < '0' || digits.front() > '9') && digits.front() != '.';
  if (is_letter && digits != "NaN" && digits != "Infinity") return std::nullopt;
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
  auto digits = schema::trim_xml(*text);
  auto const number = double_of(digits);
  if (!number) return {};
  // A float does not hold every integer: it is asked only where the text has an exponent or no whole part.
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.find_first_of("eE") != std::string_view::npos) return truncated(*number);
  std::int64_t whole = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (error == std::errc::result_out_of_range) return {};
  return error == std::errc{} ? Value{whole} : truncated(*number);
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
