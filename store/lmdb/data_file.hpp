#pragma once
// The data file as a whole: made complete or not at all, and looked over before it is opened.

#include "schema/base/error.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/head.hpp"

#include <filesystem>

namespace whence::store {

[[nodiscard]] bool has_data_file(std::filesystem::path const& directory);

/// Makes the data file of an empty store in `directory`, which the caller has locked. After a crash it is there and
/// whole, or not there.
void create_data_file(std::filesystem::path const& directory);

/// Removes what a compaction that was killed left in `directory`, which the caller has locked: copies of contents that
/// may have been deleted since.
void remove_unfinished_copy(std::filesystem::path const& directory);

/// Opens an environment whose data file exists, after checking its meta pages, and its tables, after checking its
/// format: a store of another may lack some.
[[nodiscard]] Result<Environment> open_environment(std::filesystem::path const& directory,
                                                   Environment::Options const& options);

/// Numbers the head of a fresh LMDB copy, which counts its transactions from 1 again, and returns it. `pending`, if
/// any, is what waited for LMDB when copying began: what the copy lacks of it is put.
[[nodiscard]] Result<Head> settle_copy(std::filesystem::path const& directory, Pending const* pending);

/// Gives the closed store in `directory` a new epoch.
[[nodiscard]] Result<void> renew_epoch(std::filesystem::path const& directory);
/// The same with a given one.
[[nodiscard]] Result<void> set_epoch(std::filesystem::path const& directory, Epoch const& epoch);

}  // namespace whence::store
