#pragma once
// The peer of a replay: a file-backed JetStream stream of nats-server, read in order by an ephemeral push consumer.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace whence::bench {

/// A nats-server in its own process, with `messages` published to it; ended by the destructor. Members throw
/// std::runtime_error if the server does not start or refuses.
class NatsPeer {
 public:
  [[nodiscard]] static bool is_installed();
  /// The path of nats-server, where it is installed.
  [[nodiscard]] static std::string program();

  NatsPeer(std::string const& directory, std::uint32_t messages, std::size_t message_bytes);
  ~NatsPeer();
  NatsPeer(NatsPeer const&) = delete;
  NatsPeer& operator=(NatsPeer const&) = delete;

  /// Messages per second from asking for a consumer to the last message, as an ordered consumer does it: no
  /// acknowledgements, with flow control, the stream's sequence checked.
  [[nodiscard]] double replay_rate();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::bench
