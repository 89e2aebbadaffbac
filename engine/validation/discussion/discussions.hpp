#pragma once
// The rules between the rounds and summaries of a discussion (schema/records/README.md): rounds follow each other, an
// open one is finished first, a summary reaches beyond the one before.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <vector>

namespace whence::engine {

/// Checks every new round and summary of a batch, and those that differ from the known ones of their number
/// (`changed`), against their discussion. Reports `precondition` "round_number" with the number expected, "round_open"
/// for a whole round while one is open, "round_number" for a summary that does not reach beyond the current one or does
/// not end with a complete round; "unknown_reference" for a replaced round that does not exist. Fills in the token
/// counts that new summaries leave out, those of the moment of writing, and warns ("token_count") of counts that differ
/// from the computed ones. Returns those of `changed` that are the last complete round with other questions or answers,
/// which it takes while the next one is not open. Of copies of what was recorded elsewhere rounds may have been lost. A
/// round of the batch that is given again has taken them already. Fails where the store does.
[[nodiscard]] Result<std::vector<Candidate const*>> check_discussions(WriteBatch const& batch,
                                                                      Candidates const& candidates,
                                                                      std::vector<Candidate const*> const& changed,
                                                                      schema::TokenRules const& rules,
                                                                      Contents& contents, Findings& findings);

/// Adds to `plan` the revisions of the rounds that `check_discussions` returned.
void plan_answered(Candidates const& candidates, std::vector<Candidate const*> const& answered,
                   Contents const& contents, Plan& plan);

}  // namespace whence::engine
