#pragma once
// Whether a checkpoint is of a moment of a log.

#include "schema/base/error.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/head.hpp"

namespace whence::store {

/// `conflict`, with the reason, where the checkpoint is not of a moment of the log that `head` ends: of another store,
/// of one that was written differently since, or newer than what is left of it.
[[nodiscard]] Result<void> check_is_of_log(CheckpointHead const& checkpoint, Environment const& environment,
                                           Transaction const& txn, Head const& head);

}  // namespace whence::store
