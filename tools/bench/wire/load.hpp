#pragma once
// A cheap load generator: raw sockets and epoll in one thread, prepared frames, answers counted by their headers and
// not parsed.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace whence::bench {

/// How answers are delimited.
enum class Framing : std::uint8_t {
  websocket,  ///< handshake on /ws, masked frames out, frame headers in
  fixed,      ///< bare bytes: answers of one known size
};

struct Load {
  std::uint16_t port = 0;  ///< on 127.0.0.1
  Framing framing = Framing::websocket;
  unsigned connections = 1;
  unsigned in_flight = 1;             ///< unanswered requests on each connection
  std::vector<std::string> requests;  ///< payloads, sent in turn
  std::size_t answer_bytes = 0;       ///< with `fixed`
  double seconds = 1;
};

/// Answers per second over `seconds`, after all are connected. Throws std::runtime_error if a connection fails.
[[nodiscard]] double answers_per_second(Load const& load);

/// One WebSocket request and its whole answer, to learn sizes and to check it.
[[nodiscard]] std::string ask_once(std::uint16_t port, std::string const& request);

}  // namespace whence::bench
