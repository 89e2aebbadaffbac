#include "queries/cypher/evaluate/evaluate.hpp"

#include "queries/cypher/evaluate/elements.hpp"
#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/values/compare.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

/// True, false, or unknown; a failure for what is no boolean.
std::optional<bool> truth(Value const& value, RunState& state, Place place) {
  if (auto const* flag = value.find_bool()) return *flag;
  if (!value.is_null()) {
    state.fail(ErrorKind::type_error, "InvalidArgumentType",
               "a boolean was expected, not " + std::string{name_of(value.type())}, place);
  }
  return std::nullopt;
}

Value from_truth(std::optional<bool> truth) {
  return truth ? Value{*truth} : Value{};
}

Value logical(Expression const& expression, Row& row, RunState& state) {
  auto const left = truth(evaluate(*expression.operands[0], row, state), state, expression.place);
  if (expression.op == Op::logical_not) return left ? Value{!*left} : Value{};
  if (expression.op == Op::logical_and && left && !*left) return false;
  if (expression.op == Op::logical_or && left && *left) return true;
  auto const right = truth(evaluate(*expression.operands[1], row, state), state, expression.place);
  if (expression.op == Op::logical_xor) return left && right ? Value{*left != *right} : Value{};
  bool const deciding = expression.op == Op::logical_or;
  if (right && *right == deciding) return deciding;
  return left && right ? Value{!deciding} : Value{};
}

/// `a < b < c` is `a < b AND b < c`.
Value comparison(Expression const& expression, Row& row, RunState& state) {
  HeldValues held{state};
  auto left = evaluate(*expression.operands[0], row, state);
  held.add(left, *expression.operands[0]);
  std::optional<bool> result = true;
  for (std::size_t i = 0; i < expression.ops.size(); ++i) {
    auto right = evaluate(*expression.operands[i + 1], row, state);
    if (!held.add(right, *expression.operands[i + 1])) return {};
    auto const one = truth(apply(expression.ops[i], left, right, state, expression.place), state, expression.place);
    if (one && !*one) return false;
    if (!one) result.reset();
    left = std::move(right);
  }
  return from_truth(result);
}

Value index(Value const& base, Value const& at, RunState& state, Place place) {
  if (base.is_null() || at.is_null()) return {};
  if (auto const* list = base.find_list()) {
    auto const* number = at.find_integer();
    if (number == nullptr) {
      return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                        "a list's index is an integer, not " + std::string{name_of(at.type())}, place);
    }
    auto const size = static_cast<std::int64_t>(list->size());
    auto const place_in_list = *number < 0 ? *number + size : *number;
    if (place_in_list < 0 || place_in_list >= size) return {};
    return (*list)[static_cast<std::size_t>(place_in_list)];
  }
  if (base.find_map() == nullptr && base.find_node() == nullptr && base.find_relation() == nullptr) {
    return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                      std::string{name_of(base.type())} + " has no elements", place);
  }
  auto const* key = at.find_text();
  if (key == nullptr) {
    return state.fail(ErrorKind::type_error, "MapElementAccessByNonString",
                      "a key is a text, not " + std::string{name_of(at.type())}, place);
  }
  return property_of(base, *key, state, place);
}

Value slice(Expression const& expression, Row& row, RunState& state) {
  auto const base = evaluate(*expression.operands[0], row, state);
  HeldValues held{state};
  if (!held.add_made(base, *expression.operands[0])) return {};
  Value ends[2];
  for (std::size_t i = 0; i < 2; ++i) {
    if (expression.operands[i + 1] == nullptr) continue;
    ends[i] = evaluate(*expression.operands[i + 1], row, state);
    if (ends[i].is_null()) return {};
    if (ends[i].find_integer() == nullptr) {
      return state.fail(ErrorKind::type_error, "InvalidArgumentType", "the ends of a slice are integers",
                        expression.place);
    }
  }
  if (base.is_null()) return {};
  auto const* list = base.find_list();
  if (list == nullptr)
    return state.fail(ErrorKind::type_error, "InvalidArgumentType", "a slice is taken from a list", expression.place);
  auto const size = static_cast<std::int64_t>(list->size());
  auto const place_of = [size](Value const& end, std::int64_t otherwise) {
    if (end.is_null()) return otherwise;
    auto const number = *end.find_integer();
    return std::clamp(number < 0 ? number + size : number, std::int64_t{0}, size);
  };
  auto const begin = place_of(ends[0], 0);
  auto const end = place_of(ends[1], size);
  if (begin >= end) return List{};
  if (!state.may_make(static_cast<std::uint64_t>(end - begin) * sizeof(Value), expression.place)) return {};
  return List(list->begin() + begin, list->begin() + end);
}

/// Evaluates the arguments of a call and gives it to `use`; what that makes of nothing after a failure.
template <class Use>
auto with_call(Expression const& expression, Row& row, RunState& state, Use const& use) {
  using Made = decltype(use(std::declval<FunctionCall const&>()));
  constexpr std::size_t few = 4;
  Value on_stack[few];
  std::vector<Value> many;
  auto const count = expression.operands.size();
  if (count > few) many.resize(count);
  auto* arguments = count > few ? many.data() : on_stack;
  HeldValues held{state};
  for (std::size_t i = 0; i < count; ++i) {
    arguments[i] = evaluate(*expression.operands[i], row, state);
    if (!held.add(arguments[i], *expression.operands[i])) return Made{};
  }
  if (state.failed()) return Made{};
  return use(FunctionCall{
      .state = state, .arguments = {arguments, count}, .place = expression.place, .name = expression.function->name});
}

Value call(Expression const& expression, Row& row, RunState& state) {
  auto made =
      with_call(expression, row, state, [&](FunctionCall const& call) { return expression.function->call(call); });
  return state.bounded(std::move(made), expression.place);
}

Value conditional(Expression const& expression, Row& row, RunState& state) {
  std::size_t at = 0;
  Value test;
  bool const has_test = expression.name[0] == 't';
  HeldValues held{state};
  if (has_test) {
    test = evaluate(*expression.operands[0], row, state);
    if (!held.add_made(test, *expression.operands[at++])) return {};
  }
  auto const size = expression.operands.size();
  for (; at + 1 < size; at += 2) {
    bool chosen = false;
    if (has_test) {
      auto const same =
          equals(test, evaluate(*expression.operands[at], row, state), state, expression.operands[at]->place);
      chosen = same && *same;
    } else {
      chosen = is_true(*expression.operands[at], row, state);
    }
    if (chosen) return evaluate(*expression.operands[at + 1], row, state);
  }
  return at < size ? evaluate(*expression.operands[at], row, state) : Value{};
}

/// The list that a comprehension goes over; none where it is null, or no list.
Elements list_of(Expression const& expression, Row& row, RunState& state) {
  auto elements = elements_of(expression, row, state);
  if (!elements.is_null() && !elements.is_list()) {
    return Elements{state.fail(ErrorKind::type_error, "InvalidArgumentType",
                               "a list was expected, not " + std::string{name_of(elements.value().type())},
                               expression.place)};
  }
  return elements;
}

Value list_comprehension(Expression const& expression, Row& row, RunState& state) {
  auto elements = list_of(*expression.operands[0], row, state);
  if (elements.is_null()) return {};
  HeldValues held{state};
  held.add(elements.value(), *expression.operands[0]);
  List made;
  while (!elements.is_at_end()) {
    auto const each = elements.next();
    if (!state.spend(1)) return {};
    row[expression.slot] = each;
    if (expression.operands[1] != nullptr && !is_true(*expression.operands[1], row, state)) continue;
    made.push_back(expression.operands[2] != nullptr ? evaluate(*expression.operands[2], row, state) : each);
    if (!held.add(made.back())) return {};
  }
  return made;
}

Value quantifier(Expression const& expression, Row& row, RunState& state) {
  auto elements = list_of(*expression.operands[0], row, state);
  if (elements.is_null()) return {};
  HeldValues held{state};
  held.add(elements.value(), *expression.operands[0]);
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t unknown = 0;
  auto const& name = expression.name;
  // What is decided is not looked at further: a range may be endless, nearly.
  auto const is_decided = [&] { return name == "all" ? no > 0 : name == "single" ? yes > 1 : yes > 0; };
  while (!elements.is_at_end() && !is_decided()) {
    if (!state.spend(1)) return {};
    row[expression.slot] = elements.next();
    auto const one = expression.operands[1] == nullptr
                         ? std::optional{true}
                         : truth(evaluate(*expression.operands[1], row, state), state, expression.place);
    ++(!one ? unknown : *one ? yes : no);
  }
  if (name == "all") return no > 0 ? Value{false} : unknown > 0 ? Value{} : Value{true};
  if (name == "any") return yes > 0 ? Value{true} : unknown > 0 ? Value{} : Value{false};
  if (name == "none") return yes > 0 ? Value{false} : unknown > 0 ? Value{} : Value{true};
  return yes > 1 ? Value{false} : unknown > 0 ? Value{} : Value{yes == 1};
}

Value reduce(Expression const& expression, Row& row, RunState& state) {
  auto accumulator = evaluate(*expression.operands[0], row, state);
  HeldValues held{state};
  HeldValues held_total{state};
  if (!held_total.add_made(accumulator, *expression.operands[0])) return {};
  auto elements = list_of(*expression.operands[1], row, state);
  if (elements.is_null()) return {};
  held.add(elements.value(), *expression.operands[1]);
  while (!elements.is_at_end()) {
    if (!state.spend(1)) return {};
    row[expression.accumulator] = accumulator;
    row[expression.slot] = elements.next();
    accumulator = evaluate(*expression.operands[2], row, state);
    if (!held_total.add(accumulator)) return {};  // beside the one before it, which the row has
    row[expression.accumulator] = {};
    held_total.clear();
    if (!held_total.add(accumulator)) return {};
  }
  return accumulator;
}

Value map(Expression const& expression, Row& row, RunState& state) {
  HeldValues held{state};
  Map made;
  for (std::size_t i = 0; i < expression.names.size(); ++i) {
    auto value = evaluate(*expression.operands[i], row, state);
    if (!held.add(value)) return {};
    made[expression.names[i]] = std::move(value);
  }
  return made;
}

Value map_projection(Expression const& expression, Row& row, RunState& state) {
  auto const base = evaluate(*expression.operands[0], row, state);
  if (base.is_null()) return {};
  HeldValues held{state};
  if (!held.add_made(base, *expression.operands[0])) return {};
  Map made;
  for (std::size_t i = 0; i < expression.names.size(); ++i) {
    if (expression.operands[i + 1] != nullptr) {
      auto value = evaluate(*expression.operands[i + 1], row, state);
      if (!held.add(value)) return {};
      made[expression.names[i]] = std::move(value);
    } else if (auto const* node = base.find_node()) {
      made.merge(node->graph->node_properties(node->id));
    } else if (auto const* relation = base.find_relation()) {
      made.merge(relation->graph->relation_properties(*relation));
    } else if (auto const* own = base.find_map()) {
      for (auto const& entry : *own) made.insert(entry);
    }
  }
  return made;
}

Value has_labels(Expression const& expression, Row& row, RunState& state) {
  auto const value = evaluate(*expression.operands[0], row, state);
  if (value.is_null()) return {};
  if (auto const* relation = value.find_relation()) {
    auto const type = relation->graph->type_name(relation->graph->type_of(*relation));
    return std::ranges::all_of(expression.names, [&](std::string const& name) { return name == type; });
  }
  auto const* node = value.find_node();
  if (node == nullptr) {
    return state.fail(ErrorKind::type_error, "InvalidArgumentType",
                      std::string{name_of(value.type())} + " has no labels", expression.place);
  }
  return std::ranges::all_of(expression.names, [&](std::string const& name) {
    auto const label = node->graph->find_label(name);
    return label && node->graph->has_label(node->id, *label);
  });
}

Value subquery(Expression const& expression, Row& row, RunState& state) {
  switch (expression.kind) {
    case ExpressionKind::pattern_comprehension: {
      HeldValues held{state};
      List made;
      state.subqueries()->each(expression, row, [&](Row& found) {
        made.push_back(evaluate(*expression.operands[1], found, state));
        return held.add(made.back()) && !state.failed();
      });
      return made;
    }
    case ExpressionKind::shortest_path: {
      bool const wants_all = expression.pattern->paths[0].search == PathSearch::all_shortest;
      HeldValues held{state};
      List made;
      state.subqueries()->each(expression, row, [&](Row& found) {
        made.push_back(found[expression.pattern->paths[0].slot]);
        return held.add(made.back()) && wants_all;
      });
      if (wants_all) return made;
      return made.empty() ? Value{} : made[0];
    }
    default: {
      std::int64_t count = 0;
      bool const counts = expression.name == "count";
      state.subqueries()->each(expression, row, [&](Row&) {
        ++count;
        return counts;
      });
      return counts ? Value{count} : Value{count > 0};
    }
  }
}

}  // namespace

bool is_true(Expression const& condition, Row& row, RunState& state) {
  auto const value = truth(evaluate(condition, row, state), state, condition.place);
  return value && *value;
}

Elements elements_of(Expression const& expression, Row& row, RunState& state) {
  bool const is_range = expression.kind == ExpressionKind::call && expression.function != nullptr &&
                        expression.function->call == functions::range;
  if (!is_range) return Elements{evaluate(expression, row, state)};
  auto const range = with_call(expression, row, state, number_range);
  return range ? Elements{*range} : Elements{};
}

Value evaluate(Expression const& expression, Row& row, RunState& state) {
  if (state.failed()) return {};
  switch (expression.kind) {
    case ExpressionKind::literal:
      return expression.value;
    case ExpressionKind::parameter: {
      auto const found = state.params().find(expression.name);
      return found == state.params().end() ? Value{} : found->second;
    }
    case ExpressionKind::variable:
      return row[expression.slot];
    case ExpressionKind::property:
      return property_of(evaluate(*expression.operands[0], row, state), expression.name, state, expression.place);
    case ExpressionKind::index: {
      auto const base = evaluate(*expression.operands[0], row, state);
      HeldValues held{state};
      if (!held.add_made(base, *expression.operands[0])) return {};
      return index(base, evaluate(*expression.operands[1], row, state), state, expression.place);
    }
    case ExpressionKind::slice:
      return slice(expression, row, state);
    case ExpressionKind::list: {
      HeldValues held{state};
      List made;
      made.reserve(expression.operands.size());
      for (auto const& each : expression.operands) {
        made.push_back(evaluate(*each, row, state));
        if (!held.add(made.back())) return {};
      }
      return state.bounded(Value{std::move(made)}, expression.place);
    }
    case ExpressionKind::map:
      return state.bounded(map(expression, row, state), expression.place);
    case ExpressionKind::map_projection:
      return state.bounded(map_projection(expression, row, state), expression.place);
    case ExpressionKind::call:
      // The operator that aggregates has left the result in the row.
      if (expression.function->aggregation != Aggregation::none) return row[expression.slot];
      return call(expression, row, state);
    case ExpressionKind::count_all:
      return row[expression.slot];
    case ExpressionKind::operation: {
      if (expression.op <= Op::logical_not) return logical(expression, row, state);
      HeldValues held{state};
      auto const left = evaluate(*expression.operands[0], row, state);
      held.add(left, *expression.operands[0]);
      auto const right = expression.operands.size() > 1 ? evaluate(*expression.operands[1], row, state) : Value{};
      if (expression.operands.size() > 1) held.add(right, *expression.operands[1]);
      if (state.failed()) return {};
      return state.bounded(apply(expression.op, left, right, state, expression.place), expression.place);
    }
    case ExpressionKind::comparison:
      return comparison(expression, row, state);
    case ExpressionKind::has_labels:
      return has_labels(expression, row, state);
    case ExpressionKind::conditional:
      return conditional(expression, row, state);
    case ExpressionKind::list_comprehension:
      return state.bounded(list_comprehension(expression, row, state), expression.place);
    case ExpressionKind::quantifier:
      return quantifier(expression, row, state);
    case ExpressionKind::reduce:
      return reduce(expression, row, state);
    case ExpressionKind::pattern:
    case ExpressionKind::pattern_comprehension:
    case ExpressionKind::shortest_path:
    case ExpressionKind::exists:
      return state.bounded(subquery(expression, row, state), expression.place);
  }
  return {};
}

}  // namespace whence::queries::cypher
