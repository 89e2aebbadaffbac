// WITH and RETURN of the resolver: columns, grouping, what ORDER BY and WHERE see.
#include "queries/cypher/resolve/resolver.hpp"
#include "queries/cypher/resolve/same.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

ExpressionPtr variable_of(ProjectionItem const& item, Place place) {
  return make_expression(Variable{{item.name}, item.slot}, place);
}

/// A variable, or a property of one: what may stand beside an aggregation.
bool is_simple(Expression const& expression) {
  return expression.is<PropertyLookup>() ? is_simple(*expression.operands[0]) : expression.is<Variable>();
}

bool uses_variables(Expression const& expression) {
  if (expression.is<Variable, PatternSearch, Subquery>()) return true;
  return std::ranges::any_of(expression.operands,
                             [](ExpressionPtr const& each) { return each != nullptr && uses_variables(*each); });
}

/// The first variable in the expression that the scope lacks, with its place.
Expression const* find_unknown(Expression const& expression, Scope const& scope) {
  if (auto const* variable = expression.find<Variable>()) return scope.contains(variable->name) ? nullptr : &expression;
  // These have names of their own; resolving reports what is unknown in them.
  if (expression.is<ListComprehension, Quantifier, Reduction, PatternSearch, Subquery>()) return nullptr;
  for (auto const& each : expression.operands) {
    if (each == nullptr) continue;
    if (auto const* found = find_unknown(*each, scope)) return found;
  }
  return nullptr;
}

bool names_variable(Expression const& expression, std::string_view name) {
  if (auto const* variable = expression.find<Variable>()) return variable->name == name;
  return std::ranges::any_of(expression.operands,
                             [&](ExpressionPtr const& each) { return each != nullptr && names_variable(*each, name); });
}

}  // namespace

void Resolver::projection(Clause& clause, Scope& scope) {
  auto& made = clause.projection;
  if (made.has_star) {
    if (scope.empty() && clause.kind == ClauseKind::returning) {
      return fail(clause.place, "NoVariablesInScope", "RETURN * needs a variable");
    }
    std::vector<ProjectionItem> all;
    for (auto const& entry : scope) {
      all.push_back(
          {.expression = make_expression(Variable{entry.first}, clause.place), .name = entry.first, .has_alias = true});
    }
    for (auto& item : made.items) all.push_back(std::move(item));
    made.items = std::move(all);
  }
  // `a.b AS c ORDER BY a.b` is looked for in the form it was written in, so before names become slots.
  Scope after;
  items(made, scope, after);
  if (failed()) return;
  for (auto& item : made.order) ordered(item.expression, made, scope, after, false);
  if (clause.where != nullptr) ordered(clause.where, made, scope, after, true);
  if (failed()) return;
  for (auto const& item : made.items) {
    if (clause.kind == ClauseKind::with && !item.has_alias && !item.expression->is<Variable>()) {
      return fail(item.expression->place, "NoExpressionAlias", "an expression in WITH needs a name: ... AS name");
    }
  }
  if (made.is_aggregating()) grouped(made);
  bound(made.skip, "SKIP");
  bound(made.limit, "LIMIT");
  scope = std::move(after);
}

void Resolver::items(Projection& projection, Scope const& before, Scope& after) {
  for (auto& item : projection.items) {
    auto scope = before;
    item.is_aggregating = has_aggregation(*item.expression);
    auto const type = expression(*item.expression, scope, {.aggregations = &projection.aggregations});
    if (failed()) return;
    auto const* variable = item.expression->find<Variable>();
    item.slot = variable != nullptr ? variable->slot : new_slot();
    if (!after.emplace(item.name, Binding{.slot = item.slot, .type = type}).second) {
      return fail(item.expression->place, "ColumnNameConflict", "two columns have the name '" + item.name + "'");
    }
  }
}

void Resolver::ordered(ExpressionPtr& node, Projection const& projection, Scope const& before, Scope const& after,
                       bool is_condition) {
  if (failed()) return;
  bool const sees_before = !projection.is_aggregating() && !projection.is_distinct;
  bool const aggregates = has_aggregation(*node);
  auto scope = after;
  if (sees_before) {
    for (auto const& entry : before) scope.emplace(entry);
  }
  substitute(node, projection, aggregates);
  if (has_aggregation(*node)) {
    // Names that are gone are the more useful report.
    std::vector<Expression const*> ignored;
    expression(*node, scope, {.aggregations = &ignored});
    return fail(node->place, "InvalidAggregation", "ORDER BY and WHERE use aggregations that are columns only");
  }
  if (auto const* unknown = aggregates ? find_unknown(*node, scope) : nullptr; unknown != nullptr) {
    auto const& name = std::get<Variable>(unknown->form).name;
    for (auto const& item : projection.items) {
      if (before.contains(name) && !item.is_aggregating && !is_simple(*item.expression) &&
          names_variable(*item.expression, name)) {
        return fail(unknown->place, "AmbiguousAggregationExpression",
                    "'" + name + "' is part of a column only, and so ambiguous beside an aggregation");
      }
    }
  }
  if (is_condition) {
    condition(*node, scope, {});
  } else {
    expression(*node, scope, {});
  }
}

void Resolver::substitute(ExpressionPtr& node, Projection const& projection, bool simple_only) {
  auto const* variable = node->find<Variable>();
  for (auto const& item : projection.items) {
    if (variable != nullptr && variable->name == item.name) return;  // a column's own name
  }
  for (auto const& item : projection.items) {
    bool const may = !simple_only || is_simple(*item.expression) || is_aggregation(*item.expression);
    if (may && is_same_form(*node, *item.expression)) {
      node = variable_of(item, node->place);
      return;
    }
  }
  each_operand(*node, [&](ExpressionPtr& each) { substitute(each, projection, simple_only); });
}

void Resolver::bound(ExpressionPtr& node, std::string_view what) {
  if (node == nullptr || failed()) return;
  if (uses_variables(*node)) {
    return fail(node->place, "NonConstantExpression", std::string{what} + " depends on no row");
  }
  Scope none;
  expression(*node, none, {});
  auto const* literal = node->find<Literal>();
  if (failed() || literal == nullptr) return;
  auto const* number = literal->value.find_integer();
  if (number == nullptr) return fail(node->place, "InvalidArgumentType", std::string{what} + " takes an integer");
  if (*number < 0) fail(node->place, "NegativeIntegerArgument", std::string{what} + " takes no negative number");
}

}  // namespace whence::queries::cypher
