// The lock first, then the look, then the renames: the data file is the one that counts.

#include "store/upkeep/empty_place.hpp"

#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/log/store.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace whence::store {
namespace {

namespace fs = std::filesystem;

/// Whether a folder has nothing, or only the file of a lock.
bool is_bare(fs::path const& folder) {
  return std::ranges::all_of(fs::directory_iterator{folder},
                             [](auto const& entry) { return entry.path().filename() == lock_file_name; });
}

Result<void> rename_to_missing(fs::path const& made, fs::path const& folder) {
  try {
    rename_durably(made, folder);
  } catch (std::system_error const& failed) {
    bool const is_there = failed.code() == std::errc::directory_not_empty || failed.code() == std::errc::file_exists ||
                          failed.code() == std::errc::not_a_directory;
    if (!is_there) throw;
    return Error{Errc::conflict, folder.string() + " was made by another process meanwhile, and is kept"};
  }
  return {};
}

}  // namespace

Result<std::optional<EmptyPlace>> EmptyPlace::find(fs::path const& folder) {
  EmptyPlace place(folder);
  if (!fs::exists(folder)) return std::optional{std::move(place)};
  place.was_bare_ = is_bare(folder);
  if (!place.was_bare_ && !has_data_file(folder))
    return Error{Errc::not_found, "there is no store in " + folder.string()};
  auto lock = DirectoryLock::acquire(folder);
  if (!lock) return lock.error();
  place.lock_.emplace(std::move(*lock));
  if (!has_data_file(folder)) {
    if (is_bare(folder)) return std::optional{std::move(place)};
    return Error{Errc::not_found, "there is no store in " + folder.string()};  // filled since the first look
  }
  auto const opened = Store::open(folder, {.is_read_only = true});
  if (!opened) return opened.error();
  auto const end = (*opened)->log_end();
  if (!end) return end.error();
  if (end->tx != schema::TxId{0}) return std::optional<EmptyPlace>{};
  return std::optional{std::move(place)};
}

EmptyPlace::EmptyPlace(EmptyPlace&& other) noexcept
    : folder_(std::move(other.folder_)),
      lock_(std::move(other.lock_)),
      was_bare_(other.was_bare_),
      is_done_(std::exchange(other.is_done_, true)) {}

EmptyPlace::~EmptyPlace() {
  std::error_code ignored;  // the folder is as it was
  if (lock_ && was_bare_ && !is_done_) fs::remove(folder_ / lock_file_name, ignored);
}

Result<void> EmptyPlace::take(fs::path const& made) {
  if (!lock_) return rename_to_missing(made, folder_);
  is_done_ = true;
  rename_durably(made / data_file_name, folder_ / data_file_name);
  fs::remove(folder_ / readers_file_name);  // it counts transactions of the old file
  for (auto const& entry : fs::directory_iterator{made}) {
    auto const name = entry.path().filename();
    if (name == lock_file_name || name == readers_file_name) continue;
    if (name == log_key_file_name && fs::exists(folder_ / name)) continue;
    if (entry.is_directory()) fs::remove_all(folder_ / name);  // a rename replaces a file, but no folder
    rename_durably(entry.path(), folder_ / name);
  }
  return {};
}

}  // namespace whence::store
