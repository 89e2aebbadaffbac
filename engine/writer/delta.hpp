#pragma once
// From a stored transaction to its changes, in the order in which live updates report them.

#include "graph/snapshot/delta.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "store/values/commit.hpp"

namespace whence::engine {

/// The changes of `commit`. `head` is a snapshot at it or later. A pure function of both, so that a replay reports the
/// same events as live updates did. Nodes deleted with a named one follow it in byte order of ref, as in the log.
/// O(changes, log n for the order of consequences).
[[nodiscard]] graph::Delta delta_of(store::ReplayedCommit const& commit, graph::Snapshot const& head);

}  // namespace whence::engine
