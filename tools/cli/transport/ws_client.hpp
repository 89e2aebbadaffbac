#pragma once
// A WebSocket connection to a server for text messages. Every wait can be stopped from another thread.

#include "tools/cli/transport/dial.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace whence::tools {

/// Speaks `whence.v1.json` on `GET /ws` (`net/PROTOCOL.md`). Used by one thread, except for `stop`. An operation
/// without a connection fails with exit code `unreachable`; `connect` may be called again then.
class WsClient {
 public:
  WsClient();
  ~WsClient();
  WsClient(WsClient const&) = delete;
  WsClient& operator=(WsClient const&) = delete;

  /// Connects anew; an earlier connection is dropped.
  [[nodiscard]] CallResult<void> connect(DialConfig const& server);

  [[nodiscard]] CallResult<void> send(std::string_view text);

  /// Waits for the next message within the configured time.
  [[nodiscard]] CallResult<std::string> receive();

  /// Waits for the next message without a limit while the server answers pings.
  [[nodiscard]] CallResult<std::string> receive_patiently();

  /// Waits; shorter only if stopped.
  void pause(std::chrono::milliseconds time);

  /// Ends the call under way and all later ones with an error. Callable from any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::tools
