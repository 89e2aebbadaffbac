#pragma once
// The text protocol of NATS over a blocking socket: the part that a benchmark needs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::bench {

/// Views last until the client's next call.
struct NatsMessage {
  std::string_view reply;    ///< the subject to answer on; empty if there is none
  std::string_view payload;  ///< including any headers
  bool has_headers;
};

/// One connection. Members throw std::runtime_error if the server refuses, closes, or is silent for half a minute.
class NatsClient {
 public:
  explicit NatsClient(std::uint16_t port);
  ~NatsClient();
  NatsClient(NatsClient const&) = delete;
  NatsClient& operator=(NatsClient const&) = delete;

  /// Sends lines of the protocol unchanged.
  void send(std::string_view lines);
  /// The next message; the server's pings are answered on the way.
  NatsMessage next();

 private:
  void fill();

  int socket_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< buffer_[begin_ .. end_) was received and not yet returned
  std::size_t end_ = 0;
};

/// The lines that publish one message; `reply` may be empty.
[[nodiscard]] std::string publication(std::string_view subject, std::string_view reply, std::string_view payload);

}  // namespace whence::bench
