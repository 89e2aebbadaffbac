#pragma once
// What carries the bytes of Bolt: a socket, or the binary frames of a WebSocket.

#include "net/serving/request_reader.hpp"
#include "net/stream/asio.hpp"
#include "net/stream/buffered_stream.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace whence::net::bolt {

/// A stream of bytes in both directions. Every member runs on the connection's context.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Appends what has arrived to `input`, at least a byte; false where the peer has ended or broken the rules.
  [[nodiscard]] virtual Awaitable<bool> read(std::string& input) = 0;
  virtual void write(std::string bytes) = 0;
  /// Says to the peer, after what is queued, that nothing follows; a `read` that waits ends.
  virtual void close() = 0;
  /// Completes when the carrier may go.
  [[nodiscard]] virtual Awaitable<void> finish() = 0;
  /// Called where nothing was heard of the peer for a while.
  virtual void ping() = 0;
};

/// The bytes as they are.
[[nodiscard]] std::unique_ptr<Carrier> carry_plain(std::shared_ptr<BufferedStream> stream);

/// Accepts the upgrade that `request` asks for, which has been checked; null where that fails.
[[nodiscard]] Awaitable<std::unique_ptr<Carrier>> carry_websocket(std::shared_ptr<BufferedStream> stream,
                                                                  HttpRequest const& request);

}  // namespace whence::net::bolt
