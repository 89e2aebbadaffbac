#pragma once
// Comparison of expressions by their form, and looking into them.

#include "queries/cypher/syntax/expression.hpp"

#include <functional>

namespace whence::queries::cypher {

/// Whether two expressions are written alike. Never true of those with patterns or subqueries.
[[nodiscard]] bool is_same_form(Expression const& a, Expression const& b);
/// Whether the expression or a part of it, outside of subqueries, is a call of an aggregation.
[[nodiscard]] bool has_aggregation(Expression const& expression);
[[nodiscard]] bool is_aggregation(Expression const& expression);
/// Calls `visit` with the operands that are there.
void each_operand(Expression& expression, std::function<void(ExpressionPtr&)> const& visit);

}  // namespace whence::queries::cypher
