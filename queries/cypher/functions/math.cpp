// Functions of numbers.
#include "queries/cypher/functions/families.hpp"

#include <array>
#include <cmath>
#include <numbers>

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

Value round(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (!value.is_number()) return wrong_argument(call, value);
  double scale = 1;
  if (call.arguments.size() == 2) {
    auto const* digits = call.arguments[1].find_integer();
    if (digits == nullptr || *digits < 0 || *digits > 300) return wrong_argument(call, call.arguments[1]);
    scale = std::pow(10.0, static_cast<double>(*digits));
  }
  auto const scaled = value.number() * scale;
  return std::isfinite(scaled) ? rounded(scaled) / scale : value.number();  // beyond: it has no such digits
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
