#pragma once
// Deletion: the nodes named, those deleted with them, and those that lose a source by it.

#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"
#include "graph/removal/holds.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/types/ref.hpp"

#include <span>

namespace whence::engine {

/// Everything it refers to outlives it.
struct RemovalContext {
  graph::Snapshot const& known;
  Contents& contents;
  schema::EpochMs now;
  graph::Keeping keeping;
  bool hides_purged_texts = false;  ///< a ref of one names nothing (engine/values/batch.hpp)
};

/// The plan of deleting `refs` and the nodes deleted with them. Where the active template of a model is deleted, the
/// nearest one before it that was active becomes active. Fails with `not_found` naming every ref that does not
/// exist, with the rule "deleted" for one that is deleted already; unless `force`, with `precondition` "in_use" naming
/// every context unit that responses use which stay, and every version that a later one names which stays; with
/// `precondition` "held" or "retention_min" where one of them must stay (graph/removal/holds.hpp). O(deleted
/// nodes squared, uses of the units, and versions of the templates); or as the store does.
[[nodiscard]] Result<Plan> validate_removal(std::span<schema::NodeRef const> refs, bool force,
                                            RemovalContext const& context);

}  // namespace whence::engine
