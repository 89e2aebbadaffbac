#pragma once
// Which candidate of a batch has an id first: a hash table without nodes, whose hashes the caller gives.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace whence::engine {

/// Candidate numbers by the hashes of their ids (`Snapshot::hash_of`), one for each id. Ids may share a hash: a search
/// says which one it means.
///
/// Invariants: 1. a slot holds 0, or the high half of a hash above a number plus 1. 2. at most three quarters of the
/// slots are used, so a search ends.
class FirstNamed {
 public:
  /// Room for `expected` numbers; more are taken too.
  explicit FirstNamed(std::size_t expected) : slots_(slots_for(expected)) {}

  /// The number added under `hash` for which `is_it(number)` holds. O(1) expected.
  template <class IsIt>
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t hash, IsIt const& is_it) const {
    auto const half = hash >> half_bits;
    for (auto at = half & mask();; at = (at + 1) & mask()) {
      auto const slot = slots_[at];
      if (slot == 0) return std::nullopt;
      if (slot >> half_bits == half && is_it(number_in(slot))) return number_in(slot);
    }
  }

  /// Adds the number of an id that is not there.
  void add(std::uint64_t hash, std::uint32_t number) {
    if (4 * (used_ + 1) > 3 * slots_.size()) grow();
    place(slots_, (hash >> half_bits) << half_bits | (std::uint64_t{number} + 1));
    ++used_;
  }

 private:
  static constexpr unsigned half_bits = 32;

  static std::size_t slots_for(std::size_t expected) noexcept {
    std::size_t slots = 16;
    while (3 * slots < 4 * expected) slots *= 2;
    return slots;
  }
  static std::uint32_t number_in(std::uint64_t slot) noexcept { return static_cast<std::uint32_t>(slot) - 1; }
  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }

  static void place(std::vector<std::uint64_t>& slots, std::uint64_t slot) noexcept {
    auto const mask = slots.size() - 1;
    auto at = (slot >> half_bits) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = slot;
  }

  void grow() {
    std::vector<std::uint64_t> larger(2 * slots_.size());
    for (auto const slot : slots_) {
      if (slot != 0) place(larger, slot);
    }
    slots_ = std::move(larger);
  }

  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0;
};

}  // namespace whence::engine
