#pragma once
// Writes whose records depend on what is there: opening a round, its next response, a discussion that is to say what
// its file says; an answer's text and a retrieval, which become records and are judged like such.

#include "engine/intake/intake.hpp"
#include "engine/plan/plan.hpp"
#include "engine/validation/context.hpp"

namespace whence::engine {

/// The plan of the step in `request`, whose fields were checked at intake. Fails with what intake found; with
/// `not_found` where a discussion is not known; with `precondition` "round_number" (and the number expected),
/// "round_open" (one is open already, or none is) or "persona_order"; or as the store does.
[[nodiscard]] Result<Plan> validate_step(Request& request, ValidationContext const& context);

}  // namespace whence::engine
