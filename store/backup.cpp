// Taking a copy while writes go on, and restoring one.

#include "store/backup.hpp"

#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/open_store.hpp"
#include "store/store.hpp"

#include <system_error>

namespace whence::store {

Result<BackupResult> Store::backup(std::filesystem::path const& directory) const {
  if (std::filesystem::exists(directory)) return Error{Errc::conflict, directory.string() + " exists"};
  StagingDirectory staging{directory};
  require(mdb_env_copy2(open_->environment.get(), staging.path().c_str(), MDB_CP_COMPACT), "mdb_env_copy2");
  // LMDB makes it with the umask's mode, until here in a private directory.
  std::filesystem::permissions(staging.path() / data_file_name, static_cast<std::filesystem::perms>(private_file_mode));
  Result<Head> const head = settle_copy(staging.path());  // what the copy holds: commits went on meanwhile
  if (!head) return head.error();
  std::uint64_t const bytes = std::filesystem::file_size(staging.path() / data_file_name);
  if (Result<void> const done = staging.become_target(); !done) return done.error();
  return BackupResult{.tx = head->tx, .bytes = bytes};
}

Result<void> restore(std::filesystem::path const& backup, std::filesystem::path const& directory) {
  if (!has_data_file(backup)) return Error{Errc::not_found, "there is no backup in " + backup.string()};
  if (auto const holder = find_holder(backup)) {
    return Error{Errc::conflict, backup.string() + " is a store in use by process " + std::to_string(holder->pid)};
  }
  if (std::filesystem::exists(directory) && !std::filesystem::is_empty(directory)) {
    return Error{Errc::conflict, directory.string() + " is not empty"};
  }
  StagingDirectory staging{directory};
  std::filesystem::copy_file(backup / data_file_name, staging.path() / data_file_name);
  if (Result<void> const renewed = renew_epoch(staging.path()); !renewed) return renewed;
  return staging.become_target();
}

}  // namespace whence::store
