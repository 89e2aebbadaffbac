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

/// Resolves one expression, by its form.
struct Resolver::Forms {
  Resolver& resolver;
  Expression& node;
  Scope& scope;
  Context place;
  Context inner = {.aggregations = place.aggregations};  ///< of operands

  StaticType operator()(Literal const& literal) { return {.mask = mask_of(literal.value.type())}; }
  StaticType operator()(Parameter const&) { return {}; }
  StaticType operator()(Variable& variable) {
    auto const found = scope.find(variable.name);
    if (found == scope.end()) return fail("UndefinedVariable", "'" + variable.name + "' is not defined");
    variable.slot = found->second.slot;
    return found->second.type;
  }
  StaticType operator()(PropertyLookup const& property) {
    auto const base = operand(0);
    bool const is_of_graph = base.mask == mask_of(ValueType::node) || base.mask == mask_of(ValueType::relation);
    if (is_of_graph) resolver.names(NameKind::property, {property.name}, node.place);
    if (resolver.failed() || (base.mask & with_properties) != 0) return {};
    bool const is_path = base.mask == mask_of(ValueType::path);
    return fail("InvalidArgumentType", "the value has no properties",
                is_path ? ErrorKind::syntax_error : ErrorKind::type_error);
  }
  StaticType operator()(ElementLookup) {
    auto const base = operand(0);
    operand(1);
    return {.mask = base.mask == list_mask ? base.elements | null_mask : any_type};
  }
  StaticType operator()(SliceLookup) { return all_operands(list_mask | null_mask); }
  StaticType operator()(ListLiteral) {
    StaticType type{.mask = list_mask, .elements = 0};
    for (std::size_t i = 0; i < node.operands.size(); ++i) type.elements |= operand(i).mask;
    if (node.operands.empty()) type.elements = any_type;
    return type;
  }
  StaticType operator()(MapLiteral const&) { return all_operands(mask_of(ValueType::map)); }
  StaticType operator()(MapProjection const&) { return all_operands(mask_of(ValueType::map) | null_mask); }
  StaticType operator()(Invocation& call) {
    call.function = find_function(call.name);
    if (call.function == nullptr) return fail("UnknownFunction", "there is no function '" + call.name + "'");
    auto const& function = *call.function;
    auto const& operands = node.operands;
    bool const aggregates = function.aggregation != Aggregation::none;
    auto const inside =
        Context{.aggregations = aggregates ? nullptr : place.aggregations, .may_be_pattern = function.name == "exists"};
    if (!call.counts_rows && (operands.size() < function.least_arguments ||
                              (operands.size() > function.most_arguments && function.most_arguments != 255))) {
      return fail("InvalidNumberOfArguments",
                  std::string{function.name} + "() takes " + std::to_string(function.least_arguments) + " to " +
                      std::to_string(function.most_arguments) + " arguments, not " + std::to_string(operands.size()));
    }
    StaticType first;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      auto& operand = *operands[i];
      if (aggregates && has_aggregation(operand)) {
        resolver.fail(operand.place, "NestedAggregation", "an aggregation stands in no other");
        return {};
      }
      auto const type = resolver.expression(operand, scope, inside);
      if (i == 0) first = type;
      auto const* argument = operand.find<Invocation>();
      if (aggregates && argument != nullptr && argument->function != nullptr && !argument->function->is_constant) {
        resolver.fail(operand.place, "NonConstantExpression", "what is aggregated does not change from call to call");
      }
    }
    if (resolver.failed()) return {};
    // Of a pattern `exists` asks whether it matches, which the pattern says itself.
    auto const* asked = function.name == "exists" ? operands[0]->find<PatternSearch>() : nullptr;
    if (asked != nullptr && asked->kind == PatternSearch::Kind::test) {
      auto const pattern = std::move(node.operands[0]);
      node = std::move(*pattern);
      return {.mask = boolean_mask};
    }
    if (!operands.empty() && (first.mask & (function.first | null_mask)) == 0) {
      resolver.fail(operands[0]->place, "InvalidArgumentType",
                    std::string{function.name} + "() does not take such a value");
    }
    if (aggregates) {
      if (place.aggregations == nullptr) {
        return fail("InvalidAggregation",
                    std::string{function.name} + "() aggregates rows, which is possible in WITH and RETURN only");
      }
      call.slot = resolver.new_slot();
      place.aggregations->push_back(&node);
    } else if (call.is_distinct) {
      fail("UnexpectedSyntax", "DISTINCT stands in aggregations only");
    }
    if (function.name == "nodes") return {.mask = function.result, .elements = mask_of(ValueType::node)};
    if (function.name == "relationships") return {.mask = function.result, .elements = mask_of(ValueType::relation)};
    if (function.name == "collect") return {.mask = function.result, .elements = first.mask};
    return {.mask = function.result};
  }
  StaticType operator()(Operation operation) {
    auto const& operands = node.operands;
    auto const op = operation.op;
    if (op <= Op::logical_not) {
      for (auto const& each : operands) {
        auto const type = resolver.expression(*each, scope, place);
        if (!resolver.failed() && (type.mask & boolean_mask) == 0)
          resolver.fail(each->place, "InvalidArgumentType", "AND, OR, XOR and NOT take booleans");
      }
      return {.mask = boolean_mask};
    }
    StaticType types[2];
    for (std::size_t i = 0; i < operands.size(); ++i) types[i] = operand(i);
    if (resolver.failed()) return {};
    auto const is_arithmetic = op >= Op::subtract && op <= Op::plus;
    for (std::size_t i = 0; i < operands.size() && is_arithmetic; ++i) {
      if ((types[i].mask & (number_type | temporal_mask | null_mask)) == 0)
        resolver.fail(operands[i]->place, "InvalidArgumentType", "the operator takes numbers");
    }
    if (op == Op::in && (types[1].mask & (list_mask | null_mask)) == 0)
      resolver.fail(operands[1]->place, "InvalidArgumentType", "IN takes a list");
    if (op == Op::negate || op == Op::plus) return {.mask = types[0].mask};
    if (op >= Op::in) return {.mask = boolean_mask};
    return {.mask = arithmetic_result(op, types[0].mask, types[1].mask)};
  }
  StaticType operator()(Comparison const&) { return all_operands(boolean_mask); }
  StaticType operator()(LabelTest const& test) {
    auto const type = operand(0);
    if ((type.mask & (mask_of(ValueType::node) | mask_of(ValueType::relation) | null_mask)) == 0)
      fail("InvalidArgumentType", "only nodes and relations have labels");
    if (type.mask == mask_of(ValueType::node)) resolver.names(NameKind::label, test.labels, node.place);
    if (type.mask == mask_of(ValueType::relation)) resolver.names(NameKind::relation_type, test.labels, node.place);
    return {.mask = boolean_mask};
  }
  StaticType operator()(Conditional conditional) {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      bool const is_when = !conditional.has_test && i % 2 == 0 && i + 1 < node.operands.size();
      is_when ? resolver.condition(*node.operands[i], scope, inner) : static_cast<void>(operand(i));
    }
    return {};
  }
  StaticType operator()(ListComprehension& made) {
    auto const list = list_operand(0);
    if (resolver.failed()) return {};
    auto const element = bind(made.element, list);
    LocalName const local{scope, made.element.name, element};
    filter();
    auto const mapped = node.operands[2] != nullptr ? resolver.expression(*node.operands[2], scope, {}) : element.type;
    return {.mask = list_mask | (list.mask & null_mask), .elements = mapped.mask};
  }
  StaticType operator()(Quantifier& quantifier) {
    auto const list = list_operand(0);
    if (resolver.failed()) return {};
    LocalName const local{scope, quantifier.element.name, bind(quantifier.element, list)};
    filter();
    return {.mask = boolean_mask};
  }
  StaticType operator()(Reduction& reduction) {
    auto const list = list_operand(1);
    if (resolver.failed()) return {};
    auto const element = bind(reduction.element, list);
    operand(0);
    LocalName const accumulator{scope, reduction.accumulator.name, bind(reduction.accumulator, {})};
    LocalName const local{scope, reduction.element.name, element};
    return resolver.expression(*node.operands[2], scope, {});
  }
  StaticType operator()(PatternSearch& search) {
    search.start = start();
    if (search.kind == PatternSearch::Kind::comprehension) return pattern_comprehension(*search.pattern);
    bool const is_test = search.kind == PatternSearch::Kind::test;
    if (is_test && !place.may_be_pattern)
      return fail("UnexpectedSyntax", "a pattern stands in conditions and in exists() only");
    resolver.pattern(*search.pattern, scope, false);
    return {.mask = is_test ? boolean_mask : mask_of(ValueType::path) | list_mask | null_mask};
  }
  StaticType operator()(Subquery& subquery) {
    subquery.start = start();
    resolver.query(*subquery.query, scope, false);
    return {.mask = subquery.is_count ? mask_of(ValueType::integer) : boolean_mask};
  }

  StaticType operand(std::size_t i) { return resolver.expression(*node.operands[i], scope, inner); }
  StaticType all_operands(TypeMask made) {
    each_operand(node, [&](ExpressionPtr& each) { resolver.expression(*each, scope, inner); });
    return {.mask = made};
  }
  StaticType fail(std::string detail, std::string message, ErrorKind kind = ErrorKind::syntax_error) {
    resolver.fail(node.place, std::move(detail), std::move(message), kind);
    return {};
  }
  /// What a pattern or a subquery finds bound: every slot below the first of its own.
  [[nodiscard]] SubqueryStart start() const { return {.slot = resolver.statement_.slots, .at = resolver.at_}; }
  StaticType list_operand(std::size_t i) {
    auto const list = operand(i);
    if (!resolver.failed() && (list.mask & (list_mask | null_mask)) == 0)
      resolver.fail(node.operands[i]->place, "InvalidArgumentType", "a list was expected");
    return list;
  }
  /// A variable of the expression's own, for the elements of a list.
  Binding bind(Variable& variable, StaticType list) {
    variable.slot = resolver.new_slot();
    return {.slot = variable.slot, .type = {.mask = list.mask == list_mask ? list.elements : any_type}};
  }
  /// The WHERE of a list comprehension or quantifier.
  void filter() {
    if (node.operands[1] != nullptr) resolver.condition(*node.operands[1], scope, {});
  }
  StaticType pattern_comprehension(Pattern& pattern) {
    auto own = scope;
    resolver.pattern(pattern, own, true);
    if (resolver.failed()) return {};
    if (node.operands[0] != nullptr) resolver.condition(*node.operands[0], own, {});
    auto const type = resolver.expression(*node.operands[1], own, {});
    return {.mask = list_mask, .elements = type.mask};
  }
};

StaticType Resolver::expression(Expression& node, Scope& scope, Context place) {
  if (failed()) return {};
  return std::visit(Forms{*this, node, scope, place}, node.form);
}

}  // namespace whence::queries::cypher
