#pragma once
// Nodes at the end of paths of a variable length.

#include "queries/cypher/batch/batch.hpp"

namespace whence::queries::cypher {

[[nodiscard]] StagePtr make_reach(PlanNode const& plan, RunState& state, Column from, Column target, bool only_counts);

}  // namespace whence::queries::cypher
