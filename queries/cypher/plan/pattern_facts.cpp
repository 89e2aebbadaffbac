// Much rests on `slots_of`. It is false where an expression holds a search or a subquery, whose reads are not followed;
// such a condition waits until all is bound.
#include "queries/cypher/plan/pattern_facts.hpp"

#include "queries/cypher/functions/function.hpp"

#include <algorithm>

namespace whence::queries::cypher {

Slot slot_of(Expression const& expression) {
  auto const* variable = expression.find<Variable>();
  return variable != nullptr ? variable->slot : no_slot;
}

PropertyRead property_read(Expression const& expression) {
  auto const* property = expression.find<PropertyLookup>();
  if (property == nullptr || !expression.operands[0]->is<Variable>()) return {};
  return {.slot = slot_of(*expression.operands[0]), .name = property->name};
}

bool is_equality(Expression const& expression) {
  auto const* comparison = expression.find<Comparison>();
  return comparison != nullptr && comparison->ops.size() == 1 && comparison->ops[0] == Op::equal;
}

bool slots_of(Expression const& expression, std::vector<Slot>& slots) {
  if (expression.is<PatternSearch, Subquery>()) return false;
  if (auto const* variable = expression.find<Variable>()) slots.push_back(variable->slot);
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
      auto const* map = node.properties->find<MapLiteral>();
      for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) reads.add(node.slot, map->keys[i]);
    }
    for (auto const& relation : path.relations) mark_reads(relation.properties, reads);
  }
}

/// A variable that is returned whole, or given to a function, counts only where its property is named: a guess that
/// costs time, not answers.
void mark_reads(ExpressionPtr const& expression, Reads const& reads) {
  if (expression == nullptr) return;
  if (auto const read = property_read(*expression); read.slot != no_slot) reads.add(read.slot, read.name);
  for (auto const& operand : expression->operands) mark_reads(operand, reads);
  if (auto const* search = expression->find<PatternSearch>()) mark_reads(*search->pattern, reads);
  if (auto const* subquery = expression->find<Subquery>()) mark_query(*subquery->query, reads);
}

void mark_query(Query const& query, Reads const& reads) {
  for (auto const& part : query.parts) {
    for (auto const& clause : part.clauses) {
      mark_reads(clause.pattern, reads);
      mark_reads(clause.where, reads);
      mark_reads(clause.expression, reads);
      for (auto const& item : clause.projection.items) mark_reads(item.expression, reads);
      for (auto const& item : clause.projection.hidden_keys) mark_reads(item.expression, reads);
      for (auto const& item : clause.projection.order) mark_reads(item.expression, reads);
      for (auto const& argument : clause.arguments) mark_reads(argument, reads);
    }
  }
}

}  // namespace

void mark_property_reads(Query const& query, PropertyGraph const& graph, std::vector<bool>& slots) {
  mark_query(query, {.graph = graph, .slots = slots});
}

namespace {

/// Appends the slots that an aggregation reads row by row. False: some are not known.
bool slots_read(Projection const& projection, std::vector<Slot>& used) {
  for (auto const& item : projection.items) {
    if (!item.is_aggregating && !slots_of(*item.expression, used)) return false;
  }
  for (auto const& key : projection.hidden_keys) {
    if (!slots_of(*key.expression, used)) return false;
  }
  return std::ranges::all_of(projection.aggregations, [&](Expression const* each) {
    auto const& call = std::get<Invocation>(each->form);
    // What a match binds is never null: counting it is counting rows.
    bool const counts_rows = call.counts_rows || (call.function->aggregation == Aggregation::count &&
                                                  !call.is_distinct && each->operands[0]->is<Variable>());
    return counts_rows ||
           std::ranges::all_of(each->operands, [&](ExpressionPtr const& operand) { return slots_of(*operand, used); });
  });
}

}  // namespace

std::vector<NodePattern const*> counted_ends(Clause const& match, std::span<Clause const> between,
                                             Clause const& clause) {
  if (match.pattern.paths.size() != 1 || !clause.projection.is_aggregating()) return {};
  auto const& path = match.pattern.paths.front();
  if (path.relations.size() != 1 || path.search != PathSearch::all || !path.name.empty()) return {};
  auto const& relation = path.relations.front();
  if (relation.is_variable || relation.properties != nullptr || path.nodes[0].slot == path.nodes[1].slot) return {};
  std::vector<Slot> used;
  if (!slots_read(clause.projection, used) || (match.where != nullptr && !slots_of(*match.where, used))) return {};
  for (auto const& node : path.nodes) {
    if (node.properties != nullptr && !slots_of(*node.properties, used)) return {};
  }
  for (auto const& each : between) {
    if (each.expression == nullptr || !slots_of(*each.expression, used)) return {};
  }
  auto const is_read = [&](Slot slot) { return std::ranges::find(used, slot) != used.end(); };
  std::vector<NodePattern const*> ends;
  for (std::size_t i = 0; i < 2 && !is_read(relation.slot); ++i) {
    auto const& other = path.nodes[1 - i];
    if (!is_read(other.slot) && other.properties == nullptr) ends.push_back(&path.nodes[i]);
  }
  return ends;
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
