#pragma once
// Removing sets of backups that are no longer wanted.

#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace whence::store {

/// Which sets are kept, beside the newest: a set is kept where one of these wants it.
struct KeepRules {
  schema::Time now;
  std::optional<std::int64_t> window_s = {};  ///< every moment since then can still be restored
  std::uint32_t hourly = 0;                   ///< of each of so many hours that have sets, the newest set
  std::uint32_t daily = 0;                    ///< likewise, days of UTC
  std::uint32_t weekly = 0;                   ///< likewise, weeks that begin on Monday
};

/// What became of the sets, each list in the order of time.
struct PruneResult {
  std::vector<std::filesystem::path> kept;
  std::vector<std::filesystem::path> removed;
  std::uint64_t bytes = 0;  ///< of what was removed
};

/// Removes whole sets, never a segment or a base alone; with `is_dry` only says which. A set gets another name before
/// anything in it is removed, so that a killed attempt leaves no set that lacks something. Fails with `corrupt` where a
/// manifest does not read: nothing is removed then; with `not_found` where the directory is not there and `conflict`
/// where a backup is made in it. Throws std::system_error.
[[nodiscard]] Result<PruneResult> prune_sets(std::filesystem::path const& directory, KeepRules const& rules,
                                             bool is_dry);

}  // namespace whence::store
