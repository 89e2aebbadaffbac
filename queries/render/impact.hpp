#pragma once
// The results about bad answers and their sources as page sources.

#include "queries/impact/blame.hpp"
#include "queries/impact/replay_plan.hpp"
#include "queries/impact/stale.hpp"
#include "queries/impact/without.hpp"
#include "queries/render/page_source.hpp"

namespace whence::queries {

// `view` is the one that the result was made from.

[[nodiscard]] PageSource render(View const& view, Blame&& blame, BlameParams const& params);
[[nodiscard]] PageSource render(View const& view, Without&& without, WithoutParams const& params);
[[nodiscard]] PageSource render(View const& view, ReplayPlan&& plan, ReplayPlanParams const& params);
[[nodiscard]] PageSource render(View const& view, Stale&& stale, StaleParams const& params);

}  // namespace whence::queries
