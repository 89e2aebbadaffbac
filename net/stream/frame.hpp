#pragma once
// Frames (RFC 6455 5.2): the head of one that a server sends, and where those end that it receives.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

/// The first byte of a frame without its final bit: what it is, and whether it is compressed (RFC 7692 6).
enum class Opcode : std::uint8_t { text = 1, binary = 2, ping = 9, compressed_text = 0x40 | text };

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

  /// Views this object, which must be there as long.
  [[nodiscard]] constexpr std::string_view text() const& noexcept { return {bytes_.data(), size_}; }
  std::string_view text() const&& = delete;

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

/// A whole message of a client, as nearly all are: one final text frame, masked and not compressed.
struct TextFrame {
  std::string_view mask;     ///< 4 bytes
  std::string_view payload;  ///< masked
  std::size_t bytes = 0;     ///< with its head

  /// Puts the text in the place of `out`.
  void unmask(std::string& out) const;
};

/// The frame at the front of `received`, where all of it is there. Nothing where it is of another kind, incomplete, or
/// breaks a rule.
[[nodiscard]] std::optional<TextFrame> find_text_frame(std::string_view received) noexcept;

/// Follows the frames in what a peer sends, so that its reader can be given one frame at a time.
class FrameBounds {
 public:
  /// How many of the next `bytes` belong to the frame that they are of; they count as read. At least one, unless there
  /// are none.
  [[nodiscard]] std::size_t take(std::string_view bytes) noexcept;

  /// Counts `bytes` of the payload as read, where it was read without being looked at.
  void skip(std::size_t bytes) noexcept;

  /// Whether what was read ends with a whole frame.
  [[nodiscard]] bool is_between() const noexcept { return head_bytes_ == 0; }

 private:
  [[nodiscard]] std::size_t head_size() const noexcept;
  void end_head() noexcept;

  std::array<std::uint8_t, 14> head_ = {};
  std::size_t head_bytes_ = 0;  ///< read of it
  bool is_in_payload_ = false;  ///< the head is complete
  std::uint64_t payload_left_ = 0;
};

}  // namespace whence::net
