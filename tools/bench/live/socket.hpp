#pragma once
// A cheap WebSocket client, so that it does not distort the server's figures: one blocking socket, frames parsed in
// place.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace whence::bench {

/// The server ended the connection.
struct ConnectionClosed : std::runtime_error {
  ConnectionClosed() : std::runtime_error("the server closed a connection") {}
};

/// One connection to `/ws` of a server on this machine. Members throw std::runtime_error if the server refuses,
/// closes, or is silent for half a minute.
class LiveSocket {
 public:
  using OnMessage = std::function<void(std::string_view)>;

  /// `kernel_bytes`, unless 0, is the requested size of the kernel's receive buffer.
  explicit LiveSocket(std::uint16_t port, int kernel_bytes = 0);
  ~LiveSocket();
  LiveSocket(LiveSocket const&) = delete;
  LiveSocket& operator=(LiveSocket const&) = delete;

  [[nodiscard]] int descriptor() const { return socket_; }

  /// Sends one text message; returns when the kernel has all of it.
  void send(std::string_view text);

  /// Waits for bytes, then passes on each complete message, in order. Answers pings.
  void receive(OnMessage const& on_message);

  /// Sends a request and waits for its answer, a result; other messages before it or with it are dropped.
  std::string ask(std::string_view request);

 private:
  struct Frame {
    unsigned opcode;
    std::string_view payload;
    std::size_t bytes;  ///< including its header
  };

  void connect(std::uint16_t port, int kernel_bytes);
  void upgrade(std::uint16_t port);
  void send_frame(unsigned opcode, std::string_view payload);
  void fill();
  [[nodiscard]] bool take_frame(Frame& frame) const;

  int socket_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< buffer_[begin_ .. end_) was received and not yet passed on
  std::size_t end_ = 0;
};

/// Which of the sockets have something to receive; waits for the first, at most half a minute.
[[nodiscard]] std::vector<LiveSocket*> wait_for_any(std::span<LiveSocket* const> sockets);

/// A JSON-RPC request; `params` as JSON.
[[nodiscard]] std::string request(std::string_view method, std::string_view params);

}  // namespace whence::bench
