// Of the protocol it knows CONNECT, PUB, SUB, MSG, HMSG and PING. What `next` returns are views of the buffer, valid
// until the next call.

#include "tools/bench/live/nats_client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace whence::bench {
namespace {

constexpr std::size_t read_bytes = std::size_t{256} << 10;  ///< requested at once
constexpr std::string_view line_end = "\r\n";

/// The words of a server's line. MSG: subject, sid, [reply,] bytes. HMSG: subject, sid, [reply,] header bytes, bytes.
struct Line {
  explicit Line(std::string_view text) {
    while (!text.empty() && count < words.size()) {
      std::size_t const end = std::min(text.find(' '), text.size());
      words[count++] = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  [[nodiscard]] bool has_headers() const { return words[0] == "HMSG"; }
  [[nodiscard]] bool is_message() const { return words[0] == "MSG" || has_headers(); }
  [[nodiscard]] std::string_view reply() const {
    return count == (has_headers() ? 6U : 5U) ? words[3] : std::string_view{};
  }
  [[nodiscard]] std::size_t payload_bytes() const {
    std::string_view const word = words[count - 1];
    std::size_t bytes = 0;
    std::from_chars(word.data(), word.data() + word.size(), bytes);
    return bytes;
  }

  std::array<std::string_view, 6> words;
  std::size_t count = 0;
};

}  // namespace

NatsClient::NatsClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)), buffer_(2 * read_bytes) {
  int const on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  timeval const patience{.tv_sec = 30, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    throw std::runtime_error("NATS: connect");
  }
  send("CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"lang\":\"cpp\",\"version\":\"1\"}\r\n");
}

NatsClient::~NatsClient() {
  ::close(socket_);
}

void NatsClient::send(std::string_view lines) {
  while (!lines.empty()) {
    ssize_t const sent = ::send(socket_, lines.data(), lines.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error("NATS: send");
    lines.remove_prefix(static_cast<std::size_t>(sent));
  }
}

NatsMessage NatsClient::next() {
  for (;;) {
    std::string_view const in(buffer_.data() + begin_, end_ - begin_);
    std::size_t const line_bytes = in.find(line_end);
    if (line_bytes == std::string_view::npos) {
      fill();
      continue;
    }
    Line const line(in.substr(0, line_bytes));
    std::size_t const payload_at = line_bytes + line_end.size();
    if (line.is_message()) {
      std::size_t const bytes = payload_at + line.payload_bytes() + line_end.size();
      if (in.size() < bytes) {
        fill();
        continue;
      }
      begin_ += bytes;
      return {.reply = line.reply(),
              .payload = in.substr(payload_at, line.payload_bytes()),
              .has_headers = line.has_headers()};
    }
    if (line.words[0] == "PING") send("PONG\r\n");
    if (line.words[0] == "-ERR") throw std::runtime_error("NATS: " + std::string(in.substr(0, line_bytes)));
    begin_ += payload_at;
  }
}

/// Reads once, appending to the buffer.
void NatsClient::fill() {
  if (buffer_.size() - end_ < read_bytes) {
    std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < read_bytes) buffer_.resize(2 * buffer_.size());
  }
  ssize_t const got = ::recv(socket_, buffer_.data() + end_, buffer_.size() - end_, 0);
  if (got <= 0) throw std::runtime_error("NATS: the server closed or is silent");
  end_ += static_cast<std::size_t>(got);
}

std::string publication(std::string_view subject, std::string_view reply, std::string_view payload) {
  std::string lines("PUB ");
  lines.append(subject).append(" ").append(reply).append(" ").append(std::to_string(payload.size())).append(line_end);
  return lines.append(payload).append(line_end);
}

}  // namespace whence::bench
