#pragma once
// Restoring a store as it was after a named transaction, or at a time, from sets of backups.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/base/time.hpp"
#include "store/values/advance.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace whence::store {

/// Which moment is restored; at most one is given. Without one it is the last that there is.
struct RecoveryTarget {
  std::optional<schema::TxId> tx = {};
  std::optional<schema::Time> time = {};  ///< the last transaction that was committed by then
};

/// What was restored.
struct RecoveryResult {
  std::filesystem::path from;  ///< the set, or the single copy
  schema::TxId tx = schema::TxId{0};
  std::optional<schema::Time> at = {};  ///< when that was committed; nothing of an empty store
  std::uint64_t segments = 0;           ///< that were read
  bool is_last = true;                  ///< whether the set has nothing after it
  std::uint64_t purged_later = 0;       ///< vertices whose contents the set says were purged after it
  std::uint64_t removed = 0;            ///< contents that its transactions removed from what the base had
};

/// Makes a store in `directory` (absent or empty, else `conflict`) of `backup`: a directory of sets, one set, or a
/// single copy (`Store::backup`). Of several sets it is the last that has the moment. The log up to there is that of
/// the store which was backed up, hash by hash; the epoch is new.
///
/// It is built beside `directory`, checked as `verify` does, and then gets its name: after a failure, a crash or an
/// interruption nothing is there. Where a transaction removed contents, the store is written anew (`compact`), so that
/// no byte of them is left. A content that was gone when its segment was made cannot be restored to a moment before it
/// went: `purged`. `advance` is told how many bytes of the base were copied, how many transactions were added (of a
/// time all that may be before it), and what `compact` or `verify` tell.
///
/// Fails with `not_found` where there is no backup or none that reaches the moment, `corrupt` naming the file and what
/// is wrong with it, `conflict`, `storage_full`, `cancelled`. Throws std::system_error. O(base and segments).
[[nodiscard]] Result<RecoveryResult> recover(std::filesystem::path const& backup,
                                             std::filesystem::path const& directory, RecoveryTarget const& target = {},
                                             schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                             Advance const& advance = {});

}  // namespace whence::store
