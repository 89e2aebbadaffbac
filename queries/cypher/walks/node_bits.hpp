#pragma once
// A set of nodes, a bit for each.

#include <cstdint>
#include <vector>

namespace whence::queries::cypher {

class NodeBits {
 public:
  /// Room for nodes below `bound`, none of which is in it.
  void resize(std::uint64_t bound) { words_.assign((bound + 63) / 64, 0); }
  [[nodiscard]] std::uint64_t bound() const noexcept { return words_.size() * 64; }
  [[nodiscard]] bool contains(std::uint64_t node) const noexcept {
    return ((words_[node / 64] >> (node % 64)) & 1u) != 0;
  }
  /// Whether it was not there before.
  bool insert(std::uint64_t node) noexcept {
    auto const bit = std::uint64_t{1} << (node % 64);
    auto& word = words_[node / 64];
    bool const is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  void erase(std::uint64_t node) noexcept { words_[node / 64] &= ~(std::uint64_t{1} << (node % 64)); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace whence::queries::cypher
