#pragma once
// Steps: writes whose records depend on the present state. Opening a round, its next response, its answers, and
// restoring a discussion from its file are planned here; an answer's text and a retrieval become records and are
// validated as such.

#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"

namespace whence::engine {

/// The plan of the step in `request`, whose fields were checked at intake. Fails with the violations found there; with
/// `not_found` where a discussion is not known; with `precondition` "round_number" (and the number expected),
/// "round_open" (one is open already, or none is) or "persona_order"; or as the store does.
[[nodiscard]] Result<Plan> validate_step(Request& request, ValidationContext const& context);

}  // namespace whence::engine
