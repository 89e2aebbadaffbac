#include "queries/cypher/resolve/same.hpp"

#include "queries/cypher/functions/table.hpp"
#include "queries/cypher/values/compare.hpp"

namespace whence::queries::cypher {
namespace {

/// Whether two of a kind are written alike, apart from their operands.
struct WrittenAlike {
  bool operator()(Literal const& a, Literal const& b) const {
    return a.value.type() == b.value.type() && is_same(a.value, b.value);
  }
  bool operator()(Named const& a, Named const& b) const { return a.name == b.name; }
  bool operator()(ElementLookup, ElementLookup) const { return true; }
  bool operator()(SliceLookup, SliceLookup) const { return true; }
  bool operator()(ListLiteral, ListLiteral) const { return true; }
  bool operator()(MapLiteral const& a, MapLiteral const& b) const { return a.keys == b.keys; }
  bool operator()(MapProjection const& a, MapProjection const& b) const { return a.keys == b.keys; }
  bool operator()(Invocation const& a, Invocation const& b) const {
    return a.name == b.name && a.is_distinct == b.is_distinct && a.counts_rows == b.counts_rows;
  }
  bool operator()(Operation a, Operation b) const { return a.op == b.op; }
  bool operator()(Comparison const& a, Comparison const& b) const { return a.ops == b.ops; }
  bool operator()(LabelTest const& a, LabelTest const& b) const { return a.labels == b.labels; }
  bool operator()(Conditional a, Conditional b) const { return a.has_test == b.has_test; }
  bool operator()(ListComprehension const& a, ListComprehension const& b) const {
    return (*this)(a.element, b.element);
  }
  bool operator()(Quantifier const& a, Quantifier const& b) const {
    return a.kind == b.kind && (*this)(a.element, b.element);
  }
  bool operator()(Reduction const& a, Reduction const& b) const {
    return (*this)(a.accumulator, b.accumulator) && (*this)(a.element, b.element);
  }
  bool operator()(PatternSearch const&, PatternSearch const&) const { return false; }
  bool operator()(Subquery const&, Subquery const&) const { return false; }
};

}  // namespace

bool is_same_form(Expression const& a, Expression const& b) {
  auto const is_same_alone = [&](auto const& form) {
    auto const* other = std::get_if<std::decay_t<decltype(form)>>(&b.form);
    return other != nullptr && WrittenAlike{}(form, *other);
  };
  if (a.operands.size() != b.operands.size() || !std::visit(is_same_alone, a.form)) return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if ((a.operands[i] == nullptr) != (b.operands[i] == nullptr)) return false;
    if (a.operands[i] != nullptr && !is_same_form(*a.operands[i], *b.operands[i])) return false;
  }
  return true;
}

bool is_aggregation(Expression const& expression) {
  auto const* call = expression.find<Invocation>();
  auto const* function = call != nullptr ? find_function(call->name) : nullptr;
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
