#pragma once
// The steps of a growing discussion: opening a round and taking that back, the next response of the open one, answers
// to the last one, the summary of those before.

#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"
#include "engine/validation/context.hpp"
#include "engine/values/batch.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

namespace whence::engine {

/// Opens the next round: the last complete one's number plus 1, also where a round in between was deleted. The opening
/// is stored in the Discussion's record: a round is a node from its first response on. Creates the discussion where it
/// is missing. Fails with `precondition` "round_open" where one is open already, "round_number" (and the number
/// expected) where another number was given; or as the store does.
[[nodiscard]] Result<Plan> open_round(RoundOpening const& step, ValidationContext const& context, Contents& contents);

/// Gives the last complete round questions and answers; what it has already changes nothing. Fails with `not_found`
/// where the discussion is not known; with `precondition` "round_number" (and the number expected) for another round or
/// where none is complete, "round_open" where the next one is open; or as the store does.
[[nodiscard]] Result<Plan> answer_round(RoundAnswers const& step, ValidationContext const& context, Contents& contents);

/// Takes the opening of a round back, with its questions. Fails with `not_found` where the discussion is not known;
/// with `precondition` "round_open" where no round is open, or the open one has a response; or as the store does.
[[nodiscard]] Result<Plan> abandon_round(RoundAbandoning const& step, ValidationContext const& context,
                                         Contents& contents);

/// The summary's record: it replaces all rounds after those of the summary before it. Fails with `not_found` where the
/// discussion is not known, with `precondition` "round_number" where no round is complete, or as the store does.
[[nodiscard]] Result<schema::SummaryEntry> compose_summary(RoundsSummary const& step, ValidationContext const& context,
                                                           Contents& contents);

/// Adds a response to the open round. Fails with `not_found` where the discussion is not known; with `precondition`
/// "round_open" where no round is open, "round_number" (and the number expected), "persona_order"; or as the store
/// does.
[[nodiscard]] Result<Plan> add_response(RoundResponse const& step, ValidationContext const& context,
                                        Contents& contents);

}  // namespace whence::engine
