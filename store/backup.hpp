#pragma once
// Making a store of a backup.

#include "schema/base/error.hpp"

#include <filesystem>

namespace whence::store {

/// Copies a backup into `directory` (absent or empty, else `conflict`) and gives it a new epoch. Fails with
/// `storage_full`.
[[nodiscard]] Result<void> restore(std::filesystem::path const& backup, std::filesystem::path const& directory);

}  // namespace whence::store
