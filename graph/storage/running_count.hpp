#pragma once
// How many of something there were after each transaction.

#include "graph/storage/chunked.hpp"

#include <cstdint>

namespace whence::graph::impl {

/// A number that grows: one writer adds to it, readers ask what it was as of a transaction that was published to them.
class RunningCount {
 public:
  /// Adds 1 at `tx`, which is not below that of any call before.
  void add_one(std::uint32_t tx) {
    auto const size = entries_.size();
    auto const last = size == 0 ? 0 : entries_.at(size - 1);
    auto const entry = std::uint64_t{tx} << 32 | (count_in(last) + 1);
    if (size != 0 && last >> 32 == tx) {
      entries_.replace_last(entry);
    } else {
      entries_.push(entry);
    }
  }

  /// O(log transactions that added something).
  [[nodiscard]] std::uint64_t as_of(std::uint64_t tx) const noexcept {
    auto const size = entries_.count_below((tx + 1) << 32);
    return size == 0 ? 0 : count_in(entries_.at(size - 1));
  }

  /// Forgets what was added above `tx`.
  void roll_back_to(std::uint32_t tx) noexcept { entries_.cut(entries_.count_below((std::uint64_t{tx} + 1) << 32)); }

  /// The list behind it: for each transaction that added something its number, above the count after it.
  [[nodiscard]] MonotoneList<std::uint64_t>& entries() noexcept { return entries_; }
  [[nodiscard]] MonotoneList<std::uint64_t> const& entries() const noexcept { return entries_; }

 private:
  static std::uint64_t count_in(std::uint64_t entry) noexcept { return entry & 0xffff'ffff; }

  MonotoneList<std::uint64_t> entries_;
};

}  // namespace whence::graph::impl
