#pragma once
// What the planner asks of expressions and patterns: which slots they read, and how they are shown.

#include "queries/cypher/syntax/statement.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// Of a variable; `no_slot` for other expressions.
[[nodiscard]] Slot slot_of(Expression const& expression);
struct PropertyRead {
  Slot slot = no_slot;
  std::string_view name = {};
};
/// Of `n.name`; no slot for other expressions.
[[nodiscard]] PropertyRead property_read(Expression const& expression);
/// Whether it is `a = b`, of two operands.
[[nodiscard]] bool is_equality(Expression const& expression);
/// Appends the slots that a condition reads. False where it has a subquery, whose needs are not looked into.
[[nodiscard]] bool slots_of(Expression const& expression, std::vector<Slot>& slots);
/// Marks the slots of which the query reads properties that the graph has no index of, in subqueries too.
void mark_property_reads(Query const& query, PropertyGraph const& graph, std::vector<bool>& slots);
/// The ends of the only relation of `match` from which `clause`, an aggregation behind it, needs no more than how many
/// relations they have: it reads neither the relation nor the other end, and nothing `between` the two does. The other
/// end may have labels.
[[nodiscard]] std::vector<NodePattern const*> counted_ends(Clause const& match, std::span<Clause const> between,
                                                           Clause const& clause);
[[nodiscard]] std::string text_of(NodePattern const& node);
/// `is_reversed`: seen from the pattern's end.
[[nodiscard]] std::string text_of(RelationPattern const& relation, bool is_reversed);
[[nodiscard]] Direction reversed(Direction direction);

}  // namespace whence::queries::cypher
