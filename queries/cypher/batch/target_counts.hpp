#pragma once
// Relations of nodes, where only the nodes that they lead to are read: each of these once, with how often it was met.

#include "queries/cypher/batch/batch.hpp"

namespace whence::queries::cypher {

/// Whether the counts are worth a number for each node of the graph, which has to be cleared, and the run has room for
/// them.
[[nodiscard]] bool may_count_targets(PlanNode const& plan, RunState const& state);
/// Hands on rows at its end only, in the order in which the nodes were first met. Needs what `may_count_targets`
/// allows.
[[nodiscard]] StagePtr make_target_counts(PlanNode const& plan, RunState& state, Column from, Column target);

}  // namespace whence::queries::cypher
