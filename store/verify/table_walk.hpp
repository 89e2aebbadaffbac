#pragma once
// How the checker goes through a table: by cursor and by key at once, because damage to a branch page can show in one
// way and not in the other.

#include "store/lmdb/environment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace whence::store {

/// A table walked from its start, each entry also looked up by its key.
class Walk {
 public:
  Walk(Environment const& environment, Transaction const& txn, Table table)
      : environment_{environment}, txn_{txn}, table_{table}, cursor_{environment, txn, table} {}

  /// The next entry; nothing at the end and after damage, which `fault` then describes.
  std::optional<Entry> next() {
    Result<std::optional<Entry>> entry = cursor_.next();
    if (!entry) return fail(entry.error().message);
    if (!*entry) return std::nullopt;
    ++count_;
    auto const found = find(environment_, txn_, table_, (*entry)->key);
    bool const is_same = found && *found && (*found)->data() == (*entry)->value.data();
    return is_same ? *entry : fail(std::string{name_of(table_)} + ": an entry is not found under its own key");
  }

  [[nodiscard]] std::string const& fault() const noexcept { return fault_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// Whether LMDB's own count, with what is pending, agrees with what was walked.
  [[nodiscard]] bool has_honest_count() const {
    auto const counted = count_entries(environment_, txn_, table_);
    return counted && *counted == count_;
  }

 private:
  std::optional<Entry> fail(std::string fault) {
    fault_ = std::move(fault);
    return std::nullopt;
  }

  Environment const& environment_;
  Transaction const& txn_;
  Table table_;
  Cursor cursor_;
  std::uint64_t count_ = 0;
  std::string fault_;
};

}  // namespace whence::store
