// `Evaluation` has an operator for each form of expression. Nothing is thrown: the first failure stays in the state,
// and all that is evaluated after it is null. Values on the way are held against the bytes that a run may have.
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

/// The value of one expression, by its form.
struct Evaluation {
  Expression const& expression;
  Row& row;
  RunState& state;

  /// Evaluates the arguments of a call and gives it to `use`; what that makes of nothing after a failure.
  template <class Use>
  auto with_call(Invocation const& invocation, Use const& use) const {
    using Made = decltype(use(std::declval<FunctionCall const&>()));
    constexpr std::size_t few = 4;
    Value on_stack[few];
    std::vector<Value> many;
    auto const count = expression.operands.size();
    if (count > few) many.resize(count);
    auto* arguments = count > few ? many.data() : on_stack;
    HeldValues held{state};
    for (std::size_t i = 0; i < count; ++i) {
      arguments[i] = operand(i);
      if (!held.add(arguments[i], *expression.operands[i])) return Made{};
    }
    if (state.failed()) return Made{};
    return use(FunctionCall{
        .state = state, .arguments = {arguments, count}, .place = expression.place, .name = invocation.function->name});
  }

  Value operator()(Literal const& literal) const { return literal.value; }
  Value operator()(Parameter const& parameter) const {
    auto const found = state.params().find(parameter.name);
    return found == state.params().end() ? Value{} : found->second;
  }
  Value operator()(Variable const& variable) const { return row[variable.slot]; }
  Value operator()(PropertyLookup const& property) const {
    return property_of(operand(0), property.name, state, expression.place);
  }
  Value operator()(ElementLookup) const {
    auto const base = operand(0);
    HeldValues held{state};
    if (!held.add_made(base, *expression.operands[0])) return {};
    return index(base, operand(1), state, expression.place);
  }
  Value operator()(SliceLookup) const {
    auto const base = operand(0);
    HeldValues held{state};
    if (!held.add_made(base, *expression.operands[0])) return {};
    Value ends[2];
    for (std::size_t i = 0; i < 2; ++i) {
      if (!has(i + 1)) continue;
      ends[i] = operand(i + 1);
      if (ends[i].is_null()) return {};
      if (ends[i].find_integer() == nullptr) return wrong_type("the ends of a slice are integers");
    }
    if (base.is_null()) return {};
    auto const* list = base.find_list();
    if (list == nullptr) return wrong_type("a slice is taken from a list");
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
  Value operator()(ListLiteral) const {
    HeldValues held{state};
    List made;
    made.reserve(expression.operands.size());
    for (std::size_t i = 0; i < expression.operands.size(); ++i) {
      made.push_back(operand(i));
      if (!held.add(made.back())) return {};
    }
    return bounded(std::move(made));
  }
  Value operator()(MapLiteral const& map) const {
    HeldValues held{state};
    Map made;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      auto value = operand(i);
      if (!held.add(value)) return {};
      made[map.keys[i]] = std::move(value);
    }
    return bounded(std::move(made));
  }
  Value operator()(MapProjection const& projection) const {
    auto const base = operand(0);
    if (base.is_null()) return {};
    HeldValues held{state};
    if (!held.add_made(base, *expression.operands[0])) return {};
    Map made;
    for (std::size_t i = 0; i < projection.keys.size(); ++i) {
      if (has(i + 1)) {
        auto value = operand(i + 1);
        if (!held.add(value)) return {};
        made[projection.keys[i]] = std::move(value);
      } else if (auto const* node = base.find_node()) {
        made.merge(node->graph->node_properties(node->id));
      } else if (auto const* relation = base.find_relation()) {
        made.merge(relation->graph->relation_properties(*relation));
      } else if (auto const* own = base.find_map()) {
        for (auto const& entry : *own) made.insert(entry);
      }
    }
    return bounded(std::move(made));
  }
  Value operator()(Invocation const& call) const {
    // The operator that aggregates has left the result in the row.
    if (call.function->aggregation != Aggregation::none) return row[call.slot];
    return bounded(with_call(call, call.function->call));
  }
  Value operator()(Operation operation) const {
    if (operation.op <= Op::logical_not) return logical(operation.op);
    bool const is_binary = expression.operands.size() > 1;
    HeldValues held{state};
    auto const left = operand(0);
    held.add(left, *expression.operands[0]);
    auto const right = is_binary ? operand(1) : Value{};
    if (is_binary) held.add(right, *expression.operands[1]);
    if (state.failed()) return {};
    return bounded(apply(operation.op, left, right, state, expression.place));
  }
  /// `a < b < c` is `a < b AND b < c`.
  Value operator()(Comparison const& comparison) const {
    HeldValues held{state};
    auto left = operand(0);
    held.add(left, *expression.operands[0]);
    std::optional<bool> result = true;
    for (std::size_t i = 0; i < comparison.ops.size(); ++i) {
      auto right = operand(i + 1);
      if (!held.add(right, *expression.operands[i + 1])) return {};
      auto const one = truth_of(apply(comparison.ops[i], left, right, state, expression.place));
      if (one && !*one) return false;
      if (!one) result.reset();
      left = std::move(right);
    }
    return result ? Value{*result} : Value{};
  }
  Value operator()(LabelTest const& test) const {
    auto const value = operand(0);
    if (value.is_null()) return {};
    if (auto const* relation = value.find_relation()) {
      auto const type = relation->graph->type_name(relation->graph->type_of(*relation));
      return std::ranges::all_of(test.labels, [&](std::string const& name) { return name == type; });
    }
    auto const* node = value.find_node();
    if (node == nullptr) return wrong_type(std::string{name_of(value.type())} + " has no labels");
    return std::ranges::all_of(test.labels, [&](std::string const& name) {
      auto const label = node->graph->find_label(name);
      return label && node->graph->has_label(node->id, *label);
    });
  }
  Value operator()(Conditional conditional) const {
    std::size_t at = 0;
    Value test;
    HeldValues held{state};
    if (conditional.has_test) {
      test = operand(at);
      if (!held.add_made(test, *expression.operands[at++])) return {};
    }
    auto const size = expression.operands.size();
    for (; at + 1 < size; at += 2) {
      auto const& when = *expression.operands[at];
      bool const is_chosen = conditional.has_test ? equals(test, operand(at), state, when.place).value_or(false)
                                                  : is_true(when, row, state);
      if (is_chosen) return operand(at + 1);
    }
    return at < size ? operand(at) : Value{};
  }
  Value operator()(ListComprehension const& comprehension) const {
    auto elements = list_of(0);
    if (elements.is_null()) return {};
    HeldValues held{state};
    held.add(elements.value(), *expression.operands[0]);
    List made;
    while (!elements.is_at_end()) {
      auto const each = elements.next();
      if (!state.spend(1)) return {};
      row[comprehension.element.slot] = each;
      if (has(1) && !is_true(*expression.operands[1], row, state)) continue;
      made.push_back(has(2) ? operand(2) : each);
      if (!held.add(made.back())) return {};
    }
    return bounded(std::move(made));
  }
  Value operator()(Quantifier const& quantifier) const {
    using Kind = Quantifier::Kind;
    auto elements = list_of(0);
    if (elements.is_null()) return {};
    HeldValues held{state};
    held.add(elements.value(), *expression.operands[0]);
    std::size_t yes = 0;
    std::size_t no = 0;
    std::size_t unknown = 0;
    auto const kind = quantifier.kind;
    // What is decided is not looked at further: a range may be endless, nearly.
    auto const is_decided = [&] { return kind == Kind::all ? no > 0 : yes > (kind == Kind::single ? 1U : 0U); };
    while (!elements.is_at_end() && !is_decided()) {
      if (!state.spend(1)) return {};
      row[quantifier.element.slot] = elements.next();
      auto const one = has(1) ? truth_of(operand(1)) : std::optional{true};
      ++(!one ? unknown : *one ? yes : no);
    }
    if (is_decided()) return kind == Kind::any;
    if (unknown > 0) return {};
    return kind == Kind::any ? false : kind == Kind::single ? yes == 1 : true;
  }
  Value operator()(Reduction const& reduction) const {
    auto accumulator = operand(0);
    HeldValues held{state};
    HeldValues held_total{state};
    if (!held_total.add_made(accumulator, *expression.operands[0])) return {};
    auto elements = list_of(1);
    if (elements.is_null()) return {};
    held.add(elements.value(), *expression.operands[1]);
    while (!elements.is_at_end()) {
      if (!state.spend(1)) return {};
      row[reduction.accumulator.slot] = accumulator;
      row[reduction.element.slot] = elements.next();
      accumulator = operand(2);
      if (!held_total.add(accumulator)) return {};  // beside the one before it, which the row has
      row[reduction.accumulator.slot] = {};
      held_total.clear();
      if (!held_total.add(accumulator)) return {};
    }
    return accumulator;
  }
  Value operator()(PatternSearch const& search) const {
    auto const& path = search.pattern->paths[0];
    bool const is_test = search.kind == PatternSearch::Kind::test;
    bool const is_comprehension = search.kind == PatternSearch::Kind::comprehension;
    bool const wants_one = !is_comprehension && path.search != PathSearch::all_shortest;
    bool has_found = false;
    HeldValues held{state};
    List made;
    state.subqueries()->each(expression, row, [&](Row& found) {
      has_found = true;
      if (is_test) return false;
      made.push_back(is_comprehension ? evaluate(*expression.operands[1], found, state) : found[path.slot]);
      return held.add(made.back()) && !state.failed() && !wants_one;
    });
    if (is_test) return has_found;
    return bounded(!wants_one ? Value{std::move(made)} : made.empty() ? Value{} : made[0]);
  }
  Value operator()(Subquery const& subquery) const {
    std::int64_t count = 0;
    state.subqueries()->each(expression, row, [&](Row&) {
      ++count;
      return subquery.is_count;
    });
    return subquery.is_count ? Value{count} : Value{count > 0};
  }

  [[nodiscard]] Value operand(std::size_t i) const { return evaluate(*expression.operands[i], row, state); }
  [[nodiscard]] bool has(std::size_t i) const { return expression.operands[i] != nullptr; }
  [[nodiscard]] std::optional<bool> truth_of(Value const& value) const { return truth(value, state, expression.place); }
  /// Whether a new list or map may be had; else null.
  [[nodiscard]] Value bounded(Value made) const { return state.bounded(std::move(made), expression.place); }
  Value wrong_type(std::string message) const {
    return state.fail(ErrorKind::type_error, "InvalidArgumentType", std::move(message), expression.place);
  }
  Value logical(Op op) const {
    auto const left = truth_of(operand(0));
    if (op == Op::logical_not) return left ? Value{!*left} : Value{};
    if (op == Op::logical_and && left && !*left) return false;
    if (op == Op::logical_or && left && *left) return true;
    auto const right = truth_of(operand(1));
    if (op == Op::logical_xor) return left && right ? Value{*left != *right} : Value{};
    bool const deciding = op == Op::logical_or;
    if (right && *right == deciding) return deciding;
    return left && right ? Value{!deciding} : Value{};
  }
  /// The list that a comprehension goes over; none where it is null, or no list.
  Elements list_of(std::size_t i) const {
    auto elements = elements_of(*expression.operands[i], row, state);
    if (elements.is_null() || elements.is_list()) return elements;
    auto const type = name_of(elements.value().type());
    return Elements{state.fail(ErrorKind::type_error, "InvalidArgumentType",
                               "a list was expected, not " + std::string{type}, expression.operands[i]->place)};
  }
};

}  // namespace

bool is_true(Expression const& condition, Row& row, RunState& state) {
  auto const value = truth(evaluate(condition, row, state), state, condition.place);
  return value && *value;
}

Elements elements_of(Expression const& expression, Row& row, RunState& state) {
  auto const* call = expression.find<Invocation>();
  bool const is_range = call != nullptr && call->function != nullptr && call->function->call == functions::range;
  if (!is_range) return Elements{evaluate(expression, row, state)};
  auto const range = Evaluation{expression, row, state}.with_call(*call, number_range);
  return range ? Elements{*range} : Elements{};
}

Value evaluate(Expression const& expression, Row& row, RunState& state) {
  if (state.failed()) return {};
  return std::visit(Evaluation{expression, row, state}, expression.form);
}

}  // namespace whence::queries::cypher
