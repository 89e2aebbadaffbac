#pragma once
// Restoring a transaction: from the events of a history to a plan.

#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"
#include "engine/values/history.hpp"
#include "graph/snapshot/delta.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace whence::engine {

/// The plan of a restored transaction, with the deprecations that its events state.
struct RestoredPlan {
  Plan plan;
  std::vector<schema::VertexId> deprecated = {};
};

/// What earlier transactions of the same group removed: snapshots know it once the group is published.
struct RemovedContents {
  std::uint32_t count;  ///< how many of the first contents went
  graph::GoneWhy why;
};
using RemovedBefore = std::map<schema::VertexId, RemovedContents>;

/// The plan of `transaction`, whose tx and time follow those of the context. Fails with `invalid_record`, naming the
/// line, where an event names an unknown node, brings an edge that is not allowed, or lacks a record.
[[nodiscard]] Result<RestoredPlan> plan_restored(RestoredTransaction const& transaction,
                                                 ValidationContext const& context, RemovedBefore const& removed);

/// Checks that the transaction, as applied, closed no cycle of influence. Fails with `invalid_record`, rule "history".
[[nodiscard]] Result<void> check_cycles(RestoredTransaction const& transaction, graph::Delta const& delta,
                                        graph::Snapshot const& after);

}  // namespace whence::engine
