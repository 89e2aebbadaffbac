#pragma once
// Which discussions a plan changes as their files show them.

#include "engine/plan/plan.hpp"
#include "engine/values/batch.hpp"
#include "engine/values/write_answer.hpp"
#include "graph/snapshot/snapshot.hpp"

#include <vector>

namespace whence::engine {

/// The discussions whose complete rounds, summaries or own members `plan` adds, changes or deletes. Ascending, each
/// once. A response of an open round is not in the files, nor is the opening. O(plan).
[[nodiscard]] std::vector<DiscussionIds> touched_discussions(Plan const& plan, Step const& step,
                                                             graph::Snapshot const& known);

}  // namespace whence::engine
