#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>

namespace whence::queries::cypher {

bool slots_of(Expression const& expression, std::vector<Slot>& slots) {
  if (expression.pattern || expression.query) return false;
  if (expression.kind == ExpressionKind::variable) slots.push_back(expression.slot);
  return std::ranges::all_of(expression.operands,
                             [&](ExpressionPtr const& each) { return each == nullptr || slots_of(*each, slots); });
}

std::string text_of(NodePattern const& node) {
  std::string text = "(" + node.name;
  for (auto const& label : node.labels) text += ":" + label;
  return text + ")";
}

std::string text_of(RelationPattern const& relation, bool is_reversed) {
  std::string text = "[" + relation.name;
  for (std::size_t i = 0; i < relation.types.size(); ++i) text += (i == 0 ? ":" : "|") + relation.types[i];
  if (relation.is_variable) {
    text += "*" + (relation.least ? std::to_string(*relation.least) : "") + ".." +
            (relation.most ? std::to_string(*relation.most) : "");
  }
  auto const to_left = (relation.direction == Direction::in) != is_reversed && relation.direction != Direction::any;
  auto const to_right = (relation.direction == Direction::out) != is_reversed && relation.direction != Direction::any;
  return (to_left ? "<-" : "-") + text + "]" + (to_right ? "->" : "-");
}

Direction reversed(Direction direction) {
  return direction == Direction::out ? Direction::in : direction == Direction::in ? Direction::out : Direction::any;
}

}  // namespace whence::queries::cypher
