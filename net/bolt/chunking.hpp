#pragma once
// Chunks: how messages are separated in the stream of bytes of a connection.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace whence::net::bolt {

/// Joins the chunks of messages. A chunk is its size in two bytes, big-endian, and as many bytes; an empty one ends the
/// message. An empty one where no message has begun says nothing (a NOOP).
class Dechunker {
 public:
  enum class Step : std::uint8_t {
    needs_more,  ///< all of the input was taken
    message,     ///< `message` is whole; the input is taken up to its end
    too_large,   ///< the message has more than `bytes_max` bytes; nothing can be taken after it
  };

  /// Takes bytes from the front of `input`. Holds what has arrived, not what a size claims.
  [[nodiscard]] Step take(std::string_view& input, std::size_t bytes_max);

  /// The message after `Step::message`, until the next `take`.
  [[nodiscard]] std::string_view message() const noexcept { return message_; }

  /// Whether a message has begun and not ended.
  [[nodiscard]] bool is_within() const noexcept { return !is_done_ && (has_begun_ || head_bytes_ > 0); }

  /// What is held.
  [[nodiscard]] std::size_t capacity() const noexcept { return message_.capacity(); }

 private:
  std::string message_;
  std::size_t chunk_left_ = 0;
  unsigned head_ = 0;
  unsigned head_bytes_ = 0;
  bool has_begun_ = false;
  bool is_done_ = false;
};

/// Says nothing; keeps a peer that waits from giving up.
inline constexpr std::string_view noop{"\0\0", 2};

/// Begins a message at the end of `out`; returns where, for `end_message`.
[[nodiscard]] std::size_t begin_message(std::string& out);
/// Ends the message that began at `begin`: what was appended since is in chunks afterwards.
void end_message(std::string& out, std::size_t begin);

}  // namespace whence::net::bolt
