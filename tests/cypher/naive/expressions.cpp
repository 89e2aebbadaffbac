// Expressions of the naive evaluator.
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/functions/table.hpp"
#include "queries/cypher/values/compare.hpp"
#include "tests/cypher/naive/evaluator.hpp"

#include <algorithm>

namespace whence::tests {
namespace {

/// The three values of the language's logic.
enum class Truth : std::uint8_t { no, unknown, yes };

Value value_of(Truth truth) {
  return truth == Truth::unknown ? Value{} : Value{truth == Truth::yes};
}

}  // namespace

bool NaiveEvaluator::is_true(Expression const& condition, Map const& row) {
  auto const value = evaluate(condition, row);
  if (!value.is_null() && value.find_bool() == nullptr) fail("a condition that is no boolean");
  return value.find_bool() != nullptr && *value.find_bool();
}

Value NaiveEvaluator::logical(Expression const& expression, Map const& row) {
  std::vector<Truth> sides;
  for (auto const& operand : expression.operands) {
    auto const value = evaluate(*operand, row);
    if (!value.is_null() && value.find_bool() == nullptr) return fail("an operand that is no boolean");
    sides.push_back(value.is_null() ? Truth::unknown : *value.find_bool() ? Truth::yes : Truth::no);
  }
  switch (expression.op) {
    case Op::logical_not:
      return value_of(static_cast<Truth>(2 - static_cast<int>(sides[0])));
    case Op::logical_and:
      return value_of(std::min(sides[0], sides[1]));
    case Op::logical_or:
      return value_of(std::max(sides[0], sides[1]));
    default:
      if (sides[0] == Truth::unknown || sides[1] == Truth::unknown) return {};
      return sides[0] != sides[1];
  }
}

Value NaiveEvaluator::compared(Op op, Value const& left, Value const& right) {
  if (op == Op::equal || op == Op::not_equal) {
    auto const same = equals(left, right);
    return same ? Value{*same == (op == Op::equal)} : Value{};
  }
  auto const c = compare(left, right);
  if (!c) return {};
  if (is_nan(left) || is_nan(right)) return false;
  return (op == Op::less && *c < 0) || (op == Op::less_equal && *c <= 0) || (op == Op::greater && *c > 0) ||
         (op == Op::greater_equal && *c >= 0);
}

Value NaiveEvaluator::property(Value const& base, std::string_view name) {
  if (base.is_null()) return {};
  Map all;
  if (auto const* node = base.find_node()) {
    all = node->graph->node_properties(node->id);
  } else if (auto const* relation = base.find_relation()) {
    all = relation->graph->relation_properties(*relation);
  } else if (auto const* map = base.find_map()) {
    all = *map;
  } else {
    return property_of(base, name, state_, {});  // moments and durations
  }
  auto const found = all.find(name);
  return found == all.end() ? Value{} : found->second;
}

Value NaiveEvaluator::element(Value const& base, Value const& at) {
  if (base.is_null() || at.is_null()) return {};
  if (auto const* key = at.find_text()) return property(base, *key);
  auto const* list = base.find_list();
  if (list == nullptr || at.find_integer() == nullptr) return fail("no list, or no index");
  auto const size = static_cast<std::int64_t>(list->size());
  auto const index = *at.find_integer() < 0 ? size + *at.find_integer() : *at.find_integer();
  return index >= 0 && index < size ? (*list)[static_cast<std::size_t>(index)] : Value{};
}

Value NaiveEvaluator::slice(Expression const& expression, Map const& row) {
  auto const base = evaluate(*expression.operands[0], row);
  if (base.is_null()) return {};
  auto const size = static_cast<std::int64_t>(base.find_list()->size());
  std::int64_t ends[2] = {0, size};
  for (std::size_t i = 0; i < 2; ++i) {
    if (expression.operands[i + 1] == nullptr) continue;
    auto const end = evaluate(*expression.operands[i + 1], row);
    if (end.is_null()) return {};
    ends[i] = *end.find_integer() < 0 ? size + *end.find_integer() : *end.find_integer();
  }
  List made;
  for (std::int64_t i = 0; i < size; ++i) {
    if (i >= ends[0] && i < ends[1]) made.push_back((*base.find_list())[static_cast<std::size_t>(i)]);
  }
  return made;
}

Value NaiveEvaluator::conditional(Expression const& expression, Map const& row) {
  std::optional<Value> test;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    auto const role = expression.name[i];
    if (role == 't' && i == 0) {
      test = evaluate(*expression.operands[0], row);
    } else if (role == 'w') {
      auto const when = evaluate(*expression.operands[i], row);
      bool const holds = test ? equals(*test, when).value_or(false) : when.find_bool() != nullptr && *when.find_bool();
      if (holds) return evaluate(*expression.operands[i + 1], row);
      ++i;
    } else {
      return evaluate(*expression.operands[i], row);
    }
  }
  return {};
}

/// List comprehensions, quantifiers, `reduce`.
Value NaiveEvaluator::comprehension(Expression const& expression, Map const& row) {
  bool const reduces = expression.kind == ExpressionKind::reduce;
  auto const value = evaluate(*expression.operands[reduces ? 1 : 0], row);
  auto total = reduces ? evaluate(*expression.operands[0], row) : Value{};
  if (value.is_null()) return {};
  if (value.find_list() == nullptr) return fail("no list");
  auto inner = row;
  if (reduces) {
    for (auto const& each : *value.find_list()) {
      inner[expression.accumulator_name] = total;
      inner[expression.name] = each;
      total = evaluate(*expression.operands[2], inner);
    }
    return total;
  }
  bool const is_list = expression.kind == ExpressionKind::list_comprehension;
  std::size_t counts[3] = {0, 0, 0};
  List made;
  for (auto const& each : *value.find_list()) {
    if (!spend()) return {};
    inner[is_list ? expression.name : expression.names[0]] = each;
    auto const holds = expression.operands[1] != nullptr ? evaluate(*expression.operands[1], inner) : Value{true};
    auto const truth = holds.is_null() ? Truth::unknown : *holds.find_bool() ? Truth::yes : Truth::no;
    ++counts[static_cast<std::size_t>(truth)];
    if (is_list && truth == Truth::yes)
      made.push_back(expression.operands[2] != nullptr ? evaluate(*expression.operands[2], inner) : each);
  }
  if (is_list) return made;
  auto const [no, unknown, yes] = counts;
  if (expression.name == "all") return no > 0 ? Value{false} : unknown > 0 ? Value{} : Value{true};
  if (expression.name == "any") return yes > 0 ? Value{true} : unknown > 0 ? Value{} : Value{false};
  if (expression.name == "none") return yes > 0 ? Value{false} : unknown > 0 ? Value{} : Value{true};
  // Two are too many, whatever the unknown ones are.
  return yes > 1 ? Value{false} : unknown > 0 ? Value{} : Value{yes == 1};
}

Value NaiveEvaluator::map_projection(Expression const& expression, Map const& row) {
  auto const base = evaluate(*expression.operands[0], row);
  if (base.is_null()) return {};
  Map made;
  // Named members hide those of `.*`, wherever that stands.
  for (std::size_t i = 0; i < expression.names.size(); ++i) {
    if (expression.operands[i + 1] != nullptr) made[expression.names[i]] = evaluate(*expression.operands[i + 1], row);
  }
  for (std::size_t i = 0; i < expression.names.size(); ++i) {
    if (expression.operands[i + 1] != nullptr) continue;
    Map all;
    if (auto const* node = base.find_node()) all = node->graph->node_properties(node->id);
    if (auto const* relation = base.find_relation()) all = relation->graph->relation_properties(*relation);
    if (auto const* map = base.find_map()) all = *map;
    made.insert(all.begin(), all.end());
  }
  return made;
}

Value NaiveEvaluator::called(Expression const& expression, Map const& row) {
  auto const* function = find_function(expression.name);
  if (function == nullptr) return fail("no function " + expression.name);
  if (function->aggregation != Aggregation::none) {
    return group_ != nullptr ? aggregated(expression, *group_) : fail("an aggregation without a group");
  }
  // Of a pattern it asks whether that matches; of a value, whether it is one.
  bool const asks_pattern = function->name == "exists" && expression.operands[0]->kind == ExpressionKind::pattern;
  if (asks_pattern) return subquery(*expression.operands[0], row);
  std::vector<Value> arguments;
  for (auto const& each : expression.operands) arguments.push_back(evaluate(*each, row));
  auto made = function->call({.state = state_, .arguments = arguments, .place = {}, .name = function->name});
  if (state_.failed()) return fail(state_.error()->message);
  return made;
}

Value NaiveEvaluator::subquery(Expression const& expression, Map const& row) {
  auto const* const outer = std::exchange(group_, nullptr);
  Value made;
  switch (expression.kind) {
    case ExpressionKind::pattern:
      made = Value{!matches(*expression.pattern, nullptr, row).empty()};
      break;
    case ExpressionKind::pattern_comprehension: {
      List list;
      for (auto const& each : matches(*expression.pattern, expression.operands[0].get(), row))
        list.push_back(evaluate(*expression.operands[1], each));
      made = list;
      break;
    }
    case ExpressionKind::shortest_path: {
      // Given a name, so that the match keeps the path.
      auto& path = expression.pattern->paths[0];
      auto const name = std::exchange(path.name, " path");
      List list;
      for (auto const& each : matches(*expression.pattern, nullptr, row)) list.push_back(each.at(" path"));
      path.name = name;
      bool const wants_all = path.search == PathSearch::all_shortest;
      made = wants_all ? Value{list} : list.empty() ? Value{} : list[0];
      break;
    }
    default: {
      Names names;
      for (auto const& entry : row) names.insert(entry.first);
      auto const count = run(*expression.query, row, names).size();
      made = expression.name == "count" ? Value{static_cast<std::int64_t>(count)} : Value{count > 0};
      break;
    }
  }
  group_ = outer;
  return made;
}

Value NaiveEvaluator::evaluate(Expression const& expression, Map const& row) {
  if (answer_.error || !spend()) return {};
  auto const operand = [&](std::size_t i) { return evaluate(*expression.operands[i], row); };
  switch (expression.kind) {
    case ExpressionKind::literal:
      return expression.value;
    case ExpressionKind::parameter: {
      auto const found = state_.params().find(expression.name);
      return found != state_.params().end() ? found->second : Value{};
    }
    case ExpressionKind::variable: {
      auto const found = row.find(expression.name);
      return found != row.end() ? found->second : fail("no variable " + expression.name);
    }
    case ExpressionKind::property:
      return property(operand(0), expression.name);
    case ExpressionKind::index:
      return element(operand(0), operand(1));
    case ExpressionKind::slice:
      return slice(expression, row);
    case ExpressionKind::list: {
      List made;
      for (std::size_t i = 0; i < expression.operands.size(); ++i) made.push_back(operand(i));
      return made;
    }
    case ExpressionKind::map: {
      Map made;
      for (std::size_t i = 0; i < expression.operands.size(); ++i) made[expression.names[i]] = operand(i);
      return made;
    }
    case ExpressionKind::map_projection:
      return map_projection(expression, row);
    case ExpressionKind::call:
      return called(expression, row);
    case ExpressionKind::count_all:
      return group_ != nullptr ? aggregated(expression, *group_) : fail("count(*) without a group");
    case ExpressionKind::operation: {
      if (expression.op <= Op::logical_not) return logical(expression, row);
      auto const left = operand(0);
      auto const right = expression.operands.size() > 1 ? operand(1) : Value{};
      if (expression.op == Op::is_null) return left.is_null();
      if (expression.op == Op::is_not_null) return !left.is_null();
      if (expression.op != Op::in) return apply(expression.op, left, right, state_, {});
      if (right.is_null()) return {};
      auto truth = Truth::no;
      for (auto const& each : *right.find_list()) {
        auto const same = equals(left, each);
        truth = std::max(truth, !same ? Truth::unknown : *same ? Truth::yes : Truth::no);
      }
      return value_of(truth);
    }
    case ExpressionKind::comparison: {
      auto truth = Truth::yes;
      for (std::size_t i = 0; i < expression.ops.size(); ++i) {
        auto const one = compared(expression.ops[i], operand(i), operand(i + 1));
        truth = std::min(truth, one.is_null() ? Truth::unknown : *one.find_bool() ? Truth::yes : Truth::no);
      }
      return value_of(truth);
    }
    case ExpressionKind::has_labels: {
      auto const value = operand(0);
      if (value.is_null()) return {};
      if (value.find_node() == nullptr) return fail("only nodes have labels here");
      auto const labels = value.find_node()->graph->labels_of(value.find_node()->id);
      return std::ranges::all_of(
          expression.names, [&](std::string const& name) { return std::ranges::find(labels, name) != labels.end(); });
    }
    case ExpressionKind::conditional:
      return conditional(expression, row);
    case ExpressionKind::list_comprehension:
    case ExpressionKind::quantifier:
    case ExpressionKind::reduce:
      return comprehension(expression, row);
    case ExpressionKind::pattern:
    case ExpressionKind::pattern_comprehension:
    case ExpressionKind::shortest_path:
    case ExpressionKind::exists:
      return subquery(expression, row);
  }
  return {};
}

}  // namespace whence::tests
