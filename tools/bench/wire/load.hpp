#pragma once
// A load generator that costs little: raw sockets and epoll in one thread, frames made beforehand, answers counted by
// their headers and not looked into.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace whence::bench {

/// How answers are told apart.
enum class Framing : std::uint8_t {
  websocket,  ///< handshake on /ws, masked frames out, frame headers in
  fixed,      ///< bare bytes: answers of one known size
};

struct Load {
  std::uint16_t port = 0;  ///< on 127.0.0.1
  Framing framing = Framing::websocket;
  unsigned connections = 1;
  unsigned in_flight = 1;             ///< requests waiting on each connection
  std::vector<std::string> requests;  ///< payloads, sent in turn
  std::size_t answer_bytes = 0;       ///< with `fixed`
  double seconds = 1;
};

/// Answers per second over `seconds`, after the connections stand. Throws std::runtime_error where a connection fails.
[[nodiscard]] double answers_per_second(Load const& load);

/// One WebSocket request and its whole answer, for sizes and for a look.
[[nodiscard]] std::string ask_once(std::uint16_t port, std::string const& request);

}  // namespace whence::bench
