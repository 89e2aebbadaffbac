#pragma once
// Deleting nodes: those named, those deleted with them, and those that lose something by it.

#include "engine/plan/plan.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/ref.hpp"

#include <span>

namespace whence::engine {

/// The plan of deleting `refs` and what goes with them. Fails with `not_found` naming every ref that is not there, rule
/// "deleted" for what is deleted already.
[[nodiscard]] Result<Plan> validate_removal(std::span<schema::NodeRef const> refs, graph::Snapshot const& known);

}  // namespace whence::engine
