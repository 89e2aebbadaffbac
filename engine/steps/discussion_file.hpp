#pragma once
// Restoring a stored discussion from its file: records that differ are deleted and written anew in one transaction, so
// that earlier moments still show the discussion as it was.

#include "engine/plan/plan.hpp"
#include "engine/validation/removal.hpp"
#include "engine/values/batch.hpp"
#include "schema/base/error.hpp"
#include "schema/records/discussion/discussion.hpp"

namespace whence::engine {

/// The plan that makes the known discussion of `wanted` equal it: its rounds are complete and numbered from 1, its
/// summaries are of these rounds. An open round stays, unless the file has it or one after it. Equal records are left
/// alone; those that are kept get edges to the new version of a replaced one. Fails with `not_found`; with
/// `precondition` "changed" where the discussion has changed since it was compared with the file, "held" or
/// "retention_min" where a round or summary must stay (graph/removal/holds.hpp); or as the store does.
[[nodiscard]] Result<Plan> restore_discussion(DiscussionRestoring const& step, RemovalContext const& context);

}  // namespace whence::engine
