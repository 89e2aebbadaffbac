// A set is kept as the newest of its hour, day or week, or since it alone has moments within the window. One that goes
// is renamed before it is removed, so that a killed run leaves no set that is only partly there.

#include "store/backups/prune.hpp"

#include "store/backups/backup_set.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/directory_lock.hpp"

#include <cstddef>
#include <set>

namespace whence::store {
namespace {

constexpr std::int64_t hour_s = 3'600;
constexpr std::int64_t day_s = 24 * hour_s;
constexpr std::int64_t week_s = 7 * day_s;
constexpr std::int64_t monday_s = 4 * day_s;  // 1970-01-05

/// The number of the period that `seconds` lies in, also before its beginning.
std::int64_t period_of(std::int64_t seconds, std::int64_t begin, std::int64_t length) {
  auto const since = seconds - begin;
  return since >= 0 ? since / length : -((-since + length - 1) / length);
}

/// Wants the newest set of each of `count` periods.
void want_newest(std::vector<BackupSet> const& sets, std::uint32_t count, std::int64_t begin, std::int64_t length,
                 std::vector<bool>& wanted) {
  std::set<std::int64_t> seen;
  for (std::size_t i = sets.size(); i-- > 0 && seen.size() < count;) {
    if (seen.insert(period_of(sets[i].manifest.updated.seconds, begin, length)).second) wanted[i] = true;
  }
}

std::vector<bool> find_wanted(std::vector<BackupSet> const& sets, KeepRules const& rules) {
  std::vector<bool> wanted(sets.size(), false);
  if (!sets.empty()) wanted.back() = true;
  want_newest(sets, rules.hourly, 0, hour_s, wanted);
  want_newest(sets, rules.daily, 0, day_s, wanted);
  want_newest(sets, rules.weekly, monday_s, week_s, wanted);
  if (!rules.window_s) return wanted;
  for (std::size_t i = 0; i + 1 < sets.size(); ++i) {
    // Until the next begins, this one alone has the moments.
    if (rules.now.seconds - sets[i + 1].manifest.created.seconds <= *rules.window_s) wanted[i] = true;
  }
  return wanted;
}

std::uint64_t bytes_in(std::filesystem::path const& directory) {
  std::uint64_t bytes = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{directory}) {
    if (entry.is_regular_file() && !entry.is_symlink()) bytes += entry.file_size();
  }
  return bytes;
}

void remove_set(std::filesystem::path const& path) {
  StagingDirectory const leaving{path};
  rename_durably(path, leaving.path());  // it replaces the empty directory
}

}  // namespace

Result<PruneResult> prune_sets(std::filesystem::path const& directory, KeepRules const& rules, bool is_dry) {
  if (!std::filesystem::is_directory(directory))
    return Error{Errc::not_found, "there is no directory " + directory.string()};
  if (list_sets(directory).empty())
    return Error{Errc::not_found, "there are no sets of backups in " + directory.string()};
  auto const lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  if (!is_dry) remove_leaving_sets(directory);
  auto const sets = read_sets(directory);
  if (!sets) return sets.error();
  auto const wanted = find_wanted(*sets, rules);
  PruneResult result;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    auto const& path = (*sets)[i].path;
    (wanted[i] ? result.kept : result.removed).push_back(path);
    if (wanted[i]) continue;
    result.bytes += bytes_in(path);
    if (!is_dry) remove_set(path);
  }
  return result;
}

}  // namespace whence::store
