// Keeping writers away, and running the check in its child process.

#include "store/verify/verify.hpp"

#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/lmdb/environment.hpp"
#include "store/verify/checker.hpp"
#include "store/verify/contained.hpp"

#include <system_error>

namespace whence::store {
namespace {

/// Keeps writers away while the store is checked. A store that cannot be written to (read-only medium) needs no lock.
Result<std::optional<DirectoryLock>> keep_writers_out(std::filesystem::path const& directory) {
  try {
    Result<DirectoryLock> lock = DirectoryLock::acquire(directory);
    if (!lock) return lock.error();
    return std::optional{std::move(*lock)};
  } catch (std::system_error const& failure) {
    bool const is_unwritable =
        failure.code() == std::errc::read_only_file_system || failure.code() == std::errc::permission_denied;
    if (!is_unwritable) throw;
    return std::optional<DirectoryLock>{};
  }
}

}  // namespace

Result<VerifyReport> verify(std::filesystem::path const& directory, bool allow_live, schema::Interrupt const& interrupt,
                            Advance const& advance) {
  if (!has_data_file(directory)) return Error{Errc::not_found, "there is no store in " + directory.string()};
  bool const is_live = allow_live && find_holder(directory).has_value();
  std::optional<DirectoryLock> lock;
  if (!is_live) {
    Result<std::optional<DirectoryLock>> kept = keep_writers_out(directory);
    if (!kept) return kept.error();
    lock = std::move(*kept);
  }
  return run_contained([&](CheckSink& sink) { return check_store(directory, is_live, sink); }, interrupt, advance);
}

Result<void> require_verified(std::filesystem::path const& directory, std::string const& what,
                              schema::Interrupt const& interrupt, Advance const& advance) {
  auto const report = verify(directory, false, interrupt, advance);
  if (!report) return report.error();
  if (!report->is_ok) {
    std::string const problem =
        report->problems.empty() ? "" : ": " + report->problems[0].where + ": " + report->problems[0].message;
    return Error{Errc::corrupt, what + " does not verify" + problem};
  }
  std::filesystem::remove(directory / lock_file_name);
  std::filesystem::remove(directory / readers_file_name);
  return {};
}

}  // namespace whence::store
