#pragma once
// Pairs of plain files, JSON and Markdown, `{user}/{discussion}.json` and `.md` under one folder: written both or
// neither.

#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "store/files/pair_texts.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace whence::store {

/// The pairs under one configured folder, which should hold nothing else: below its user folders, names that end in
/// `.json.tmp...` or `.md.tmp...` are taken for leftovers and removed.
///
/// Whatever id is given, only files in folders directly under the configured one are touched: in names every byte
/// outside `A-Za-z0-9._-`, and a leading dot, is written `%XX`. Symbolic links below the folder are never followed.
/// A writer that dies at any moment, of a lost power supply too, leaves a pair that the next `open`, `read` or `write`
/// makes wholly old or wholly new; store/files/pair.cpp explains why.
///
/// Every member may be called from any thread. Calls that name one pair take turns; those of different pairs do not
/// wait for each other. One object per folder: a lock on the folder keeps other processes out where the file system
/// knows such locks. What fails in the file system is returned, never thrown, with the call and the path:
/// `storage_full` for lack of room, `conflict` where something else is in the way (a link, a folder in place of a
/// file), `internal_error` for the rest (no permission, a broken disk).
class PairedFiles {
 public:
  /// Makes the folder where it is missing, and finishes or removes what a crash left in it. A pair that cannot be
  /// finished now is left to the next call that names it. `conflict` where another process, or another object of this
  /// one, has the folder. O(files in it).
  [[nodiscard]] static Result<std::unique_ptr<PairedFiles>> open(std::filesystem::path const& folder);

  PairedFiles(PairedFiles const&) = delete;
  PairedFiles& operator=(PairedFiles const&) = delete;
  ~PairedFiles();

  /// Replaces the pair by what `make` returns, durably. `make` runs once, while no other call about the pair does, so
  /// that of two writers the later also has the later state; it must not call this object. Its error is returned with
  /// nothing changed. `limit_exceeded` where a name (rule `file_name`) or a text (rule `file_size`) is too long.
  ///
  /// After an error the old pair is in place, with two exceptions. If the last flush fails, the new pair is in place
  /// but may not survive a loss of power. If a failed exchange can not be taken back either, the next call finishes it.
  /// O(texts + files in the user's folder).
  [[nodiscard]] Result<PairPaths> write(PairName const& pair, std::function<Result<PairTexts>()> const& make);

  /// As `write`, but `make` gets the texts on disk first, and nothing is written where it returns nothing or the same
  /// texts. Fails as `read` too.
  [[nodiscard]] Result<PairPaths> update(
      PairName const& pair, std::function<Result<std::optional<PairTexts>>(FoundPair const& found)> const& make);

  /// When the older file of the pair was last written; nothing where one is missing. By the clock of the file system.
  [[nodiscard]] Result<std::optional<schema::Time>> modified(PairName const& pair) const;

  /// The texts of the pair, after finishing what a crash left half done. `conflict` where a link, a folder or anything
  /// else but a regular file has the name of a file; it is not opened. `limit_exceeded` beyond `paired_file_bytes_max`.
  /// O(texts + files in the user's folder).
  [[nodiscard]] Result<FoundPair> read(PairName const& pair) const;

  /// Says that `found`, texts of the pair on disk, are what was written last, where that is not known: another process
  /// wrote them.
  void recognize(PairName const& pair, FoundPair const& found);

  /// The paths of the pair, whether it exists or not. `limit_exceeded`, rule `file_name`, where an id makes a name
  /// longer than file systems take, temporary suffix included: about 230 bytes, an escaped one counting three.
  [[nodiscard]] static Result<PairPaths> paths_of(PairName const& pair);

 private:
  struct Guarded;
  [[nodiscard]] Result<void> exchange(PairName const& pair, PairTexts const& texts);
  explicit PairedFiles(std::unique_ptr<Guarded> guarded);
  std::unique_ptr<Guarded> guarded_;
};

}  // namespace whence::store
