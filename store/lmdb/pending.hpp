#pragma once
// What groups put into tables and LMDB does not have yet: the journal has it, and readers see it over LMDB's tables.

#include "schema/base/error.hpp"
#include "store/lmdb/table.hpp"
#include "store/rows/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace whence::store {

/// How a put treats what is there: `append` says that its key is above all of its table.
enum class PutKind : std::uint8_t { replace, append, add };

/// What one group puts, in order. Its bytes are those of a frame of the journal.
class PutList {
 public:
  struct Put {
    Table table;
    PutKind kind;
    std::span<std::byte const> key;
    std::span<std::byte const> value;
  };

  /// Of a frame's content. Fails with `corrupt` where it does not decode.
  [[nodiscard]] static Result<PutList> decode(Bytes bytes);

  void add(Table table, PutKind kind, std::span<std::byte const> key, std::span<std::byte const> value);
  /// After the last `add`, before the first search. O(size log size).
  void sort();

  [[nodiscard]] Bytes const& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  /// Views that hold until the next `add`.
  [[nodiscard]] Put operator[](std::size_t at) const;

  /// The entry of the least key not below `key`, with the value last put. O(log size).
  [[nodiscard]] std::optional<Entry> seek(Table table, std::span<std::byte const> key) const;
  /// The entry of the least key above `key`; of the least at all where it is empty.
  [[nodiscard]] std::optional<Entry> after(Table table, std::span<std::byte const> key) const;

 private:
  struct Place {
    Table table;
    PutKind kind;
    std::uint32_t begin;  ///< of the key in `bytes_`; the value follows it
    std::uint32_t key_bytes;
    std::uint32_t value_bytes;
  };

  [[nodiscard]] std::optional<Entry> entry_at(std::size_t at, Table table) const;

  Bytes bytes_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> sorted_;  ///< of `places_`, by table and key, one for each: the last
};

/// Whether `one` comes before `other` in `table`.
[[nodiscard]] bool is_before(Table table, std::span<std::byte const> one, std::span<std::byte const> other) noexcept;

/// The groups that follow a state of LMDB's tables, oldest first. Never changes.
class Pending {
 public:
  /// None, over the state that LMDB's transaction `base` left.
  explicit Pending(std::uint64_t base) noexcept : base_{base} {}
  /// Those of `before` and another.
  Pending(Pending const& before, std::shared_ptr<PutList const> group);

  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::span<std::shared_ptr<PutList const> const> groups() const noexcept { return groups_; }
  [[nodiscard]] bool is_empty() const noexcept { return groups_.empty(); }

  /// Whether it has a key of `table` that is not above `key`: nearly never for what is read.
  [[nodiscard]] bool reaches(Table table, std::span<std::byte const> key) const noexcept;
  [[nodiscard]] bool has(Table table) const noexcept { return !least_[static_cast<std::size_t>(table)].empty(); }

  /// The value last put under `key`. O(groups log puts) where `reaches`, else O(1).
  [[nodiscard]] std::optional<std::span<std::byte const>> find(Table table, std::span<std::byte const> key) const;
  /// As those of `PutList`, over all groups.
  [[nodiscard]] std::optional<Entry> seek(Table table, std::span<std::byte const> key) const;
  [[nodiscard]] std::optional<Entry> after(Table table, std::span<std::byte const> key) const;

 private:
  std::uint64_t base_;
  std::vector<std::shared_ptr<PutList const>> groups_;
  std::array<std::span<std::byte const>, tables.size()> least_;  ///< keys; empty: none
};

}  // namespace whence::store
