#pragma once
// Acts: a response and the answer of its request are made one in the graph. Each gets the other's causes and effects as
// edges of its own (engine/README.md).

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/request_index.hpp"
#include "schema/base/error.hpp"
#include "schema/checks/check_context.hpp"

namespace whence::engine {

/// Adds to the rows and revisions of `plan`, whose rows have the edges of their references: `SAME_ACT` for each new
/// act, and `THROUGH_ACT` for each edge of influence that one half has and the other lacks. Reports `cycle` at the
/// `request_id` of a record whose act would be its own ancestor, which older acts cannot become; in capture mode its
/// records stay apart, with the warning "same_act". So do further responses of a request that has its act. Fails where
/// the store does.
[[nodiscard]] Result<void> join_acts(Candidates const& candidates, schema::Mode mode, RequestIndex& requests,
                                     Index::Source const& source, Plan& plan, Findings& findings);

/// Adds the same `THROUGH_ACT` for the edges that known records gain: those of the revisions of `plan`.
void join_revised(Candidates const& candidates, schema::Mode mode, Plan& plan, Findings& findings);

}  // namespace whence::engine
