#pragma once
// Backups that grow: a directory of sets, each a copy of the whole store and segments of the transactions after it.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "store/backups/backup_source.hpp"
#include "store/backups/manifest.hpp"
#include "store/values/advance.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace whence::store {

/// A set on disk.
struct BackupSet {
  std::filesystem::path path;
  Manifest manifest;
};

/// The names of the sets in `directory`, the oldest first. What is no directory, or a link, is none. Throws
/// std::system_error.
[[nodiscard]] std::vector<std::filesystem::path> list_sets(std::filesystem::path const& directory);

/// The sets in `directory`, the oldest first; fails as `read_manifest` where one does not read.
[[nodiscard]] Result<std::vector<BackupSet>> read_sets(std::filesystem::path const& directory);

/// Removes sets that killed attempts left half made or half removed. The directory's lock is held.
void remove_leaving_sets(std::filesystem::path const& directory);

/// Seconds that are never over: segments are added to the last set for ever.
inline constexpr std::int64_t never_s = INT64_MAX;

struct IncrementOptions {
  schema::Time now;                         ///< when this backup is made
  std::int64_t new_base_after_s = never_s;  ///< a set that is older gets no more segments; 0: every backup is a base
  Advance advance = {};                     ///< told of the copy and of the transactions of segments
};

/// What an incremental backup did.
struct IncrementResult {
  std::filesystem::path set;
  bool is_base = false;                 ///< a new set was begun
  schema::TxId from = schema::TxId{0};  ///< the first transaction that was added
  schema::TxId tx = schema::TxId{0};    ///< the last that the set has
  std::uint64_t bytes = 0;              ///< of what was written; 0: there was nothing new
};

/// Brings the backups in `directory` (made where it is absent) up to the head of `source`, while that is written to:
/// adds a segment to the last set, or begins a set where there is none, where the last is of another store or of
/// another history (after `restore`), or too old. What is written is on disk, whole or not at all, when this returns;
/// what a killed attempt left is removed. Fails with `conflict` where `directory` has something else in it or another
/// process backs up to it, with `corrupt` where the last manifest does not read or the store's log is damaged, with
/// `storage_full`. Throws std::system_error. O(what is new), of a base O(store).
[[nodiscard]] Result<IncrementResult> back_up_increment(BackupSource& source, std::filesystem::path const& directory,
                                                        IncrementOptions const& options);

}  // namespace whence::store
