#pragma once
// A server on loopback in a thread of its own, and a client that speaks bytes: what a well-behaved library would never
// send can be sent with it.

#include "net/server/server.hpp"
#include "tests/net/session/session_fixture.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <boost/test/unit_test.hpp>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace whence::test {

/// A frame as received: `code` is what a close frame says.
struct Frame {
  int opcode = -1;  ///< -1: the connection ended instead
  bool is_compressed = false;
  std::string payload;
  int code = 0;
};

/// A TCP connection to loopback. Waits at most ten seconds for anything, then fails the test.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0)
      : port_{port}, socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    if (receive_buffer_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }
  ~RawClient() { ::close(socket_); }
  RawClient(RawClient const&) = delete;
  RawClient& operator=(RawClient const&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  void send(std::string_view bytes) { BOOST_REQUIRE(try_send(bytes)); }
  /// False where the peer has closed.
  bool try_send(std::string_view bytes) {
    while (!bytes.empty()) {
      auto const sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Reads until `count` bytes are there; false where the connection ended before.
  bool fill(std::size_t count) {
    while (received_.size() < count) {
      if (!receive()) return false;
    }
    return true;
  }

  /// Everything until the peer closes.
  std::string read_all() {
    while (receive()) {
    }
    return std::exchange(received_, {});
  }

  /// The next `count` bytes; fewer where the connection ended before.
  std::string read_bytes(std::size_t count) {
    fill(count);
    return take(count);
  }

  /// One HTTP answer: its head and its body of Content-Length.
  std::string read_answer(bool has_body = true) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return std::exchange(received_, {});
    }
    end += 4;
    auto const length = received_.find("Content-Length: ");
    if (has_body && length < end) end += std::stoul(received_.substr(length + 16));
    fill(end);
    return take(end);
  }

  std::string request(std::string_view head, std::string_view body = {}) {
    send(std::string{head} + "Host: " + host() + "\r\n\r\n" + std::string{body});
    return read_answer(!head.starts_with("HEAD"));
  }

  std::string upgrade(std::string_view more = {}) {
    send("GET /ws HTTP/1.1\r\nHost: " + host() +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string{more} + "\r\n");
    return read_answer();
  }

  /// A masked frame with any first byte.
  static std::string frame(unsigned first_byte, std::string_view payload) {
    std::string bytes{static_cast<char>(first_byte)};
    if (payload.size() < 126) {
      bytes += static_cast<char>(0x80U | payload.size());
    } else {
      bool const is_short = payload.size() <= 0xffff;
      bytes += static_cast<char>(is_short ? 0xfeU : 0xffU);
      for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8) bytes += static_cast<char>(payload.size() >> shift);
    }
    constexpr std::string_view mask = "\x11\x22\x33\x44";
    bytes += mask;
    for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ mask[i % 4]);
    return bytes;
  }
  void say(std::string_view text) { send(frame(0x81, text)); }

  Frame read_frame() {
    if (!fill(2)) return {};
    Frame frame;
    frame.opcode = received_[0] & 0x0f;
    frame.is_compressed = (received_[0] & 0x40) != 0;
    std::size_t size = static_cast<unsigned char>(received_[1]);
    std::size_t head = 2;
    if (size >= 126) {
      head = size == 126 ? 4 : 10;
      if (!fill(head)) return {};
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8 | static_cast<unsigned char>(received_[i]);
    }
    if (!fill(head + size)) return {};
    take(head);
    frame.payload = take(size);
    if (frame.opcode == 8 && size >= 2) {
      frame.code = static_cast<unsigned char>(frame.payload[0]) << 8 | static_cast<unsigned char>(frame.payload[1]);
    }
    return frame;
  }
  /// The code of the close frame that ends the connection; 0 where it ends without.
  int read_close() {
    Frame frame;
    do frame = read_frame();
    while (frame.opcode != -1 && frame.opcode != 8);
    return frame.code;
  }

  /// The next text frame as JSON.
  boost::json::value read_json() { return boost::json::parse(read_frame().payload); }

 private:
  bool receive() {
    pollfd wanted{.fd = socket_, .events = POLLIN, .revents = 0};
    BOOST_REQUIRE(::poll(&wanted, 1, 60'000) == 1);
    char bytes[65536];
    auto const count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    auto result = received_.substr(0, count);
    received_.erase(0, count);
    return result;
  }

  std::uint16_t port_;
  int socket_;
  std::string received_;
};

/// A world that is served. Stops the server at its end, in order unless the test has done so.
struct ServerWorld : ServiceWorld {
  explicit ServerWorld(net::ServerConfig settings = {}) {
    settings.port = 0;
    server = net::Server::listen(*service, *engine, settings).value();
    running = std::jthread{[this] { exit_code = server->run(); }};
  }
  ~ServerWorld() {
    if (!running.joinable()) return;
    server->quit();
    running.join();
  }
  /// Waits for `run` and returns its result.
  int wait() {
    running.join();
    return exit_code;
  }
  [[nodiscard]] std::uint16_t port() const { return server->port(); }

  std::unique_ptr<net::Server> server;
  int exit_code = -1;
  std::jthread running;
};

/// A request that waits for a transaction that does not come: it runs until it is stopped or times out.
inline std::string waiting_request(int id, int timeout_ms) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"node.count","params":{"type":"Topic","min_tx":1000000,"timeout_ms":)" +
         std::to_string(timeout_ms) + "}}";
}

inline constexpr std::string_view info_request = R"({"jsonrpc":"2.0","id":1,"method":"server.info"})";

}  // namespace whence::test
