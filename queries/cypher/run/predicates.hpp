#pragma once
// Checks that patterns imply: labels, maps of properties, and that no relation is taken twice.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/run/state.hpp"

#include <cstdint>
#include <span>

namespace whence::queries::cypher {

[[nodiscard]] bool holds(Predicate const& predicate, Row& row, RunState& state);
/// Whether each entry of `expected` equals the property of its name. `entity` is a node or a relation.
[[nodiscard]] bool has_properties(Value const& entity, Map const& expected, RunState& state);
/// Whether one of the slots holds the relation, alone or in a list.
[[nodiscard]] bool is_taken(std::uint64_t relation, std::span<Slot const> slots, Row const& row);

}  // namespace whence::queries::cypher
