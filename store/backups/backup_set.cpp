// A run adds a segment to the newest set, or begins a set where that is of another history, too old or too long. What
// no manifest names does not count: leftovers of a killed run are removed by the next. A gap between two sets is
// closed, so that every moment is in one.

#include "store/backups/backup_set.hpp"

#include "store/backups/segment.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace whence::store {
namespace {

using schema::TxId;

constexpr std::string_view set_prefix = "set-";
constexpr std::string_view new_set = "set-new";
constexpr char const* lock_name = "whence.lock";
constexpr std::size_t second_chars = 19;  // 2026-11-25T22:00:00
constexpr std::size_t number_digits = 20;

bool is_plain_directory(std::filesystem::path const& path) {
  return std::filesystem::symlink_status(path).type() == std::filesystem::file_type::directory;
}

/// "set-20261125T220000Z-00000000000000000012": sorted by name, sets are sorted by time.
std::string set_name(schema::Time now, TxId tx) {
  std::string time = schema::format_rfc3339(now).substr(0, second_chars);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  std::string const number = std::to_string(schema::number(tx));
  return std::string{set_prefix} + time + "Z-" + std::string(number_digits - number.size(), '0') + number;
}

/// The directory may hold sets, leftovers of sets and the lock: anything else says that it is another directory.
Result<void> check_directory(std::filesystem::path const& directory) {
  for (auto const& entry : std::filesystem::directory_iterator{directory}) {
    auto const name = entry.path().filename().string();
    bool const is_ours = name == lock_name || name.starts_with(set_prefix);
    if (!is_ours) {
      return Error{Errc::conflict, directory.string() + " is no directory of incremental backups: " + name +
                                       " is in it; name one that is absent or empty"};
    }
  }
  return {};
}

std::uint64_t size_and_digest(std::filesystem::path const& path, schema::Digest& digest) {
  auto const file = open_plain_file(path).value();
  return digest_of(file, path, digest);
}

Result<IncrementResult> begin_set(BackupSource& source, std::filesystem::path const& directory,
                                  IncrementOptions const& options) {
  StagingDirectory const making{directory / new_set};
  auto const& partial = making.path();
  auto const base = source.make_base(partial / base_name, options.advance);
  if (!base) return base.error();
  auto const epoch = source.epoch();
  if (!epoch) return epoch.error();
  auto const leaf = source.leaf_hash(base->tx);
  if (!leaf) return leaf.error();
  Manifest manifest{.epoch = *epoch, .created = options.now, .updated = options.now};
  manifest.base = {.tx = base->tx, .leaf = *leaf, .at = base->at};
  manifest.base.bytes = size_and_digest(partial / base_name / data_file_name, manifest.base.sha256);
  write_manifest(partial, manifest);
  auto const name = directory / set_name(options.now, base->tx);
  if (!rename_to_free(partial, name)) return Error{Errc::conflict, name.string() + " exists"};
  sync_to_disk(directory);
  return IncrementResult{.set = name, .is_base = true, .from = TxId{1}, .tx = base->tx, .bytes = manifest.base.bytes};
}

/// Segments that a killed attempt wrote and no manifest names.
void remove_unnamed_segments(BackupSet const& set) {
  std::set<std::string> named;
  for (auto const& each : set.manifest.segments) named.insert(each.name());
  std::vector<std::filesystem::path> unnamed;
  for (auto const& entry : std::filesystem::directory_iterator{set.path}) {
    auto const name = entry.path().filename().string();
    if (name.starts_with("segment-") && !named.contains(name)) unnamed.push_back(entry.path());
  }
  for (auto const& path : unnamed) std::filesystem::remove(path);
}

Result<SegmentEntry> write_segment(BackupSource& source, std::filesystem::path const& path, TxId after, TxId last,
                                   Advance const& advance) {
  SegmentEntry entry{.from = schema::next(after), .to = after};
  SegmentWriter writer{path};
  auto const read = source.read_groups(after, last, [&](SentGroup const& group) -> Result<bool> {
    if (group.tx == entry.from) entry.first = group.at;
    entry.to = group.tx;
    entry.last = group.at;
    entry.leaf = group.leaf;
    entry.purged += group.purged;
    writer.add(group.message);
    auto const done = schema::number(group.tx) - schema::number(after);  // the log may get longer meanwhile
    auto const total = schema::number(last) - schema::number(after);
    if (advance) advance(done, std::max(done, total), "transactions copied");
    return true;
  });
  if (!read) return read.error();
  auto const file = writer.finish();
  entry.bytes = file.bytes;
  entry.sha256 = file.sha256;
  return entry;
}

/// Adds the transactions up to `last`, if the set lacks any, and what is committed meanwhile.
Result<IncrementResult> add_segment(BackupSource& source, BackupSet set, TxId last, IncrementOptions const& options) {
  remove_unnamed_segments(set);
  auto const after = set.manifest.last();
  IncrementResult result{.set = set.path, .from = schema::next(after), .tx = after};
  if (last > after) {
    Staging const making{set.path / "segment", Staging::Kind::file};
    auto const entry = write_segment(source, making.path(), after, last, options.advance);
    if (!entry) {
      std::filesystem::remove(making.path());
      return entry.error();
    }
    rename_durably(making.path(), set.path / entry->name());
    set.manifest.segments.push_back(*entry);
    result.tx = entry->to;
    result.bytes = entry->bytes;
  }
  set.manifest.updated = std::max(options.now, set.manifest.updated);
  write_manifest(set.path, set.manifest);
  return result;
}

/// Whether the set is one of this store's history up to its end, and may get longer.
Result<bool> is_of_history(BackupSource& source, Manifest const& manifest, TxId head) {
  auto const epoch = source.epoch();
  if (!epoch) return epoch.error();
  if (manifest.epoch != *epoch || manifest.last() > head) return false;
  auto const leaf = source.leaf_hash(manifest.last());
  if (!leaf) return leaf.error();
  return *leaf == manifest.leaf() && manifest.segments.size() < segments_max;
}

bool is_too_old(Manifest const& manifest, TxId head, IncrementOptions const& options) {
  if (options.new_base_after_s == never_s || manifest.last() == head) return false;
  return options.now.seconds - manifest.created.seconds >= options.new_base_after_s;
}

/// Writes went on between the last segment of the one set and the base of the next: every moment is to be in a set.
Result<void> close_gap(BackupSource& source, std::vector<std::filesystem::path> const& sets,
                       IncrementOptions const& options) {
  if (sets.size() < 2) return {};
  auto const current = read_manifest(sets.back());
  if (!current) return current.error();
  auto previous = read_manifest(sets[sets.size() - 2]);
  if (!previous) return previous.error();
  auto const is_same = is_of_history(source, *previous, current->base.tx);
  if (!is_same) return is_same.error();
  bool const has_gap = *is_same && current->epoch == previous->epoch && previous->last() < current->base.tx;
  if (!has_gap) return {};
  auto const added = add_segment(source, {sets[sets.size() - 2], std::move(*previous)}, current->base.tx, options);
  if (!added) return added.error();
  return {};
}

Result<IncrementResult> increment(BackupSource& source, std::filesystem::path const& directory,
                                  IncrementOptions const& options) {
  auto const head = source.head();
  if (!head) return head.error();
  if (auto const sets = list_sets(directory); !sets.empty()) {
    if (auto const closed = close_gap(source, sets, options); !closed) return closed.error();
    auto manifest = read_manifest(sets.back());
    if (!manifest) return manifest.error();
    auto const is_same = is_of_history(source, *manifest, *head);
    if (!is_same) return is_same.error();
    if (*is_same && !is_too_old(*manifest, *head, options))
      return add_segment(source, {sets.back(), std::move(*manifest)}, *head, options);
  }
  auto const begun = begin_set(source, directory, options);
  if (!begun) return begun;
  if (auto const closed = close_gap(source, list_sets(directory), options); !closed) return closed.error();
  if (begun->tx >= *head) return begun;
  // A base that is empty, of a log that comes from its beginning.
  auto manifest = read_manifest(begun->set);
  if (!manifest) return manifest.error();
  auto added = add_segment(source, {begun->set, std::move(*manifest)}, *head, options);
  if (!added) return added;
  added->is_base = true;
  added->bytes += begun->bytes;
  return added;
}

}  // namespace

std::vector<std::filesystem::path> list_sets(std::filesystem::path const& directory) {
  std::vector<std::filesystem::path> sets;
  for (auto const& entry : std::filesystem::directory_iterator{directory}) {
    auto const name = entry.path().filename().string();
    bool const is_set = name.starts_with(set_prefix) && name.find(".partial") == std::string::npos;
    if (is_set && is_plain_directory(entry.path())) sets.push_back(entry.path());
  }
  std::ranges::sort(sets);
  return sets;
}

void remove_leaving_sets(std::filesystem::path const& directory) {
  remove_abandoned(directory, [](std::string_view target) { return target.starts_with(set_prefix); });
}

Result<std::vector<BackupSet>> read_sets(std::filesystem::path const& directory) {
  std::vector<BackupSet> sets;
  for (auto const& path : list_sets(directory)) {
    auto manifest = read_manifest(path);
    if (!manifest) return manifest.error();
    sets.push_back({path, std::move(*manifest)});
  }
  return sets;
}

Result<IncrementResult> back_up_increment(BackupSource& source, std::filesystem::path const& directory,
                                          IncrementOptions const& options) {
  make_directory(directory);
  if (auto const checked = check_directory(directory); !checked) return checked.error();
  auto const lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  try {
    remove_leaving_sets(directory);
    return increment(source, directory, options);
  } catch (std::system_error const& failed) {
    if (is_out_of_room(failed.code().value()))
      return Error{Errc::storage_full, "there is no room for the backup in " + directory.string()};
    throw;
  }
}

}  // namespace whence::store
