#pragma once
// What a pattern says of the relations of a path: how many there are, and which properties each has.

#include "queries/cypher/state/state.hpp"

#include <cstdint>

namespace whence::queries::cypher {

[[nodiscard]] std::uint64_t least_of(RelationPattern const& relation);
[[nodiscard]] std::uint64_t most_of(RelationPattern const& relation);
/// The properties that every relation of the path has; evaluated once per row. False where the row has none that fit.
[[nodiscard]] bool expected_of(RelationPattern const& relation, Row& row, RunState& state, Map& expected);

}  // namespace whence::queries::cypher
