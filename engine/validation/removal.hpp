#pragma once
// Deletion: the nodes named, those deleted with them, and those that lose a source by it.

#include "engine/plan/plan.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/ref.hpp"

#include <span>

namespace whence::engine {

/// The plan of deleting `refs` and the nodes deleted with them. Fails with `not_found` naming every ref that does not
/// exist, with the rule "deleted" for one that is deleted already; unless `force`, with `precondition` "in_use" naming
/// every context unit that responses use which stay. O(deleted nodes squared, and uses of the units).
[[nodiscard]] Result<Plan> validate_removal(std::span<schema::NodeRef const> refs, bool force,
                                            graph::Snapshot const& known);

}  // namespace whence::engine
