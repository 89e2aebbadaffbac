// Each connection has a fixed number of requests unanswered and sends a new one for each answer.

#include "tools/bench/wire/load.hpp"

#include "tools/bench/report.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace whence::bench {
namespace {

/// A masked text frame whose mask is zero, so that the payload is unchanged.
std::string framed(std::string const& payload) {
  std::string frame("\x81", 1);
  if (payload.size() < 126) {
    frame.push_back(static_cast<char>(0x80 | payload.size()));
  } else {
    frame.push_back(static_cast<char>(0x80 | 126));
    frame.push_back(static_cast<char>(payload.size() >> 8));
    frame.push_back(static_cast<char>(payload.size() & 0xff));
  }
  return frame + std::string(4, '\0') + payload;
}

/// Bytes of the server's frame at the front of `bytes`, header included; 0 if the header is incomplete.
std::size_t frame_size(std::string const& bytes, std::size_t at) {
  std::size_t const have = bytes.size() - at;
  if (have < 2) return 0;
  auto const byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[at + i]); };
  std::size_t const length = byte(1) & 0x7f;
  if (length < 126) return 2 + length;
  std::size_t const extra = length == 126 ? 2 : 8;
  if (have < 2 + extra) return 0;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < extra; ++i) size = size << 8 | byte(2 + i);
  return 2 + extra + size;
}

/// One client connection: its unsent bytes and its received bytes.
class Client {
 public:
  Client(Load const& load, std::vector<std::string> const& messages, std::size_t first)
      : load_(load), messages_(messages), next_(first) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(load.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("connect");
    int const on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (load.framing == Framing::websocket) upgrade();
    fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  }
  ~Client() { ::close(socket_); }
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  [[nodiscard]] int socket() const { return socket_; }

  void send_requests(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out_ += messages_[next_++ % messages_.size()];
    flush();
  }

  /// Reads the available bytes and sends the next request for each answer. Returns the number of answers.
  std::size_t on_readable() {
    char buffer[1 << 16];
    ssize_t const got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) throw std::runtime_error("the server closed a connection");
    if (got > 0) in_.append(buffer, static_cast<std::size_t>(got));
    std::size_t const answers = take_answers();
    if (answers > 0 || !out_.empty()) send_requests(answers);
    return answers;
  }

 private:
  void upgrade() {
    std::string const request = "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(load_.port) +
                                "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("send");
    std::string answer;
    for (char byte = 0; !answer.ends_with("\r\n\r\n");) {
      if (::recv(socket_, &byte, 1, 0) != 1) throw std::runtime_error("handshake");
      answer.push_back(byte);
    }
    if (!answer.starts_with("HTTP/1.1 101")) throw std::runtime_error("handshake: " + answer);
  }

  void flush() {
    ssize_t const sent = ::send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent > 0) out_.erase(0, static_cast<std::size_t>(sent));
  }

  std::size_t take_answers() {
    std::size_t answers = 0;
    std::size_t at = 0;
    for (;;) {
      std::size_t const size = load_.framing == Framing::fixed ? load_.answer_bytes : frame_size(in_, at);
      if (size == 0 || in_.size() - at < size) break;
      at += size;
      ++answers;
    }
    in_.erase(0, at);
    return answers;
  }

  Load const& load_;
  std::vector<std::string> const& messages_;
  std::size_t next_;
  int socket_ = -1;
  std::string out_;
  std::string in_;
};

}  // namespace

double answers_per_second(Load const& load) {
  std::vector<std::string> messages;
  for (auto const& request : load.requests) {
    messages.push_back(load.framing == Framing::websocket ? framed(request) : request);
  }
  int const poll = epoll_create1(0);
  std::vector<std::unique_ptr<Client>> clients;
  for (unsigned i = 0; i < load.connections; ++i) {
    clients.push_back(std::make_unique<Client>(load, messages, i * 7));
    epoll_event event{.events = EPOLLIN, .data = {.ptr = clients.back().get()}};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients.back()->socket(), &event);
  }
  for (auto const& client : clients) client->send_requests(load.in_flight);
  std::size_t answers = 0;
  Stopwatch const watch;
  while (watch.seconds() < load.seconds) {
    epoll_event events[64];
    int const ready = epoll_wait(poll, events, 64, 1000);
    if (ready == 0) throw std::runtime_error("no answer within a second");
    for (int i = 0; i < ready; ++i) answers += static_cast<Client*>(events[i].data.ptr)->on_readable();
  }
  ::close(poll);
  return static_cast<double>(answers) / watch.seconds();
}

std::string ask_once(std::uint16_t port, std::string const& request) {
  Load load;
  load.port = port;
  std::vector<std::string> const messages{framed(request)};
  Client client(load, messages, 0);
  fcntl(client.socket(), F_SETFL, fcntl(client.socket(), F_GETFL) & ~O_NONBLOCK);
  client.send_requests(1);
  std::string in;
  for (;;) {
    std::size_t const size = frame_size(in, 0);
    if (size != 0 && in.size() >= size) return in.substr(size < 128 ? 2 : size < 65536 + 4 ? 4 : 10, size);
    char buffer[4096];
    ssize_t const got = ::recv(client.socket(), buffer, sizeof buffer, 0);
    if (got <= 0) throw std::runtime_error("no answer");
    in.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace whence::bench
