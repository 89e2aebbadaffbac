#pragma once
// The checksum of a piece of a checkpoint: as fast as memory, against damage, not against forgery.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace whence::store {

/// Every step is a bijection of its lane, so that bytes which differ within one word always give another sum.
[[nodiscard]] inline std::uint64_t piece_sum(std::span<std::byte const> bytes) noexcept {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
  constexpr std::size_t lane_count = 8;
  std::array<std::uint64_t, lane_count> lanes = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint64_t, lane_count> words;
  auto const size = bytes.size();
  for (; bytes.size() >= sizeof words; bytes = bytes.subspan(sizeof words)) {
    std::memcpy(words.data(), bytes.data(), sizeof words);
    for (std::size_t i = 0; i < lane_count; ++i) lanes[i] = std::rotl((lanes[i] ^ words[i]) * odd, 29);
  }
  words = {};
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  std::uint64_t sum = size;
  for (std::size_t i = 0; i < lane_count; ++i) {
    lanes[i] = std::rotl((lanes[i] ^ words[i]) * odd, 29);
    sum = std::rotl((sum ^ lanes[i]) * odd, 31);
  }
  return sum ^ sum >> 32U;
}

}  // namespace whence::store
