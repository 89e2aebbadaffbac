// The operators of expressions on values.
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/run/pattern_match.hpp"
#include "queries/cypher/values/calendar.hpp"
#include "queries/cypher/values/compare.hpp"
#include "queries/cypher/values/components.hpp"
#include "queries/cypher/values/duration.hpp"
#include "queries/cypher/values/moment_parts.hpp"
#include "queries/cypher/values/text.hpp"
#include "schema/base/text.hpp"

#include <cmath>

namespace whence::queries::cypher {
namespace {

constexpr std::size_t text_bytes_max = 64u << 20;

Value wrong_types(Value const& left, Value const& right, std::string_view what, RunState& state, Place place) {
  return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                    std::string{name_of(left.type())} + " and " + std::string{name_of(right.type())} + " have no " +
                        std::string{what},
                    place);
}

Value overflow(RunState& state, Place place) {
  return state.fail(ErrorKind::arithmetic_error, "IntegerOverflow", "the integer does not fit into 64 bits", place);
}

Value integer_arithmetic(Op op, std::int64_t a, std::int64_t b, RunState& state, Place place) {
  std::int64_t made = 0;
  switch (op) {
    case Op::add:
      return __builtin_add_overflow(a, b, &made) ? overflow(state, place) : Value{made};
    case Op::subtract:
      return __builtin_sub_overflow(a, b, &made) ? overflow(state, place) : Value{made};
    case Op::multiply:
      return __builtin_mul_overflow(a, b, &made) ? overflow(state, place) : Value{made};
    case Op::power:
      return std::pow(static_cast<double>(a), static_cast<double>(b));
    default:
      break;
  }
  if (b == 0) return state.fail(ErrorKind::arithmetic_error, "DivisionByZero", "an integer is divided by 0", place);
  if (b == -1) return op == Op::modulo ? Value{std::int64_t{0}} : a == INT64_MIN ? overflow(state, place) : Value{-a};
  return op == Op::divide ? a / b : a % b;
}

Value float_arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::modulo:
      return std::fmod(a, b);
    default:
      return std::pow(a, b);
  }
}

Value concatenated(Value const& left, Value const& right, RunState& state, Place place) {
  auto const* a = left.find_list();
  auto const* b = right.find_list();
  List made;
  auto const size = (a != nullptr ? a->size() : 1) + (b != nullptr ? b->size() : 1);
  if (size > 10'000'000)
    return state.fail(ErrorKind::limit_exceeded, "list", "a list has at most 10000000 elements", place);
  if (!state.may_make(size * sizeof(Value), place)) return {};
  made.reserve(size);
  if (a != nullptr)
    made = *a;
  else
    made.push_back(left);
  if (b != nullptr)
    made.insert(made.end(), b->begin(), b->end());
  else
    made.push_back(right);
  return made;
}

Value joined(std::string const& left, std::string const& right, RunState& state, Place place) {
  auto const size = left.size() + right.size();
  if (size > text_bytes_max) return state.fail(ErrorKind::limit_exceeded, "bytes", "a text has at most 64 MiB", place);
  if (!state.may_make(size, place)) return {};
  std::string made;
  made.reserve(size);  // `+` would copy one text and then grow
  return made.append(left).append(right);
}

/// Whether a day is beyond the years that texts and parts of moments may have.
bool is_far_day(std::int64_t days) {
  constexpr std::int64_t year_max = 999'999'999;
  auto const year = civil_of(days).year;
  return year > year_max || year < -year_max;
}

/// `moment + duration` and `moment - duration`.
Value moved(Value const& moment, Duration const& duration, RunState& state, Place place) {
  auto const parts = parts_of(moment);
  constexpr std::int64_t far = 365'000'000'000;
  auto const is_far = [](std::int64_t value, std::int64_t bound) { return value > bound || value < -bound; };
  if (is_far(duration.months, far / 30) || is_far(duration.days, far) || is_far(duration.seconds, far * 86400)) {
    return state.fail(ErrorKind::argument_error, "NumberOutOfRange", "the moment is too far away", place);
  }
  auto const made = later(*parts, duration, state.environment().zones);
  if (made.days && is_far_day(*made.days)) {
    return state.fail(ErrorKind::argument_error, "NumberOutOfRange", "the moment is too far away", place);
  }
  return value_of(made, moment.type());
}

Value temporal_arithmetic(Op op, Value const& left, Value const& right, RunState& state, Place place) {
  auto const* a = left.find_duration();
  auto const* b = right.find_duration();
  if (op == Op::add || op == Op::subtract) {
    if (a != nullptr && b != nullptr) return sum(*a, op == Op::add ? *b : negated(*b));
    if (b != nullptr && parts_of(left)) return moved(left, op == Op::add ? *b : negated(*b), state, place);
    if (a != nullptr && op == Op::add && parts_of(right)) return moved(right, *a, state, place);
  }
  std::optional<Duration> made;
  if (op == Op::multiply && a != nullptr && right.is_number()) made = scaled(*a, right.number());
  if (op == Op::multiply && b != nullptr && left.is_number()) made = scaled(*b, left.number());
  if (op == Op::divide && a != nullptr && right.is_number()) {
    auto const by = static_cast<long double>(right.number());
    made = make_duration(static_cast<long double>(a->months) / by, static_cast<long double>(a->days) / by,
                         static_cast<long double>(a->seconds) / by, static_cast<long double>(a->nanos) / by);
  }
  return made ? Value{*made} : wrong_types(left, right, "such operation", state, place);
}

Value arithmetic(Op op, Value const& left, Value const& right, RunState& state, Place place) {
  if (left.is_null() || right.is_null()) return {};
  if (op == Op::add && (left.find_list() != nullptr || right.find_list() != nullptr))
    return concatenated(left, right, state, place);
  if (left.is_number() && right.is_number()) {
    auto const* a = left.find_integer();
    auto const* b = right.find_integer();
    if (a != nullptr && b != nullptr) return integer_arithmetic(op, *a, *b, state, place);
    return float_arithmetic(op, left.number(), right.number());
  }
  auto const* a = left.find_text();
  auto const* b = right.find_text();
  if (op == Op::add && (a != nullptr || b != nullptr) && (a != nullptr || left.is_number()) &&
      (b != nullptr || right.is_number())) {
    auto const left_number = a == nullptr ? to_text(left) : std::string{};
    auto const right_number = b == nullptr ? to_text(right) : std::string{};
    return joined(a != nullptr ? *a : left_number, b != nullptr ? *b : right_number, state, place);
  }
  if (left.find_duration() != nullptr || right.find_duration() != nullptr)
    return temporal_arithmetic(op, left, right, state, place);
  return wrong_types(left, right, "such operation", state, place);
}

/// A comparison of these was null: says so where that is for want of a time.
void note_null(Value const& left, Value const& right, RunState& state, Place place) {
  if ((!is_moment(left) && !is_moment(right)) || state.has_noted(place)) return;
  auto const& moment = is_moment(left) ? left : right;
  auto const& other = is_moment(left) ? right : left;
  std::string message = "null: a " + std::string{name_of(moment.type())} + " is compared with ";
  constexpr std::size_t shown_max = 60;
  if (auto const* text = other.find_text()) {
    message += "'" + schema::cut(*text, shown_max) + "', which is no text of one";
  } else if (other.is_number()) {
    message += "a number; datetime({epochMillis: n}) is the time of milliseconds";
  } else if (other.is_null()) {
    return;
  } else {
    message += "a " + std::string{name_of(other.type())};
    if (is_moment(other)) message += "; datetime() and date() make one of the other";
  }
  state.note(place, std::move(message));
}

Value compared(Op op, Value const& left, Value const& right, RunState& state, Place place) {
  if (op == Op::equal || op == Op::not_equal) {
    auto const same = equals(left, right, state, place);
    if (!same) return {};
    return op == Op::equal ? *same : !*same;
  }
  auto const c = compare(left, right);
  if (!c) {
    note_null(left, right, state, place);
    return {};
  }
  if (is_nan(left) || is_nan(right)) return false;
  switch (op) {
    case Op::less:
      return *c < 0;
    case Op::less_equal:
      return *c <= 0;
    case Op::greater:
      return *c > 0;
    default:
      return *c >= 0;
  }
}

Value contained(Value const& element, Value const& container, RunState& state, Place place) {
  if (container.is_null()) return {};
  auto const* list = container.find_list();
  if (list == nullptr) return wrong_types(element, container, "IN, which needs a list", state, place);
  bool is_unknown = false;
  for (auto const& each : *list) {
    auto const same = equals(element, each, state, place);
    if (same && *same) return true;
    is_unknown = is_unknown || !same;
  }
  return is_unknown ? Value{} : Value{false};
}

Value text_predicate(Op op, Value const& left, Value const& right, RunState& state, Place place) {
  auto const* a = left.find_text();
  auto const* b = right.find_text();
  if (a == nullptr || b == nullptr) {
    if (is_moment(left) || is_moment(right)) state.note(place, "null: a moment is no text; toString() makes one of it");
    return {};
  }
  switch (op) {
    case Op::starts_with:
      return a->starts_with(*b);
    case Op::ends_with:
      return a->ends_with(*b);
    case Op::contains:
      return find_in(*a, *b) != std::string::npos;
    default:
      return matches_pattern(*a, *b, state, place);
  }
}

Value negated_number(Value const& value, RunState& state, Place place) {
  if (auto const* number = value.find_integer()) return *number == INT64_MIN ? overflow(state, place) : Value{-*number};
  if (auto const* number = value.find_double()) return -*number;
  if (auto const* duration = value.find_duration()) return negated(*duration);
  if (value.is_null()) return {};
  return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                    std::string{name_of(value.type())} + " has no negative", place);
}

}  // namespace

std::optional<bool> equals(Value const& a, Value const& b, RunState& state, Place place) {
  auto const same = equals(a, b);
  if (!same) note_null(a, b, state, place);
  return same;
}

Value apply(Op op, Value const& left, Value const& right, RunState& state, Place place) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
    case Op::power:
      return arithmetic(op, left, right, state, place);
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return compared(op, left, right, state, place);
    case Op::in:
      return contained(left, right, state, place);
    case Op::starts_with:
    case Op::ends_with:
    case Op::contains:
    case Op::matches:
      return text_predicate(op, left, right, state, place);
    case Op::negate:
      return negated_number(left, state, place);
    case Op::plus:
      if (!left.is_null() && !left.is_number()) {
        return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                          std::string{name_of(left.type())} + " is no number", place);
      }
      return left;
    case Op::is_null:
      return left.is_null();
    case Op::is_not_null:
      return !left.is_null();
    default:
      return {};  // logical operators do not always need both sides: evaluate.cpp
  }
}

Value property_of(Value const& value, std::string_view name, RunState& state, Place place) {
  switch (value.type()) {
    case ValueType::null:
      return {};
    case ValueType::map: {
      auto const* map = value.find_map();
      auto const found = map->find(name);
      return found == map->end() ? Value{} : found->second;
    }
    case ValueType::node: {
      auto const* node = value.find_node();
      return node->graph->node_property(node->id, name);
    }
    case ValueType::relation: {
      auto const* relation = value.find_relation();
      return relation->graph->relation_property(*relation, name);
    }
    case ValueType::boolean:
    case ValueType::integer:
    case ValueType::floating:
    case ValueType::text:
    case ValueType::list:
    case ValueType::path:
      return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                        std::string{name_of(value.type())} + " has no properties", place);
    default:
      return component_of(value, name);
  }
}

}  // namespace whence::queries::cypher
