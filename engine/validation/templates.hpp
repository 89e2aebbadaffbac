#pragma once
// Which template of a model is the active one: a new one, or one that is written again, takes the place of another.

#include "engine/plan/candidates.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"
#include "engine/state/template_index.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <vector>

namespace whence::engine {

/// Makes each of `activated`, inactive templates that the client writes as active, active again, unless a later record
/// of the batch is an active template of its model; and inactive those that were active until then, also wherever the
/// batch brings a newer template that is active. `now` is the time of these changes. For each it looks at the versions
/// that are there from the highest down to the one that was active; gaps between their numbers cost nothing. Fails
/// where the store does.
[[nodiscard]] Result<void> plan_templates(Candidates const& candidates, std::vector<Candidate const*> const& activated,
                                          schema::EpochMs now, Contents& contents, TemplateIndex& templates,
                                          Index::Source const& source, Plan& plan);

}  // namespace whence::engine
