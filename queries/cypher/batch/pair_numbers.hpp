#pragma once
// Pairs of numbers as numbers.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace whence::queries::cypher {

/// Numbers of pairs of numbers, in order of appearance: open addressing.
class PairNumbers {
 public:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t first, std::uint32_t second);
  /// The second part of a pair, by its number.
  [[nodiscard]] std::uint32_t second_of(std::size_t number) const noexcept {
    return static_cast<std::uint32_t>(pairs_[number]);
  }
  [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return pairs_.capacity() * 8 + places_.size() * 4; }

 private:
  void grow();
  [[nodiscard]] std::size_t place_of(std::uint64_t pair) const noexcept;

  std::vector<std::uint64_t> pairs_;
  std::vector<std::uint32_t> places_;  ///< one more than a number; 0: free
};

}  // namespace whence::queries::cypher
