// Each key gives each row a number. Numbers of several keys become one, pair by pair, and its group is looked up in a
// table, or by hashing while few places of a table would be used.
#include "queries/cypher/batch/groups.hpp"

#include <algorithm>

namespace whence::queries::cypher {

std::size_t PairNumbers::place_of(std::uint64_t pair) const noexcept {
  auto const mask = places_.size() - 1;
  auto at = static_cast<std::size_t>((pair * 0x9e37'79b9'7f4a'7c15U) >> 32U) & mask;
  while (places_[at] != 0 && pairs_[places_[at] - 1] != pair) at = (at + 1) & mask;
  return at;
}

void PairNumbers::grow() {
  constexpr std::size_t least = 64;
  places_.assign(std::max(least, places_.size() * 2), 0);
  for (std::size_t i = 0; i < pairs_.size(); ++i) places_[place_of(pairs_[i])] = static_cast<std::uint32_t>(i + 1);
}

std::uint32_t PairNumbers::number_of(std::uint32_t first, std::uint32_t second) {
  if (pairs_.size() * 2 >= places_.size()) grow();
  auto const pair = (std::uint64_t{first} << 32U) | second;
  auto& place = places_[place_of(pair)];
  if (place == 0) {
    pairs_.push_back(pair);
    place = static_cast<std::uint32_t>(pairs_.size());
  }
  return place - 1;
}

bool Groups::hold() {
  std::uint64_t bytes = few_.bytes() + of_code_.capacity() * 4 + numbers_.capacity() * 4 + size_ * 16;
  for (auto const& each : pairs_) bytes += each.bytes();
  if (bytes <= held_) return !state_.failed();
  auto const more = bytes - held_;
  held_ = bytes;
  return state_.hold(more);
}

bool Groups::read(Batch const& batch, Row& row, std::vector<std::uint32_t>& groups) {
  if (keys_.empty()) {
    groups.assign(batch.size, 0);
    size_ = 1;
    return true;
  }
  read_.resize(keys_.size());
  pairs_.resize(keys_.size() - 1);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!keys_[i]->read(batch, row, read_[i]) || state_.failed()) return false;
  }
  groups.assign(read_[0].begin(), read_[0].end());
  keys_[0]->unite(groups);
  auto bound = keys_[0]->bound();
  for (std::size_t i = 1; i < keys_.size(); ++i) {
    united_.assign(read_[i].begin(), read_[i].end());
    keys_[i]->unite(united_);
    for (std::size_t at = 0; at < batch.size; ++at) groups[at] = pairs_[i - 1].number_of(groups[at], united_[at]);
    bound = pairs_[i - 1].size();
  }
  return number(groups, bound);
}

bool Groups::number(std::vector<std::uint32_t>& codes, std::uint64_t bound) {
  constexpr std::uint64_t few = 16;  // a table is worth clearing where so many of its places are used
  if (of_code_.empty() && bound / few > size_ + codes.size()) {
    for (std::size_t at = 0; at < codes.size(); ++at) {
      codes[at] = few_.number_of(0, codes[at]);
      if (codes[at] < size_) continue;
      ++size_;
      for (auto const& each : read_) numbers_.push_back(each[at]);
    }
    return hold();
  }
  if (of_code_.size() < bound) {
    bool const is_first = of_code_.empty();
    of_code_.resize(std::max<std::size_t>(bound, of_code_.size() * 2));
    for (std::size_t i = 0; is_first && i < size_; ++i) of_code_[few_.second_of(i)] = static_cast<std::uint32_t>(i + 1);
  }
  for (std::size_t at = 0; at < codes.size(); ++at) {
    auto& group = of_code_[codes[at]];
    if (group == 0) {
      group = static_cast<std::uint32_t>(++size_);
      for (auto const& each : read_) numbers_.push_back(each[at]);
    }
    codes[at] = group - 1;
  }
  return hold();
}

}  // namespace whence::queries::cypher
