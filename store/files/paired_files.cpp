// The locks around the pairs, the repairs of `open`, and the names that are refused. How a pair changes:
// store/files/pair.cpp.

#include "store/files/paired_files.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "store/files/folder.hpp"
#include "store/files/pair.hpp"
#include "store/files/pair_names.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::store {
namespace {

constexpr std::size_t folder_bytes_max = 255;
constexpr std::size_t written_max = 100'000;  ///< pairs whose last texts are known

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

Result<void> replace(Folder const& root, PairName const& pair, PairTexts const& texts) {
  if (Result<void> fits = check_size("JSON", texts.json); !fits) return fits;
  if (Result<void> fits = check_size("Markdown", texts.markdown); !fits) return fits;
  Result<Folder> const folder = root.make_child(escape_file_name(pair.folder));
  if (!folder) return folder.error();
  return Pair{*folder, escape_file_name(pair.name)}.replace(texts);
}

/// The texts in place, after finishing what a crash left half done.
Result<FoundPair> read_in(Folder const& root, PairName const& pair) {
  Result<std::optional<Folder>> const folder = root.find_child(escape_file_name(pair.folder));
  if (!folder) return folder.error();
  if (!*folder) return FoundPair{};
  Pair const files{**folder, escape_file_name(pair.name)};
  if (Result<void> const finished = files.finish(); !finished) return finished.error();
  return files.read();
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

std::string pair_key_of(PairName const& pair) {
  return escape_file_name(pair.folder) + '/' + escape_file_name(pair.name);
}

/// What was written last to each pair.
class WrittenPairs {
 public:
  [[nodiscard]] std::optional<PairDigests> find(std::string const& pair) const {
    std::scoped_lock const lock{mutex_};
    auto const found = digests_.find(pair);
    return found == digests_.end() ? std::nullopt : std::optional{found->second};
  }
  /// Of too many any is forgotten.
  void put(std::string const& pair, PairDigests const& digests) {
    std::scoped_lock const lock{mutex_};
    if (digests_.size() >= written_max && !digests_.contains(pair)) digests_.erase(digests_.begin());
    digests_.insert_or_assign(pair, digests);
  }
  void forget(std::string const& pair) {
    std::scoped_lock const lock{mutex_};
    digests_.erase(pair);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, PairDigests> digests_ = {};  ///< guarded by `mutex_`
};

/// Which pairs are in use: calls that name one pair take turns.
class Turns {
 public:
  void begin(std::string const& pair) {
    std::unique_lock lock{mutex_};
    ended_.wait(lock, [&] { return !in_use_.contains(pair); });
    in_use_.insert(pair);
  }
  void end(std::string const& pair) noexcept {
    {
      std::scoped_lock const lock{mutex_};
      in_use_.erase(pair);
    }
    ended_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<std::string> in_use_ = {};  ///< guarded by `mutex_`
};

/// One turn, from now to its end.
class Turn {
 public:
  Turn(Turns& turns, PairName const& pair) : turns_{turns}, pair_{pair_key_of(pair)} { turns_.begin(pair_); }
  ~Turn() { turns_.end(pair_); }
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;

 private:
  Turns& turns_;
  std::string pair_;
};

}  // namespace

/// The configured folder, and the turns of those who use it.
struct PairedFiles::Guarded {
  std::filesystem::path path;  ///< absolute

  /// The open, locked folder that the path leads to now: an operator may have moved it away and made another.
  Result<std::shared_ptr<Folder const>> hold_root() {
    std::scoped_lock const lock{root_mutex_};
    if (root_ && root_->is_in_place()) return root_;
    Result<Folder> opened = Folder::open(path);
    if (!opened) return opened.error();
    if (Result<void> const locked = opened->lock(); !locked) return locked.error();
    root_ = std::make_shared<Folder const>(std::move(*opened));
    return root_;
  }

  Turns turns;
  WrittenPairs written;

 private:
  std::mutex root_mutex_;
  std::shared_ptr<Folder const> root_ = {};  ///< guarded by `root_mutex_`
};

PairedFiles::PairedFiles(std::unique_ptr<Guarded> guarded) : guarded_{std::move(guarded)} {}
PairedFiles::~PairedFiles() = default;

Result<std::unique_ptr<PairedFiles>> PairedFiles::open(std::filesystem::path const& folder) {
  std::error_code failure;
  auto guarded = std::make_unique<Guarded>();
  guarded->path = std::filesystem::absolute(folder, failure);
  if (failure) return Error{Errc::internal_error, folder.string() + ": " + failure.message()};
  auto const root = guarded->hold_root();
  if (!root) return root.error();
  if (Result<void> const mended = mend_folders(**root); !mended) return mended.error();
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
  Turn const turn{guarded_->turns, pair};
  Result<PairTexts> const texts = make();
  if (!texts) return texts.error();
  if (Result<void> const exchanged = exchange(pair, *texts); !exchanged) return exchanged.error();
  return paths;
}

/// In the caller's turn. After an error nobody knows what is in place.
Result<void> PairedFiles::exchange(PairName const& pair, PairTexts const& texts) {
  auto const root = guarded_->hold_root();
  if (!root) return root.error();
  std::string const key = pair_key_of(pair);
  auto const before = guarded_->written.find(key);
  guarded_->written.forget(key);
  if (Result<void> replaced = replace(**root, pair, texts); !replaced) return replaced;
  PairDigests written{schema::sha256(texts.json), schema::sha256(texts.markdown)};
  // Where nothing was known, no text is what was written.
  if (texts.is_edited) written.json = before ? before->json : schema::Digest{};
  guarded_->written.put(key, written);
  return {};
}

void PairedFiles::recognize(PairName const& pair, FoundPair const& found) {
  if (!found.json || !found.markdown) return;
  Turn const turn{guarded_->turns, pair};
  std::string const key = pair_key_of(pair);
  if (guarded_->written.find(key)) return;
  guarded_->written.put(key, {schema::sha256(*found.json), schema::sha256(*found.markdown)});
}

Result<PairPaths> PairedFiles::update(
    PairName const& pair, std::function<Result<std::optional<PairTexts>>(FoundPair const& found)> const& make) {
  Result<PairPaths> paths = paths_of(pair);
  if (!paths) return paths;
  Turn const turn{guarded_->turns, pair};
  auto const root = guarded_->hold_root();
  if (!root) return root.error();
  Result<FoundPair> found = read_in(**root, pair);
  if (!found) return found.error();
  found->written = guarded_->written.find(pair_key_of(pair));
  Result<std::optional<PairTexts>> const texts = make(*found);
  if (!texts) return texts.error();
  if (!*texts || ((*texts)->json == found->json && (*texts)->markdown == found->markdown)) return paths;
  if (Result<void> const exchanged = exchange(pair, **texts); !exchanged) return exchanged.error();
  return paths;
}

Result<FoundPair> PairedFiles::read(PairName const& pair) const {
  if (Result<PairPaths> const paths = paths_of(pair); !paths) return paths.error();
  Turn const turn{guarded_->turns, pair};
  auto const root = guarded_->hold_root();
  if (!root) return root.error();
  Result<FoundPair> found = read_in(**root, pair);
  if (found) found->written = guarded_->written.find(pair_key_of(pair));
  return found;
}

Result<std::optional<schema::Time>> PairedFiles::modified(PairName const& pair) const {
  if (Result<PairPaths> const paths = paths_of(pair); !paths) return paths.error();
  Turn const turn{guarded_->turns, pair};
  auto const root = guarded_->hold_root();
  if (!root) return root.error();
  std::optional<schema::Time> oldest;
  Result<std::optional<Folder>> const folder = (*root)->find_child(escape_file_name(pair.folder));
  if (!folder) return folder.error();
  if (!*folder) return oldest;
  for (Half const half : {Half::json, Half::markdown}) {
    Result<FileStatus> const status = (*folder)->status(final_name(escape_file_name(pair.name), half));
    if (!status) return status.error();
    if (status->kind != FileKind::file) return std::optional<schema::Time>{};
    if (!oldest || status->modified < *oldest) oldest = status->modified;
  }
  return oldest;
}

}  // namespace whence::store
