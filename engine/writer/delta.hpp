#pragma once
// From a transaction as it is stored to what it changed, in the order in which live updates tell it.

#include "graph/snapshot/delta.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "store/store.hpp"

namespace whence::engine {

/// What `commit` changed. `head` is a snapshot at it or later. A pure function of both, so that a replay tells what was
/// told live. O(changes, log n for the order of consequences).
[[nodiscard]] graph::Delta delta_of(store::ReplayedCommit const& commit, graph::Snapshot const& head);

}  // namespace whence::engine
