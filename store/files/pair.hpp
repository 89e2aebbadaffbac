#pragma once
// One pair of files in its user's folder: exchanging both, and finishing an exchange that a crash cut short.

#include "schema/base/error.hpp"
#include "store/files/folder.hpp"
#include "store/files/pair_names.hpp"
#include "store/files/pair_texts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace whence::store {

/// Views the folder, which outlives it. No other code changes the pair meanwhile.
class Pair {
 public:
  /// `stem` is escaped and at most `stem_bytes_max` long.
  Pair(Folder const& folder, std::string stem) : folder_{folder}, stem_{std::move(stem)} {}

  /// Exchanges both files, durably. After an error the old ones are in place, but see `PairedFiles::write`.
  [[nodiscard]] Result<void> replace(PairTexts const& texts) const;

  /// Finishes an exchange whose first half is in place already. Leaves other temporaries where they are.
  [[nodiscard]] Result<void> finish() const;

  /// Finishes, then removes every temporary of the pair.
  [[nodiscard]] Result<void> clean() const;

  /// The files in place. Call `finish` first.
  [[nodiscard]] Result<FoundPair> read() const;

 private:
  [[nodiscard]] std::string final(Half half) const { return final_name(stem_, half); }
  [[nodiscard]] Result<std::vector<Temporary>> temporaries() const;
  [[nodiscard]] Result<bool> completes(Temporary const& temporary) const;
  [[nodiscard]] Result<void> finish_with(Temporary const& temporary) const;
  [[nodiscard]] Result<bool> has_replaceable(Half half) const;
  [[nodiscard]] Result<void> stage(PairTexts const& texts, bool has_old) const;
  [[nodiscard]] Result<void> exchange(PairTexts const& texts, bool has_old) const;
  [[nodiscard]] Result<void> take_back(bool has_old) const;
  void drop_temporaries(std::string const& tag) const;

  Folder const& folder_;
  std::string stem_;
};

}  // namespace whence::store
