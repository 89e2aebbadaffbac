#pragma once
// Whether a batch may be taken, and what it then does: all rules of state, against one state of the graph, together
// with what intake found wrong with its fields.

#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"
#include "schema/base/error.hpp"

namespace whence::engine {

/// Judges a batch as a whole: its records may name each other in any order, and every error of every record is
/// reported together, sorted by (index, path). Takes the records and texts of `request` apart. Fails with the code of
/// the first error, with `limit_exceeded` where the graph has no numbers left, with `corrupt` where existing content
/// does not read.
[[nodiscard]] Result<Plan> validate(Request& request, ValidationContext const& context);

}  // namespace whence::engine
