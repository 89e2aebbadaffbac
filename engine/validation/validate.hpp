#pragma once
// Validation of a batch: all rules of state, against one state of the graph, together with the violations that intake
// found in its fields. Its result is the plan of what the batch does.

#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"
#include "schema/base/error.hpp"

namespace whence::engine {

/// Validates a batch as a whole: its records may name each other in any order, and every error of every record is
/// reported together, sorted by (index, path). Moves records and texts out of `request`. Fails with the code of
/// the first error, with `limit_exceeded` where the graph has no numbers left, with `corrupt` where existing content
/// does not read.
[[nodiscard]] Result<Plan> validate(Request& request, ValidationContext const& context);

}  // namespace whence::engine
