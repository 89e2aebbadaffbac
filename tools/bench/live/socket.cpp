// Frames are masked with zeros, so that payloads are sent as they are. A message in several frames is refused.

#include "tools/bench/live/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace whence::bench {
namespace {

constexpr std::size_t read_bytes = std::size_t{256} << 10;  ///< requested at once
constexpr int patience_seconds = 30;

constexpr unsigned opcode_text = 1;
constexpr unsigned opcode_close = 8;
constexpr unsigned opcode_ping = 9;
constexpr unsigned opcode_pong = 10;

/// The head of a final frame of a client (RFC 6455 5.2). The mask is zero, so that the payload is unchanged.
std::string frame_head(unsigned opcode, std::size_t bytes) {
  std::string head(1, static_cast<char>(0x80 | opcode));
  auto const put_size = [&](unsigned marker, int octets) {
    head.push_back(static_cast<char>(0x80 | marker));
    while (octets-- > 0) head.push_back(static_cast<char>(bytes >> (8 * octets)));
  };
  if (bytes < 126) {
    put_size(static_cast<unsigned>(bytes), 0);
  } else if (bytes <= 0xffff) {
    put_size(126, 2);
  } else {
    put_size(127, 8);
  }
  return head + std::string(4, '\0');
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw std::runtime_error(std::string("send: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

LiveSocket::LiveSocket(std::uint16_t port, int kernel_bytes) : buffer_(2 * read_bytes) {
  connect(port, kernel_bytes);
  try {
    upgrade(port);
  } catch (...) {
    ::close(socket_);
    throw;
  }
}

LiveSocket::~LiveSocket() {
  ::close(socket_);
}

void LiveSocket::connect(std::uint16_t port, int kernel_bytes) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  // Before connecting, because the window offered then is never reduced.
  if (kernel_bytes > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &kernel_bytes, sizeof kernel_bytes);
  int const on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  timeval const patience{.tv_sec = patience_seconds, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
  ::close(socket_);
  throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
}

void LiveSocket::upgrade(std::uint16_t port) {
  send_all(socket_, "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  constexpr std::string_view head_end = "\r\n\r\n";
  std::size_t at = std::string_view::npos;
  while (at == std::string_view::npos) {
    fill();
    at = std::string_view(buffer_.data(), end_).find(head_end);
  }
  if (!std::string_view(buffer_.data(), at).starts_with("HTTP/1.1 101")) throw std::runtime_error("handshake refused");
  begin_ = at + head_end.size();
}

void LiveSocket::send_frame(unsigned opcode, std::string_view payload) {
  send_all(socket_, frame_head(opcode, payload.size()).append(payload));
}

void LiveSocket::send(std::string_view text) {
  send_frame(opcode_text, text);
}

/// Reads once, appending to the buffer.
void LiveSocket::fill() {
  if (buffer_.size() - end_ < read_bytes) {
    std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < read_bytes) buffer_.resize(2 * buffer_.size());
  }
  ssize_t const got = ::recv(socket_, buffer_.data() + end_, buffer_.size() - end_, 0);
  if (got == 0 || (got < 0 && errno == ECONNRESET)) throw ConnectionClosed();
  if (got < 0) throw std::runtime_error(std::string("receive: ") + std::strerror(errno));
  end_ += static_cast<std::size_t>(got);
}

/// Parses the first frame; false if it is incomplete.
bool LiveSocket::take_frame(Frame& frame) const {
  std::string_view const in(buffer_.data() + begin_, end_ - begin_);
  auto const byte = [&](std::size_t i) { return static_cast<std::uint8_t>(in[i]); };
  if (in.size() < 2) return false;
  if ((byte(0) & 0x80) == 0) throw std::runtime_error("a message in several frames, which this client does not join");
  std::uint64_t size = byte(1);
  std::size_t const octets = size < 126 ? 0 : size == 126 ? 2 : 8;
  std::size_t const head = 2 + octets;
  if (in.size() < head) return false;
  if (octets > 0) size = 0;
  for (std::size_t i = 2; i < head; ++i) size = size << 8 | byte(i);
  if (in.size() - head < size) return false;
  frame = {.opcode = byte(0) & 0x0fU, .payload = in.substr(head, size), .bytes = head + size};
  return true;
}

void LiveSocket::receive(OnMessage const& on_message) {
  fill();
  for (Frame frame{}; take_frame(frame); begin_ += frame.bytes) {
    switch (frame.opcode) {
      case opcode_text:
        on_message(frame.payload);
        break;
      case opcode_ping:
        send_frame(opcode_pong, frame.payload);
        break;
      case opcode_close:
        throw ConnectionClosed();
      default:
        throw std::runtime_error("a frame that is not text");
    }
  }
  if (begin_ == end_) begin_ = end_ = 0;
}

std::string LiveSocket::ask(std::string_view request) {
  send(request);
  std::string answer;
  auto const keep_answer = [&](std::string_view message) {
    if (message.starts_with(R"({"jsonrpc":"2.0","id":)")) answer = message;
  };
  while (answer.empty()) receive(keep_answer);
  if (answer.find(R"(,"result":)") == std::string::npos) throw std::runtime_error("refused: " + answer);
  return answer;
}

std::vector<LiveSocket*> wait_for_any(std::span<LiveSocket* const> sockets) {
  std::vector<pollfd> polled;
  polled.reserve(sockets.size());
  for (LiveSocket const* socket : sockets)
    polled.push_back({.fd = socket->descriptor(), .events = POLLIN, .revents = 0});
  if (::poll(polled.data(), polled.size(), patience_seconds * 1000) <= 0)
    throw std::runtime_error("nothing came within half a minute");
  std::vector<LiveSocket*> ready;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (polled[i].revents != 0) ready.push_back(sockets[i]);
  }
  return ready;
}

std::string request(std::string_view method, std::string_view params) {
  return std::string(R"({"jsonrpc":"2.0","id":1,"method":")").append(method).append(R"(","params":)").append(params) +
         "}";
}

}  // namespace whence::bench
