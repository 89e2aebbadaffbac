#pragma once
// Writing a transaction of the past again: from the events that told it to a plan.

#include "engine/history.hpp"
#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"
#include "graph/snapshot/delta.hpp"

#include <vector>

namespace whence::engine {

/// What a transaction of the past did, with the decision that was logged with it.
struct RestoredPlan {
  Plan plan;
  std::vector<schema::VertexId> deprecated = {};
};

/// The plan of `past`, whose tx and time follow those of the context. Fails with `invalid_record`, naming the line,
/// where an event names what is not there, draws an edge that may not be, or holds no record where one belongs.
[[nodiscard]] Result<RestoredPlan> plan_restored(RestoredTransaction const& transaction,
                                                 ValidationContext const& context);

/// Whether the transaction, as applied, closed no cycle of influence. Fails with `invalid_record`, rule "history".
[[nodiscard]] Result<void> check_cycles(RestoredTransaction const& transaction, graph::Delta const& delta,
                                        graph::Snapshot const& after);

}  // namespace whence::engine
