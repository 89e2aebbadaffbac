// Taking a copy while writes go on, and restoring one.

#include "store/upkeep/backup.hpp"

#include "store/files/files.hpp"
#include "store/files/output_file.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/lmdb/journal.hpp"
#include "store/log/open_store.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/compact.hpp"
#include "store/upkeep/copy.hpp"
#include "store/verify/verify.hpp"

#include <string>
#include <system_error>

#include <fcntl.h>

namespace whence::store {
namespace {

/// Whether a copy has failed with `code` for want of room. One that was cut short gets other codes: EIO, or EINVAL
/// where it goes past the system's cache.
bool is_cut(std::filesystem::path const& copy, int code) noexcept {
  return is_out_of_room(code) || !may_grow(copy, growth_bytes);
}

Error no_room(std::filesystem::path const& directory) {
  return {Errc::storage_full, "there is no room for " + directory.string()};
}

/// LMDB's code of copying the data file, compacted, to `copy`.
Result<int> copy_data_file(Environment const& environment, std::filesystem::path const& copy,
                           [[maybe_unused]] schema::Interrupt const& interrupt,
                           [[maybe_unused]] Advance const& advance) {
#ifdef __SANITIZE_THREAD__  // it knows no thread that a forked child starts, as LMDB does for the copy
  return mdb_env_copy2(environment.get(), copy.c_str(), MDB_CP_COMPACT);
#else
  auto copied = copy_contained(environment.directory(), copy, interrupt, advance);
  int dead = 0;  // until it is forgotten, the pages that a reader which was ended had read are not used again
  if (!copied) require(mdb_reader_check(environment.get(), &dead), "mdb_reader_check");
  return copied;
#endif
}

/// Checks a copy. Where something was purged since the file was written anew, that is done first: dictionaries and the
/// rests of pages may have bytes of it.
Result<void> finish_copy(std::filesystem::path const& copy, Head const& head, schema::Interrupt const& interrupt,
                         Advance const& advance) {
  if (head.purged_in == schema::TxId{0}) return require_verified(copy, "the copy of the store", interrupt, advance);
  Result<CompactResult> const written = compact(copy, interrupt, advance);  // verifies what it wrote
  if (!written) return written.error();
  std::filesystem::remove(copy / lock_file_name);
  return {};
}

}  // namespace

Result<BackupResult> Store::backup(std::filesystem::path const& directory, schema::Interrupt const& interrupt,
                                   Advance const& advance) const {
  if (std::filesystem::exists(directory)) return Error{Errc::conflict, directory.string() + " exists"};
  StagingDirectory staging{directory};
  auto const pending = open_->environment.pending();
  auto const copied = copy_data_file(open_->environment, staging.path(), interrupt, advance);
  if (!copied) return copied.error();
  int const code = *copied;
  if (code != MDB_SUCCESS && is_cut(staging.path() / data_file_name, code)) return no_room(directory);
  require(code, "mdb_env_copy2");
  // LMDB makes it with the umask's mode, until here in a private directory.
  std::filesystem::permissions(staging.path() / data_file_name, static_cast<std::filesystem::perms>(private_file_mode));
  Result<Head> const head =
      settle_copy(staging.path(), pending.get());  // what the copy holds: commits went on meanwhile
  if (!head) return head.error();
  if (auto const finished = finish_copy(staging.path(), *head, interrupt, advance); !finished) {
    return finished.error().code == Errc::storage_full ? no_room(directory) : finished.error();
  }
  std::uint64_t const bytes = std::filesystem::file_size(staging.path() / data_file_name);
  if (Result<void> const done = staging.become_target(); !done) return done.error();
  return BackupResult{.tx = head->tx, .bytes = bytes};
}

Result<void> restore(std::filesystem::path const& backup, std::filesystem::path const& directory,
                     std::function<Result<void>(std::filesystem::path const&)> const& accept, Advance const& advance) {
  if (!has_data_file(backup)) return Error{Errc::not_found, "there is no backup in " + backup.string()};
  if (auto const holder = find_holder(backup)) {
    return Error{Errc::conflict, backup.string() + " is a store in use by process " + std::to_string(holder->pid)};
  }
  if (std::filesystem::exists(directory) && !std::filesystem::is_empty(directory)) {
    return Error{Errc::conflict, directory.string() + " is not empty"};
  }
  StagingDirectory staging{directory};
  auto const copy = staging.path() / data_file_name;
  try {
    auto const path = backup / data_file_name;
    Descriptor const source{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (source.get() < 0) throw_errno("open", path);
    static_cast<void>(copy_file(source, path, copy, advance));
    auto const waiting = backup / journal_file_name;
    if (std::filesystem::exists(waiting)) std::filesystem::copy_file(waiting, staging.path() / journal_file_name);
  } catch (std::system_error const& failed) {
    if (is_cut(copy, failed.code().value())) return no_room(directory);
    throw;
  }
  if (auto verified = require_verified(staging.path(), backup.string(), schema::NoInterrupt{}, advance); !verified)
    return verified;
  if (auto accepted = accept ? accept(staging.path()) : Result<void>{}; !accepted) return accepted;
  if (auto renewed = renew_epoch(staging.path()); !renewed) return renewed;
  return staging.become_target();
}

}  // namespace whence::store
