#pragma once
// Making a store of a backup.

#include "schema/base/error.hpp"
#include "store/values/advance.hpp"

#include <filesystem>
#include <functional>

namespace whence::store {

/// Copies a backup into `directory` (absent or empty, else `conflict`), verifies the copy and gives it a new epoch.
/// Where `accept` is given, it sees the verified copy and may refuse it. Fails with `corrupt` and `storage_full`; then
/// nothing is in `directory`. `advance` is told how many bytes were copied, then how many entries were checked.
[[nodiscard]] Result<void> restore(std::filesystem::path const& backup, std::filesystem::path const& directory,
                                   std::function<Result<void>(std::filesystem::path const&)> const& accept = {},
                                   Advance const& advance = {});

}  // namespace whence::store
