#pragma once
// Steps: writes whose records depend on the present state. Those that give or make a record of its own (a
// summary, an answer, a retrieval, a version of a unit, a hold, settings of a discussion) are validated as that record
// is; those on rounds, the file of a discussion, the end of a hold and a proposal have plans of their own.

#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"

namespace whence::engine {

/// The plan of the step in `request`, whose fields were checked at intake. Fails with the violations found there; with
/// `not_found` where a discussion is not known; with `precondition` "round_number" (and the number expected),
/// "round_open" (one is open already, or none is) or "persona_order"; or as the store does.
[[nodiscard]] Result<Plan> validate_step(Request& request, ValidationContext const& context);

}  // namespace whence::engine
