#pragma once
// What the planner asks of expressions and patterns: which slots they read, and how they are shown.

#include "queries/cypher/syntax/statement.hpp"

#include <string>
#include <vector>

namespace whence::queries::cypher {

/// Appends the slots that a condition reads. False where it has a subquery, whose needs are not looked into.
[[nodiscard]] bool slots_of(Expression const& expression, std::vector<Slot>& slots);
/// Marks the slots of which the query reads properties that the graph has no index of, in subqueries too.
void mark_property_reads(Query const& query, PropertyGraph const& graph, std::vector<bool>& slots);
[[nodiscard]] std::string text_of(NodePattern const& node);
/// `is_reversed`: seen from the pattern's end.
[[nodiscard]] std::string text_of(RelationPattern const& relation, bool is_reversed);
[[nodiscard]] Direction reversed(Direction direction);

}  // namespace whence::queries::cypher
