#pragma once
// The head of a frame that a server sends (RFC 6455 5.2): final, unmasked.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace whence::net {

/// The first byte of a frame without its final bit: what it is, and whether it is compressed (RFC 7692 6).
enum class Opcode : std::uint8_t { text = 1, ping = 9, compressed_text = 0x40 | text };

/// The head of one whole frame with a payload of `bytes`. 2, 4 or 10 bytes.
class FrameHead {
 public:
  constexpr FrameHead(Opcode opcode, std::uint64_t bytes) noexcept {
    put(0x80U | static_cast<unsigned>(opcode));
    if (bytes < 126) {
      put(bytes);
    } else if (bytes <= 0xffff) {
      put(126);
      put_big_endian(bytes, 2);
    } else {
      put(127);
      put_big_endian(bytes, 8);
    }
  }

  /// Views this object.
  [[nodiscard]] constexpr std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  constexpr void put(std::uint64_t byte) noexcept {
    bytes_[size_++] = std::bit_cast<char>(static_cast<std::uint8_t>(byte));
  }
  constexpr void put_big_endian(std::uint64_t value, unsigned count) noexcept {
    while (count-- > 0) put(value >> (8 * count));
  }

  std::array<char, 10> bytes_ = {};
  std::size_t size_ = 0;
};

}  // namespace whence::net
