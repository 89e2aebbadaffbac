#pragma once
// Checks that patterns imply: labels, maps of properties, and that no relation is taken twice.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"

#include <cstdint>
#include <span>

namespace whence::queries::cypher {

/// `graph` is the moment that the pattern reads: a node that was bound at another one is looked at as it is then.
[[nodiscard]] bool holds(Predicate const& predicate, PropertyGraph const& graph, Row& row, RunState& state);
/// Whether the graph has the node; one that was bound at another moment may be missing.
[[nodiscard]] bool has_node(PropertyGraph const& graph, Node const& node);
/// Whether the graph has the relation, likewise. O(relations of its start) where it was bound at another moment.
[[nodiscard]] bool has_relation(PropertyGraph const& graph, Relation const& relation);
/// Whether each entry of `expected` equals the property of its name. `entity` is a node or a relation.
[[nodiscard]] bool has_properties(Value const& entity, Map const& expected, RunState& state, Place place = {});
/// Whether one of the slots holds the relation, alone or in a list.
[[nodiscard]] bool is_taken(std::uint64_t relation, std::span<Slot const> slots, Row const& row);

}  // namespace whence::queries::cypher
