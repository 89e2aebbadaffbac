#pragma once
// Groups by the numbers of their keys, in the order in which they were first met.

#include "queries/cypher/batch/key_column.hpp"
#include "queries/cypher/batch/pair_numbers.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace whence::queries::cypher {

class Groups {
 public:
  Groups(std::vector<std::unique_ptr<KeyColumn>> keys, RunState& state) : keys_(std::move(keys)), state_(state) {}
  ~Groups() {
    for (auto const& key : keys_) held_ += key->held();
    state_.release(held_);
  }
  Groups(Groups const&) = delete;
  Groups& operator=(Groups const&) = delete;

  /// Fills `groups` with the number of each row's group. False: the run has failed.
  [[nodiscard]] bool read(Batch const& batch, Row& row, std::vector<std::uint32_t>& groups);
  [[nodiscard]] bool has_keys() const noexcept { return !keys_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Value key(std::size_t group, std::size_t i, Row& row) {
    return keys_[i]->value_of(numbers_[group * keys_.size() + i], row);
  }

 private:
  [[nodiscard]] bool number(std::vector<std::uint32_t>& codes, std::uint64_t bound);
  [[nodiscard]] bool hold();

  std::vector<std::unique_ptr<KeyColumn>> keys_;
  RunState& state_;
  std::vector<PairNumbers> pairs_;                ///< of the numbers so far with the next key's
  PairNumbers few_;                               ///< groups by number, while they are few for the numbers there may be
  std::vector<std::uint32_t> of_code_;            ///< then: one more than the group of a number
  std::vector<std::uint32_t> numbers_;            ///< of the keys, group after group
  std::vector<std::vector<std::uint32_t>> read_;  ///< of the batch, by key
  std::vector<std::uint32_t> united_;             ///< those of one key, the same values under one number
  std::size_t size_ = 0;
  std::uint64_t held_ = 0;
};

}  // namespace whence::queries::cypher
