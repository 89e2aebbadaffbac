// Expressions of the naive evaluator.
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/functions/table.hpp"
#include "queries/cypher/values/compare.hpp"
#include "tests/cypher/naive/evaluator.hpp"

#include <algorithm>
#include <span>
#include <utility>

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

Value NaiveEvaluator::logical(Op op, Expression const& expression, Map const& row) {
  std::vector<Truth> sides;
  for (auto const& operand : expression.operands) {
    auto const value = evaluate(*operand, row);
    if (!value.is_null() && value.find_bool() == nullptr) return fail("an operand that is no boolean");
    sides.push_back(value.is_null() ? Truth::unknown : *value.find_bool() ? Truth::yes : Truth::no);
  }
  switch (op) {
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

Value NaiveEvaluator::conditional(Conditional conditional, Expression const& expression, Map const& row) {
  std::optional<Value> test;
  auto rest = std::span{expression.operands};
  if (conditional.has_test) {
    test = evaluate(*rest.front(), row);
    rest = rest.subspan(1);
  }
  for (; rest.size() > 1; rest = rest.subspan(2)) {
    auto const when = evaluate(*rest[0], row);
    bool const holds = test ? equals(*test, when).value_or(false) : when.find_bool() != nullptr && *when.find_bool();
    if (holds) return evaluate(*rest[1], row);
  }
  return rest.empty() ? Value{} : evaluate(*rest.front(), row);
}

Value NaiveEvaluator::map_projection(MapProjection const& projection, Expression const& expression, Map const& row) {
  auto const base = evaluate(*expression.operands[0], row);
  if (base.is_null()) return {};
  Map made;
  // Named members hide those of `.*`, wherever that stands.
  for (std::size_t i = 0; i < projection.keys.size(); ++i) {
    if (expression.operands[i + 1] != nullptr) made[projection.keys[i]] = evaluate(*expression.operands[i + 1], row);
  }
  for (std::size_t i = 0; i < projection.keys.size(); ++i) {
    if (expression.operands[i + 1] != nullptr) continue;
    Map all;
    if (auto const* node = base.find_node()) all = node->graph->node_properties(node->id);
    if (auto const* relation = base.find_relation()) all = relation->graph->relation_properties(*relation);
    if (auto const* map = base.find_map()) all = *map;
    made.insert(all.begin(), all.end());
  }
  return made;
}

Value NaiveEvaluator::called(Invocation const& call, Expression const& expression, Map const& row) {
  auto const* function = find_function(call.name);
  if (function == nullptr) return fail("no function " + call.name);
  if (function->aggregation != Aggregation::none) {
    return group_ != nullptr ? aggregated(call, expression, *group_) : fail("an aggregation without a group");
  }
  // Of a pattern it asks whether that matches; of a value, whether it is one.
  auto const* asked = function->name == "exists" ? expression.operands[0]->find<PatternSearch>() : nullptr;
  if (asked != nullptr && asked->kind == PatternSearch::Kind::test) return evaluate(*expression.operands[0], row);
  std::vector<Value> arguments;
  for (auto const& each : expression.operands) arguments.push_back(evaluate(*each, row));
  auto made = function->call({.state = state_, .arguments = arguments, .place = {}, .name = function->name});
  if (state_.failed()) return fail(state_.error()->message);
  return made;
}

Value NaiveEvaluator::search(PatternSearch const& search, Expression const& expression, Map const& row) {
  if (search.kind == PatternSearch::Kind::test) return !matches(*search.pattern, nullptr, row).empty();
  List list;
  if (search.kind == PatternSearch::Kind::comprehension) {
    for (auto const& each : matches(*search.pattern, expression.operands[0].get(), row))
      list.push_back(evaluate(*expression.operands[1], each));
    return list;
  }
  // Given a name, so that the match keeps the path.
  auto& path = search.pattern->paths[0];
  auto const name = std::exchange(path.name, " path");
  for (auto const& each : matches(*search.pattern, nullptr, row)) list.push_back(each.at(" path"));
  path.name = name;
  bool const wants_all = path.search == PathSearch::all_shortest;
  return wants_all ? Value{list} : list.empty() ? Value{} : list[0];
}

Value NaiveEvaluator::nested(Subquery const& subquery, Map const& row) {
  Names names;
  for (auto const& entry : row) names.insert(entry.first);
  auto const count = run(*subquery.query, row, names).size();
  return subquery.is_count ? Value{static_cast<std::int64_t>(count)} : Value{count > 0};
}

Value NaiveEvaluator::subquery(Expression const& expression, Map const& row) {
  auto const* const outer = std::exchange(group_, nullptr);
  auto const* pattern = expression.find<PatternSearch>();
  auto made = pattern != nullptr ? search(*pattern, expression, row) : nested(std::get<Subquery>(expression.form), row);
  group_ = outer;
  return made;
}

/// The value of one expression, by its form.
struct NaiveForms {
  NaiveEvaluator& naive;
  Expression const& expression;
  Map const& row;

  Value operator()(Literal const& literal) { return literal.value; }
  Value operator()(Parameter const& parameter) {
    auto const found = naive.state_.params().find(parameter.name);
    return found != naive.state_.params().end() ? found->second : Value{};
  }
  Value operator()(Variable const& variable) {
    auto const found = row.find(variable.name);
    return found != row.end() ? found->second : naive.fail("no variable " + variable.name);
  }
  Value operator()(PropertyLookup const& lookup) { return naive.property(operand(0), lookup.name); }
  Value operator()(ElementLookup) { return naive.element(operand(0), operand(1)); }
  Value operator()(SliceLookup) { return naive.slice(expression, row); }
  Value operator()(ListLiteral) {
    List made;
    for (std::size_t i = 0; i < expression.operands.size(); ++i) made.push_back(operand(i));
    return made;
  }
  Value operator()(MapLiteral const& map) {
    Map made;
    for (std::size_t i = 0; i < map.keys.size(); ++i) made[map.keys[i]] = operand(i);
    return made;
  }
  Value operator()(MapProjection const& projection) { return naive.map_projection(projection, expression, row); }
  Value operator()(Invocation const& call) { return naive.called(call, expression, row); }
  Value operator()(Operation operation) {
    if (operation.op <= Op::logical_not) return naive.logical(operation.op, expression, row);
    auto const left = operand(0);
    auto const right = expression.operands.size() > 1 ? operand(1) : Value{};
    if (operation.op == Op::is_null) return left.is_null();
    if (operation.op == Op::is_not_null) return !left.is_null();
    if (operation.op != Op::in) return apply(operation.op, left, right, naive.state_, {});
    if (right.is_null()) return {};
    auto truth = Truth::no;
    for (auto const& each : *right.find_list()) {
      auto const same = equals(left, each);
      truth = std::max(truth, !same ? Truth::unknown : *same ? Truth::yes : Truth::no);
    }
    return value_of(truth);
  }
  Value operator()(Comparison const& comparison) {
    auto truth = Truth::yes;
    for (std::size_t i = 0; i < comparison.ops.size(); ++i) {
      auto const one = naive.compared(comparison.ops[i], operand(i), operand(i + 1));
      truth = std::min(truth, truth_of(one));
    }
    return value_of(truth);
  }
  Value operator()(LabelTest const& test) {
    auto const value = operand(0);
    if (value.is_null()) return {};
    if (value.find_node() == nullptr) return naive.fail("only nodes have labels here");
    auto const labels = value.find_node()->graph->labels_of(value.find_node()->id);
    return std::ranges::all_of(
        test.labels, [&](std::string const& name) { return std::ranges::find(labels, name) != labels.end(); });
  }
  Value operator()(Conditional conditional) { return naive.conditional(conditional, expression, row); }
  Value operator()(ListComprehension const& comprehension) {
    List made;
    return each_element(comprehension.element,
                        [&](Truth truth, Value const& element, Map const& inner) {
                          if (truth != Truth::yes) return;
                          made.push_back(expression.operands[2] != nullptr
                                             ? naive.evaluate(*expression.operands[2], inner)
                                             : element);
                        })
               ? Value{made}
               : Value{};
  }
  Value operator()(Quantifier const& quantifier) {
    using Kind = Quantifier::Kind;
    std::size_t counts[3] = {0, 0, 0};
    bool const has_list = each_element(
        quantifier.element, [&](Truth truth, Value const&, Map const&) { ++counts[static_cast<std::size_t>(truth)]; });
    if (!has_list) return {};
    auto const [no, unknown, yes] = counts;
    if (quantifier.kind == Kind::all) return no > 0 ? Value{false} : unknown > 0 ? Value{} : Value{true};
    if (quantifier.kind == Kind::any) return yes > 0 ? Value{true} : unknown > 0 ? Value{} : Value{false};
    if (quantifier.kind == Kind::none) return yes > 0 ? Value{false} : unknown > 0 ? Value{} : Value{true};
    // Two are too many, whatever the unknown ones are.
    return yes > 1 ? Value{false} : unknown > 0 ? Value{} : Value{yes == 1};
  }
  Value operator()(Reduction const& reduction) {
    auto const value = operand(1);
    auto total = operand(0);
    if (value.is_null()) return {};
    if (value.find_list() == nullptr) return naive.fail("no list");
    auto inner = row;
    for (auto const& each : *value.find_list()) {
      inner[reduction.accumulator.name] = total;
      inner[reduction.element.name] = each;
      total = naive.evaluate(*expression.operands[2], inner);
    }
    return total;
  }
  Value operator()(PatternSearch const&) { return naive.subquery(expression, row); }
  Value operator()(Subquery const&) { return naive.subquery(expression, row); }

  Value operand(std::size_t i) { return naive.evaluate(*expression.operands[i], row); }
  static Truth truth_of(Value const& value) {
    return value.is_null() ? Truth::unknown : *value.find_bool() ? Truth::yes : Truth::no;
  }
  /// Calls `visit` with whether WHERE holds, for each element. False: there is no list, or too much work.
  template <class Visit>
  bool each_element(Variable const& element, Visit const& visit) {
    auto const value = operand(0);
    if (value.is_null()) return false;
    if (value.find_list() == nullptr) {
      naive.fail("no list");
      return false;
    }
    auto inner = row;
    for (auto const& each : *value.find_list()) {
      if (!naive.spend()) return false;
      inner[element.name] = each;
      auto const* where = expression.operands[1].get();
      visit(where != nullptr ? truth_of(naive.evaluate(*where, inner)) : Truth::yes, each, inner);
    }
    return true;
  }
};

Value NaiveEvaluator::evaluate(Expression const& expression, Map const& row) {
  if (answer_.error || !spend()) return {};
  return std::visit(NaiveForms{*this, expression, row}, expression.form);
}

}  // namespace whence::tests
