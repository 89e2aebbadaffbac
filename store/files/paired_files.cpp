// The lock around the pairs, the repairs of `open`, and the names that are refused. How a pair changes:
// store/files/pair.cpp.

#include "store/files/paired_files.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "store/files/folder.hpp"
#include "store/files/pair.hpp"
#include "store/files/pair_names.hpp"

#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace whence::store {
namespace {

constexpr std::size_t folder_bytes_max = 255;

Error name_error(char const* path, std::string const& id, std::size_t bytes_max) {
  std::string const seen = "\"" + schema::cut(id, schema::limits::seen_bytes_max - 2) + "\"";
  return error_from(Violation{
      .code = Errc::limit_exceeded,
      .rule = "file_name",
      .path = path,
      .seen = seen,
      .message = "the id " + seen + " makes a file name of more than " + std::to_string(bytes_max) + " bytes"});
}

Result<void> check_size(char const* what, std::string const& text) {
  if (text.size() <= paired_file_bytes_max) return {};
  return error_from(Violation{.code = Errc::limit_exceeded,
                              .rule = "file_size",
                              .message = std::string{"the "} + what + " text has " + std::to_string(text.size()) +
                                         " bytes, at most " + std::to_string(paired_file_bytes_max) + " are written"});
}

/// Repairs every pair of one user's folder that a crash left unfinished. A failure is left to the next call that names
/// the pair, which reports it.
void mend_pairs(Folder const& folder) {
  auto const is_temporary = [](std::string_view name) { return parse_temporary_name(name).has_value(); };
  Result<std::vector<std::string>> const leftovers = folder.names(is_temporary);
  if (!leftovers) return;
  std::set<std::string> stems;
  for (std::string const& name : *leftovers) stems.insert(parse_temporary_name(name)->stem);
  for (std::string const& stem : stems) (void)Pair{folder, stem}.clean();
}

Result<void> mend_folders(Folder const& root) {
  Result<std::vector<std::string>> const users = root.names(is_escaped_file_name);
  if (!users) return users.error();
  for (std::string const& user : *users) {
    Result<std::optional<Folder>> const folder = root.find_child(user);
    if (folder && *folder) mend_pairs(**folder);
  }
  return {};
}

}  // namespace

/// The configured folder, and the lock on its use.
struct PairedFiles::Guarded {
  std::filesystem::path path;  ///< absolute
  std::mutex mutex;
  Folder root;  ///< open, locked; guarded by `mutex`

  /// Makes `root` what the path leads to now: an operator may have moved the folder away and made another.
  Result<void> hold_root() {
    if (root.is_in_place()) return {};
    Result<Folder> opened = Folder::open(path);
    if (!opened) return opened.error();
    if (Result<void> locked = opened->lock(); !locked) return locked;
    root = std::move(*opened);
    return {};
  }
};

PairedFiles::PairedFiles(std::unique_ptr<Guarded> guarded) : guarded_{std::move(guarded)} {}
PairedFiles::~PairedFiles() = default;

Result<std::unique_ptr<PairedFiles>> PairedFiles::open(std::filesystem::path const& folder) {
  std::error_code failure;
  auto guarded = std::make_unique<Guarded>();
  guarded->path = std::filesystem::absolute(folder, failure);
  if (failure) return Error{Errc::internal_error, folder.string() + ": " + failure.message()};
  if (Result<void> const held = guarded->hold_root(); !held) return held.error();
  if (Result<void> const mended = mend_folders(guarded->root); !mended) return mended.error();
  return std::unique_ptr<PairedFiles>{new PairedFiles{std::move(guarded)}};
}

Result<PairPaths> PairedFiles::paths_of(PairName const& pair) {
  std::string const folder = escape_file_name(pair.folder);
  std::string const stem = escape_file_name(pair.name);
  if (folder.size() > folder_bytes_max) return name_error("/userId", pair.folder, folder_bytes_max);
  if (stem.size() > stem_bytes_max) return name_error("/discussionId", pair.name, stem_bytes_max);
  return PairPaths{.json = folder + "/" + final_name(stem, Half::json),
                   .markdown = folder + "/" + final_name(stem, Half::markdown)};
}

Result<PairPaths> PairedFiles::write(PairName const& pair, std::function<Result<PairTexts>()> const& make) {
  Result<PairPaths> paths = paths_of(pair);
  if (!paths) return paths;
  std::scoped_lock const lock{guarded_->mutex};
  Result<PairTexts> const texts = make();
  if (!texts) return texts.error();
  if (Result<void> const fits = check_size("JSON", texts->json); !fits) return fits.error();
  if (Result<void> const fits = check_size("Markdown", texts->markdown); !fits) return fits.error();
  if (Result<void> const held = guarded_->hold_root(); !held) return held.error();
  Result<Folder> const folder = guarded_->root.make_child(escape_file_name(pair.folder));
  if (!folder) return folder.error();
  Result<void> const replaced = Pair{*folder, escape_file_name(pair.name)}.replace(*texts);
  if (!replaced) return replaced.error();
  return paths;
}

Result<FoundPair> PairedFiles::read(PairName const& pair) const {
  if (Result<PairPaths> const paths = paths_of(pair); !paths) return paths.error();
  std::scoped_lock const lock{guarded_->mutex};
  if (Result<void> const held = guarded_->hold_root(); !held) return held.error();
  Result<std::optional<Folder>> const folder = guarded_->root.find_child(escape_file_name(pair.folder));
  if (!folder) return folder.error();
  if (!*folder) return FoundPair{};
  Pair const files{**folder, escape_file_name(pair.name)};
  if (Result<void> const finished = files.finish(); !finished) return finished.error();
  return files.read();
}

}  // namespace whence::store
