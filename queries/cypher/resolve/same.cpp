#include "queries/cypher/resolve/same.hpp"

#include "queries/cypher/functions/table.hpp"
#include "queries/cypher/values/compare.hpp"

namespace whence::queries::cypher {

bool is_same_form(Expression const& a, Expression const& b) {
  if (a.kind != b.kind || a.op != b.op || a.is_distinct != b.is_distinct || a.name != b.name || a.names != b.names ||
      a.ops != b.ops || a.operands.size() != b.operands.size() || a.pattern || a.query || b.pattern || b.query ||
      a.accumulator_name != b.accumulator_name) {
    return false;
  }
  if (a.kind == ExpressionKind::literal && (a.value.type() != b.value.type() || !is_same(a.value, b.value)))
    return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if ((a.operands[i] == nullptr) != (b.operands[i] == nullptr)) return false;
    if (a.operands[i] != nullptr && !is_same_form(*a.operands[i], *b.operands[i])) return false;
  }
  return true;
}

bool is_aggregation(Expression const& expression) {
  if (expression.kind == ExpressionKind::count_all) return true;
  if (expression.kind != ExpressionKind::call) return false;
  auto const* function = find_function(expression.name);
  return function != nullptr && function->aggregation != Aggregation::none;
}

bool has_aggregation(Expression const& expression) {
  if (is_aggregation(expression)) return true;
  for (auto const& operand : expression.operands) {
    if (operand != nullptr && has_aggregation(*operand)) return true;
  }
  return false;
}

void each_operand(Expression& expression, std::function<void(ExpressionPtr&)> const& visit) {
  for (auto& operand : expression.operands) {
    if (operand != nullptr) visit(operand);
  }
}

}  // namespace whence::queries::cypher
