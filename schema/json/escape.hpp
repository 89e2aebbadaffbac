#pragma once
// Where a text needs an escape in JSON: for what writes strings, and for loops that write many texts without any.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace whence::schema::json {

/// Up to seven bytes, the first lowest, and spaces after them. Reads that overlap: bytes put together one by one in
/// memory would be waited for when they are read as one word.
[[nodiscard]] inline std::uint64_t load_tail(char const* at, std::size_t bytes) noexcept {
  std::uint64_t word = 0;
  if (bytes >= sizeof(std::uint32_t)) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + bytes - sizeof high, sizeof high);
    word = low | std::uint64_t{high} << (8 * (bytes - sizeof high));
  } else {
    for (std::size_t const place : {std::size_t{0}, bytes / 2, bytes - 1}) {
      word |= std::uint64_t{static_cast<unsigned char>(at[place])} << (8 * place);
    }
  }
  return word | std::uint64_t{0x2020'2020'2020'2020} << (8 * bytes);
}

/// The place of the first character from `from` on that is written as an escape; the size where there is none. Most
/// texts have none, so eight bytes are looked at at once (one by one they took a seventh of a replay with records).
[[nodiscard]] inline std::size_t find_escape(std::string_view text, std::size_t from = 0) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  constexpr std::uint64_t tops = ones * 0x80;
  static_assert(std::endian::native == std::endian::little);
  // The top bit of the lowest byte below `bound` is set, and of no byte before it.
  auto const below = [](std::uint64_t word, std::uint64_t bound) { return (word - ones * bound) & ~word & tops; };
  while (from < text.size()) {
    std::uint64_t word = 0;
    std::size_t const bytes = std::min(text.size() - from, sizeof word);
    if (bytes == sizeof word) {
      std::memcpy(&word, text.data() + from, sizeof word);
    } else {
      word = load_tail(text.data() + from, bytes);
    }
    auto const found = below(word, 0x20) | below(word ^ ones * '"', 1) | below(word ^ ones * '\\', 1);
    if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    from += bytes;
  }
  return from;
}

}  // namespace whence::schema::json
