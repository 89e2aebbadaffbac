// Functions of lists and of any value.
#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/functions/range.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/code_points.hpp"

#include <algorithm>

namespace whence::queries::cypher::functions {
namespace {

constexpr std::uint64_t range_max = 10'000'000;
constexpr std::uint64_t range_slice = 1u << 16;  ///< numbers between two looks at the interrupt

/// Splits a text of UTF-8 into its characters, last one first.
std::string reversed_text(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  auto end = text.size();
  while (end > 0) {
    auto begin = end - 1;
    while (begin > 0 && schema::is_continuation(text[begin])) --begin;
    made.append(text.substr(begin, end - begin));
    end = begin;
  }
  return made;
}

}  // namespace

Value coalesce(FunctionCall const& call) {
  auto const found = std::ranges::find_if(call.arguments, [](Value const& value) { return !value.is_null(); });
  return found == call.arguments.end() ? Value{} : *found;
}

Value exists(FunctionCall const& call) {
  return !call.arguments[0].is_null();
}

Value size(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (auto const* list = value.find_list()) return static_cast<std::int64_t>(list->size());
  if (auto const* map = value.find_map()) return static_cast<std::int64_t>(map->size());
  if (auto const* text = value.find_text()) {
    return static_cast<std::int64_t>(schema::code_points(*text));
  }
  return wrong_argument(call, value);
}

Value head(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* list = value.find_list();
  if (list == nullptr) return wrong_argument(call, value);
  return list->empty() ? Value{} : list->front();
}

Value last(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* list = value.find_list();
  if (list == nullptr) return wrong_argument(call, value);
  return list->empty() ? Value{} : list->back();
}

Value tail(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  auto const* list = value.find_list();
  if (list == nullptr) return wrong_argument(call, value);
  if (!call.state.may_make(bytes_of(value), call.place)) return {};
  return list->empty() ? List{} : List(list->begin() + 1, list->end());
}

Value reverse(FunctionCall const& call) {
  auto const& value = call.arguments[0];
  if (value.is_null()) return {};
  if (auto const* list = value.find_list()) {
    if (!call.state.may_make(bytes_of(value), call.place)) return {};
    return List(list->rbegin(), list->rend());
  }
  if (auto const* text = value.find_text()) return reversed_text(*text);
  return wrong_argument(call, value);
}

Value range(FunctionCall const& call) {
  auto numbers = number_range(call);
  if (!numbers) return {};
  List made;
  if (numbers->is_empty) return made;
  auto const steps = numbers->steps();
  if (steps >= range_max) {
    return call.state.fail(ErrorKind::limit_exceeded, "list",
                           "a list of range() has at most " + std::to_string(range_max) + " numbers", call.place);
  }
  auto const count = steps + 1;
  if (!call.state.may_make(count * sizeof(Value), call.place)) return {};
  made.reserve(count);
  while (!numbers->is_empty) {
    if (made.size() % range_slice == 0 && !call.state.spend(range_slice / 8)) return {};
    made.emplace_back(numbers->take());
  }
  return made;
}

}  // namespace whence::queries::cypher::functions

namespace whence::queries::cypher {

std::optional<NumberRange> number_range(FunctionCall const& call) {
  std::int64_t parts[3] = {0, 0, 1};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    auto const& value = call.arguments[i];
    if (value.is_null()) return std::nullopt;
    auto const* number = value.find_integer();
    if (number == nullptr) {
      call.state.fail(ErrorKind::argument_error, "InvalidArgumentType", "range() takes integers only", call.place);
      return std::nullopt;
    }
    parts[i] = *number;
  }
  auto const [begin, end, step] = parts;
  if (step == 0) {
    call.state.fail(ErrorKind::argument_error, "NumberOutOfRange", "the step of range() is not 0", call.place);
    return std::nullopt;
  }
  NumberRange made{.first = begin, .last = end, .step = step, .is_empty = step > 0 ? begin > end : begin < end};
  // The last number that the steps meet.
  auto const whole = made.is_empty ? 0 : made.steps() * made.stride();
  auto const from = static_cast<std::uint64_t>(begin);
  made.last = static_cast<std::int64_t>(step > 0 ? from + whole : from - whole);
  return made;
}

}  // namespace whence::queries::cypher
