#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>

namespace whence::queries::cypher {

bool slots_of(Expression const& expression, std::vector<Slot>& slots) {
  if (expression.pattern || expression.query) return false;
  if (expression.kind == ExpressionKind::variable) slots.push_back(expression.slot);
  return std::ranges::all_of(expression.operands,
                             [&](ExpressionPtr const& each) { return each == nullptr || slots_of(*each, slots); });
}

namespace {

/// The slots that are marked, and the graph that knows some properties without reading.
struct Reads {
  PropertyGraph const& graph;
  std::vector<bool>& slots;

  void add(Slot slot, std::string_view property) const {
    if (!graph.has_index({}, property)) slots[slot] = true;
  }
};

void mark_query(Query const& query, Reads const& reads);
void mark_reads(ExpressionPtr const& expression, Reads const& reads);

void mark_reads(Pattern const& pattern, Reads const& reads) {
  for (auto const& path : pattern.paths) {
    for (auto const& node : path.nodes) {
      mark_reads(node.properties, reads);
      if (node.properties == nullptr) continue;
      for (auto const& name : node.properties->names) reads.add(node.slot, name);
    }
    for (auto const& relation : path.relations) mark_reads(relation.properties, reads);
  }
}

/// A variable that is returned whole, or given to a function, counts only where its property is named: a guess that
/// costs time, not answers.
void mark_reads(ExpressionPtr const& expression, Reads const& reads) {
  if (expression == nullptr) return;
  if (expression->kind == ExpressionKind::property && expression->operands[0]->kind == ExpressionKind::variable) {
    reads.add(expression->operands[0]->slot, expression->name);
  }
  for (auto const& operand : expression->operands) mark_reads(operand, reads);
  if (expression->pattern) mark_reads(*expression->pattern, reads);
  if (expression->query) mark_query(*expression->query, reads);
}

void mark_query(Query const& query, Reads const& reads) {
  for (auto const& part : query.parts) {
    for (auto const& clause : part.clauses) {
      mark_reads(clause.pattern, reads);
      mark_reads(clause.where, reads);
      mark_reads(clause.expression, reads);
      for (auto const& item : clause.projection.items) mark_reads(item.expression, reads);
      for (auto const& item : clause.projection.order) mark_reads(item.expression, reads);
      for (auto const& argument : clause.arguments) mark_reads(argument, reads);
    }
  }
}

}  // namespace

void mark_property_reads(Query const& query, PropertyGraph const& graph, std::vector<bool>& slots) {
  mark_query(query, {.graph = graph, .slots = slots});
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
