#pragma once
// Compresses messages for clients that asked for `permessage-deflate` (RFC 7692). No window is kept: with its
// compressor it would be most of what a connection holds, and an answer of some KiB shrinks nearly as much without.

#include <string>
#include <string_view>

namespace whence::net {

/// A shorter message saves no packet, a longer one would occupy its I/O thread for more than some 10 ms.
inline constexpr std::size_t deflated_bytes_min = std::size_t{1} << 10;
inline constexpr std::size_t deflated_bytes_max = std::size_t{1} << 20;

/// Appends the compressed form of `message` to `out`, made with a window of `window_bits` (9 to 15) and without
/// knowledge of messages before, so that a connection keeps no window. False, with `out` as it was, where that is not
/// shorter or the message is not within the bounds above. O(message); uses 256 KiB that belong to the calling thread.
[[nodiscard]] bool deflate_message(std::string_view message, int window_bits, std::string& out);

/// The first of the offers in a `Sec-WebSocket-Extensions` that RFC 7692 (7.1) allows, as it is written; empty where
/// there is none. Beast looks at one alone.
[[nodiscard]] std::string_view find_valid_offer(std::string_view offers) noexcept;

/// The window that an answer's `Sec-WebSocket-Extensions` allows this server, in bits; 0 where nothing is to be
/// compressed.
[[nodiscard]] int deflate_window_bits(std::string_view extensions) noexcept;

/// `answer` to the extensions that a peer offers, with the window that it asked for. A server accepts such an offer by
/// naming the window (RFC 7692 7.1.2.1); Beast leaves out the largest, and some clients then end the connection.
[[nodiscard]] std::string with_named_window(std::string_view offers, std::string_view answer);

}  // namespace whence::net
