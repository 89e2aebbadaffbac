#pragma once
// Nodes that begin anew: telemetry that comes late may show that something was no cause, and an edge cannot be taken
// back.

#include "engine/plan/candidates.hpp"
#include "engine/state/contents.hpp"
#include "engine/validation/context.hpp"
#include "engine/values/batch.hpp"
#include "schema/base/error.hpp"

namespace whence::engine {

/// Leaves out of `batch.renews` what must stay: its edges do, too. Fails as `Holds::make`.
[[nodiscard]] Result<void> leave_held(WriteBatch& batch, ValidationContext const& context, Contents& contents);

/// Fails with `precondition` where something names a renewed node and is no record of the batch: it came after the
/// batch was made, and would lose its edge. O(neighbours of what is renewed).
[[nodiscard]] Result<void> check_renewed(Candidates const& candidates);

}  // namespace whence::engine
