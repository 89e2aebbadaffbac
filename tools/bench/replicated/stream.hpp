#pragma once
// A stream of JetStream used bare: what the replicated log could reach at best.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct __natsConnection;
struct __jsCtx;

namespace whence::bench {

struct StreamFigures {
  std::uint64_t messages;
  std::uint64_t bytes;
  std::string leader;  ///< the name of its server; empty while there is none
};

/// A connection and the stream `name` with the subject `whence.NAME`, as a node of Whence makes it. Members throw
/// std::runtime_error where the servers refuse or do not answer.
class BareStream {
 public:
  /// The stream is made where it is missing, with a replica on each server.
  BareStream(std::vector<std::string> const& urls, std::string name);
  ~BareStream();
  BareStream(BareStream const&) = delete;
  BareStream& operator=(BareStream const&) = delete;

  [[nodiscard]] StreamFigures figures() const;

  /// Publishes one message; returns when a quorum has it.
  void publish(std::string const& payload) const;
  /// Publishes so many without waiting for each; returns when a quorum has all.
  void publish_all(std::string const& payload, unsigned count) const;
  /// Reads the stream from its first message to its last by an ordered consumer; returns messages a second.
  [[nodiscard]] double read_rate() const;

 private:
  std::string const name_;
  std::string const subject_;
  __natsConnection* connection_ = nullptr;
  __jsCtx* context_ = nullptr;
};

}  // namespace whence::bench
