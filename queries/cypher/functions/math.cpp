// Functions of numbers.
#include "queries/cypher/functions/families.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

namespace whence::queries::cypher::functions {
namespace {

struct Unary {
  std::string_view name;
  double (*compute)(double);
};

constexpr std::array unaries = std::to_array<Unary>({
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"cot", [](double x) { return 1 / std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"degrees", [](double x) { return x * 180 / std::numbers::pi; }},
    {"radians", [](double x) { return x * std::numbers::pi / 180; }},
    {"haversin", [](double x) { return (1 - std::cos(x)) / 2; }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"floor", [](double x) { return std::floor(x); }},
});

}  // namespace

Value unary_math(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (!value.is_number()) return wrong_argument(call, value);
  for (auto const& each : unaries) {
    if (each.name == call.name) return each.compute(value.number());
  }
  return {};
}

Value abs(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (auto const* number = value.find_integer()) {
    if (*number == INT64_MIN)
      return call.state.fail(ErrorKind::arithmetic_error, "IntegerOverflow", "the integer has no positive counterpart",
                             call.place);
    return *number < 0 ? -*number : *number;
  }
  if (auto const* number = value.find_double()) return std::fabs(*number);
  return value.is_null() ? Value{} : wrong_argument(call, value);
}

Value sign(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (!value.is_number()) return wrong_argument(call, value);
  auto const number = value.number();
  return std::int64_t{number > 0 ? 1 : number < 0 ? -1 : 0};
}

/// The nearest whole number, of two the greater one. Adding 0.5 first would change whole numbers beyond 2^52.
double rounded(double value) {
  auto const whole = std::floor(value);
  return value - whole >= 0.5 ? whole + 1 : whole;
}

/// `value` with so many decimals, of two the one farther from zero: by the digits that it is shown with, since most
/// decimals have no exact float (1.005 would be less than half).
double rounded_decimal(double value, std::int64_t decimals) {
  std::array<char, 64> buffer{};
  auto const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::scientific).ptr;
  std::string text{buffer.data(), end};
  auto const mark = text.find('e');
  auto const exponent = std::stoi(text.substr(mark + 1));
  text.resize(mark);
  std::erase(text, '.');
  auto const kept = exponent + 1 + decimals;
  if (kept >= static_cast<std::int64_t>(text.size())) return value;
  if (kept < 0) return 0;
  bool const is_up = text[static_cast<std::size_t>(kept)] >= '5';
  text.resize(static_cast<std::size_t>(kept));
  text.insert(text.begin(), '0');
  auto last = text.size() - 1;
  for (; is_up && text[last] == '9'; --last) text[last] = '0';
  if (is_up) ++text[last];
  text += "e-" + std::to_string(decimals);
  double made = 0;
  std::from_chars(text.data(), text.data() + text.size(), made);
  return made == 0 ? 0 : std::copysign(made, value);
}

Value round(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (!value.is_number()) return wrong_argument(call, value);
  if (call.arguments.size() == 2) {
    auto const* digits = call.arguments[1].find_integer();
    if (digits == nullptr || *digits < 0 || *digits > 300) return wrong_argument(call, call.arguments[1]);
    if (*digits > 0 && std::isfinite(value.number())) return rounded_decimal(value.number(), *digits);
  }
  return rounded(value.number());
}

Value atan2(FunctionCall const& call) {
  for (auto const& value : call.arguments) {
    if (value.is_null()) return {};
    if (!value.is_number()) return wrong_argument(call, value);
  }
  return std::atan2(call.arguments[0].number(), call.arguments[1].number());
}

Value rand(FunctionCall const& call) {
  return call.state.random();
}

Value constant(FunctionCall const& call) {
  return call.name == "pi" ? std::numbers::pi : std::numbers::e;
}

}  // namespace whence::queries::cypher::functions
