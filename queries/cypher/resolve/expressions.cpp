// Expressions of the resolver: variables to slots, calls to functions, and types as far as they are known.
#include "queries/cypher/functions/table.hpp"
#include "queries/cypher/resolve/resolver.hpp"
#include "queries/cypher/resolve/same.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

constexpr TypeMask null_mask = mask_of(ValueType::null);
constexpr TypeMask boolean_mask = mask_of(ValueType::boolean) | null_mask;
constexpr TypeMask list_mask = mask_of(ValueType::list);
constexpr TypeMask temporal_mask = 0xFC00;  // date to duration
constexpr TypeMask with_properties =
    mask_of(ValueType::map) | mask_of(ValueType::node) | mask_of(ValueType::relation) | temporal_mask | null_mask;

/// What `a op b` may be.
TypeMask arithmetic_result(Op op, TypeMask a, TypeMask b) {
  if ((a & ~(number_type | null_mask)) != 0 || (b & ~(number_type | null_mask)) != 0) return any_type;
  TypeMask made = (a | b) & null_mask;
  if (op == Op::power || a == mask_of(ValueType::floating) || b == mask_of(ValueType::floating))
    return made | mask_of(ValueType::floating);
  if (a == mask_of(ValueType::integer) && b == mask_of(ValueType::integer)) return made | mask_of(ValueType::integer);
  return made | number_type;
}

/// Puts a variable into a scope for as long as this lives, and what it hid back afterwards.
class LocalName {
 public:
  LocalName(Scope& scope, std::string const& name, Binding binding) : scope_(scope), name_(name) {
    if (auto const found = scope.find(name); found != scope.end()) hidden_ = found->second;
    scope_[name] = binding;
  }
  LocalName(LocalName const&) = delete;
  LocalName& operator=(LocalName const&) = delete;
  ~LocalName() {
    if (hidden_) {
      scope_[name_] = *hidden_;
    } else {
      scope_.erase(name_);
    }
  }

 private:
  Scope& scope_;
  std::string name_;
  std::optional<Binding> hidden_;
};

}  // namespace

void Resolver::condition(Expression& node, Scope& scope, Context place) {
  place.may_be_pattern = true;
  auto const type = expression(node, scope, place);
  if ((type.mask & boolean_mask) == 0) fail(node.place, "InvalidArgumentType", "a condition is a boolean");
}

StaticType Resolver::expression(Expression& node, Scope& scope, Context place) {
  if (failed()) return {};
  auto const inner = Context{.aggregations = place.aggregations};
  // What a subquery finds bound: every slot below this one.
  if (node.pattern || node.query) {
    node.slot = statement_.slots;
    node.at = at_;
  }
  switch (node.kind) {
    case ExpressionKind::literal:
      return {.mask = mask_of(node.value.type())};
    case ExpressionKind::parameter:
      return {};
    case ExpressionKind::variable: {
      auto const found = scope.find(node.name);
      if (found == scope.end()) {
        fail(node.place, "UndefinedVariable", "'" + node.name + "' is not defined");
        return {};
      }
      node.slot = found->second.slot;
      return found->second.type;
    }
    case ExpressionKind::property:
      return property(node, scope, inner);
    case ExpressionKind::list: {
      StaticType type{.mask = list_mask, .elements = 0};
      for (auto& each : node.operands) type.elements |= expression(*each, scope, inner).mask;
      if (node.operands.empty()) type.elements = any_type;
      return type;
    }
    case ExpressionKind::map:
    case ExpressionKind::map_projection:
      each_operand(node, [&](ExpressionPtr& each) { expression(*each, scope, inner); });
      return {.mask = mask_of(ValueType::map) | (node.kind == ExpressionKind::map ? 0 : null_mask)};
    case ExpressionKind::index: {
      auto const base = expression(*node.operands[0], scope, inner);
      expression(*node.operands[1], scope, inner);
      return {.mask = base.mask == list_mask ? base.elements | null_mask : any_type};
    }
    case ExpressionKind::slice:
      each_operand(node, [&](ExpressionPtr& each) { expression(*each, scope, inner); });
      return {.mask = list_mask | null_mask};
    case ExpressionKind::call:
    case ExpressionKind::count_all:
      return call_expression(node, scope, place);
    case ExpressionKind::operation:
      return operation(node, scope, place);
    case ExpressionKind::comparison:
      each_operand(node, [&](ExpressionPtr& each) { expression(*each, scope, inner); });
      return {.mask = boolean_mask};
    case ExpressionKind::has_labels: {
      auto const type = expression(*node.operands[0], scope, inner);
      if ((type.mask & (mask_of(ValueType::node) | mask_of(ValueType::relation) | null_mask)) == 0) {
        fail(node.place, "InvalidArgumentType", "only nodes and relations have labels");
      }
      if (type.mask == mask_of(ValueType::node)) names(NameKind::label, node.names, node.place);
      if (type.mask == mask_of(ValueType::relation)) names(NameKind::relation_type, node.names, node.place);
      return {.mask = boolean_mask};
    }
    case ExpressionKind::conditional: {
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        bool const is_when = node.name[0] != 't' && node.name[i] == 'w';
        if (is_when) {
          condition(*node.operands[i], scope, inner);
        } else {
          expression(*node.operands[i], scope, inner);
        }
      }
      return {};
    }
    case ExpressionKind::list_comprehension:
    case ExpressionKind::quantifier:
    case ExpressionKind::reduce:
      return comprehension(node, scope, place);
    case ExpressionKind::pattern:
      if (!place.may_be_pattern) {
        fail(node.place, "UnexpectedSyntax", "a pattern stands in conditions and in exists() only");
        return {};
      }
      pattern(*node.pattern, scope, false);
      return {.mask = boolean_mask};
    case ExpressionKind::pattern_comprehension:
      return pattern_comprehension(node, scope);
    case ExpressionKind::shortest_path:
      pattern(*node.pattern, scope, false);
      return {.mask = mask_of(ValueType::path) | list_mask | null_mask};
    case ExpressionKind::exists: {
      query(*node.query, scope, false);
      return {.mask = node.name == "count" ? mask_of(ValueType::integer) : boolean_mask};
    }
  }
  return {};
}

StaticType Resolver::call_expression(Expression& node, Scope& scope, Context place) {
  node.function = find_function(node.kind == ExpressionKind::count_all ? "count" : node.name);
  if (node.function == nullptr) {
    fail(node.place, "UnknownFunction", "there is no function '" + node.name + "'");
    return {};
  }
  auto const& function = *node.function;
  bool const aggregates = function.aggregation != Aggregation::none;
  auto inner =
      Context{.aggregations = aggregates ? nullptr : place.aggregations, .may_be_pattern = function.name == "exists"};
  if (node.kind == ExpressionKind::call &&
      (node.operands.size() < function.least_arguments ||
       (node.operands.size() > function.most_arguments && function.most_arguments != 255))) {
    fail(node.place, "InvalidNumberOfArguments",
         std::string{function.name} + "() takes " + std::to_string(function.least_arguments) + " to " +
             std::to_string(function.most_arguments) + " arguments, not " + std::to_string(node.operands.size()));
    return {};
  }
  StaticType first;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    auto& operand = *node.operands[i];
    if (aggregates && has_aggregation(operand)) {
      fail(operand.place, "NestedAggregation", "an aggregation stands in no other");
      return {};
    }
    auto const type = expression(operand, scope, inner);
    if (i == 0) first = type;
    if (aggregates && operand.kind == ExpressionKind::call && operand.function != nullptr &&
        !operand.function->is_constant) {
      fail(operand.place, "NonConstantExpression", "what is aggregated does not change from call to call");
    }
  }
  if (failed()) return {};
  // Of a pattern `exists` asks whether it matches, which the pattern says itself.
  if (function.name == "exists" && node.operands[0]->kind == ExpressionKind::pattern) {
    auto const pattern = std::move(node.operands[0]);
    node = std::move(*pattern);
    return {.mask = boolean_mask};
  }
  if (!node.operands.empty() && (first.mask & (function.first | null_mask)) == 0) {
    fail(node.operands[0]->place, "InvalidArgumentType", std::string{function.name} + "() does not take such a value");
  }
  if (aggregates) {
    if (place.aggregations == nullptr) {
      fail(node.place, "InvalidAggregation",
           std::string{function.name} + "() aggregates rows, which is possible in WITH and RETURN only");
      return {};
    }
    node.slot = new_slot();
    place.aggregations->push_back(&node);
  } else if (node.is_distinct) {
    fail(node.place, "UnexpectedSyntax", "DISTINCT stands in aggregations only");
  }
  if (function.name == "nodes") return {.mask = function.result, .elements = mask_of(ValueType::node)};
  if (function.name == "relationships") return {.mask = function.result, .elements = mask_of(ValueType::relation)};
  if (function.name == "collect") return {.mask = function.result, .elements = first.mask};
  return {.mask = function.result};
}

StaticType Resolver::operation(Expression& node, Scope& scope, Context place) {
  auto const inner = Context{.aggregations = place.aggregations};
  if (node.op <= Op::logical_not) {
    for (auto& each : node.operands) {
      auto const type = expression(*each, scope, place);
      if (!failed() && (type.mask & boolean_mask) == 0)
        fail(each->place, "InvalidArgumentType", "AND, OR, XOR and NOT take booleans");
    }
    return {.mask = boolean_mask};
  }
  StaticType types[2];
  for (std::size_t i = 0; i < node.operands.size(); ++i) types[i] = expression(*node.operands[i], scope, inner);
  if (failed()) return {};
  auto const is_arithmetic = node.op >= Op::subtract && node.op <= Op::plus;
  for (std::size_t i = 0; i < node.operands.size() && is_arithmetic; ++i) {
    if ((types[i].mask & (number_type | temporal_mask | null_mask)) == 0) {
      fail(node.operands[i]->place, "InvalidArgumentType", "the operator takes numbers");
    }
  }
  if (node.op == Op::in && (types[1].mask & (list_mask | null_mask)) == 0) {
    fail(node.operands[1]->place, "InvalidArgumentType", "IN takes a list");
  }
  if (node.op == Op::negate || node.op == Op::plus) return {.mask = types[0].mask};
  if (node.op >= Op::in) return {.mask = boolean_mask};
  return {.mask = arithmetic_result(node.op, types[0].mask, types[1].mask)};
}

StaticType Resolver::property(Expression& node, Scope& scope, Context place) {
  auto const base = expression(*node.operands[0], scope, place);
  bool const is_of_graph = base.mask == mask_of(ValueType::node) || base.mask == mask_of(ValueType::relation);
  if (is_of_graph) names(NameKind::property, {node.name}, node.place);
  if (failed() || (base.mask & with_properties) != 0) return {};
  bool const is_path = base.mask == mask_of(ValueType::path);
  fail(node.place, "InvalidArgumentType", "the value has no properties",
       is_path ? ErrorKind::syntax_error : ErrorKind::type_error);
  return {};
}

StaticType Resolver::comprehension(Expression& node, Scope& scope, Context place) {
  auto const outer = Context{.aggregations = place.aggregations};
  bool const reduces = node.kind == ExpressionKind::reduce;
  auto const list = expression(*node.operands[reduces ? 1 : 0], scope, outer);
  if (failed()) return {};
  if ((list.mask & (list_mask | null_mask)) == 0)
    fail(node.operands[reduces ? 1 : 0]->place, "InvalidArgumentType", "a list was expected");
  node.slot = new_slot();
  auto const& name = node.kind == ExpressionKind::quantifier ? node.names[0] : node.name;
  Binding const element{.slot = node.slot, .type = {.mask = list.mask == list_mask ? list.elements : any_type}};
  if (reduces) {
    expression(*node.operands[0], scope, outer);
    node.accumulator = new_slot();
    LocalName const accumulator{scope, node.accumulator_name, {.slot = node.accumulator}};
    LocalName const local{scope, name, element};
    return expression(*node.operands[2], scope, {});
  }
  LocalName const local{scope, name, element};
  if (node.operands[1] != nullptr) condition(*node.operands[1], scope, {});
  if (node.kind == ExpressionKind::quantifier) return {.mask = boolean_mask};
  if (node.operands[2] == nullptr) return {.mask = list_mask | (list.mask & null_mask), .elements = element.type.mask};
  auto const mapped = expression(*node.operands[2], scope, {});
  return {.mask = list_mask | (list.mask & null_mask), .elements = mapped.mask};
}

StaticType Resolver::pattern_comprehension(Expression& node, Scope& scope) {
  auto own = scope;
  pattern(*node.pattern, own, true);
  if (failed()) return {};
  if (node.operands[0] != nullptr) condition(*node.operands[0], own, {});
  auto const type = expression(*node.operands[1], own, {});
  return {.mask = list_mask, .elements = type.mask};
}

}  // namespace whence::queries::cypher
