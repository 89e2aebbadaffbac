#pragma once
// What is under the key of a content or blob that expired or was purged: one byte that no other value begins with.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace whence::store {

inline constexpr std::uint8_t gone_mark = 0xfe;

/// In place of bytes that are gone. A content of a store without packing has never one byte either.
inline constexpr std::array<std::byte, 1> gone_value = {std::byte{gone_mark}};

[[nodiscard]] constexpr bool is_gone(std::span<std::byte const> value) noexcept {
  return value.size() == gone_value.size() && value.front() == gone_value.front();
}

}  // namespace whence::store
