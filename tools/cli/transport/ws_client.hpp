#pragma once
// A WebSocket connection to a server: text messages out and in, and everything that waits can be stopped.

#include "tools/cli/transport/dial.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace whence::tools {

/// Speaks `whence.v1.json` on `GET /ws` (protocol, section 1). Used by one thread, but for `stop`. An operation that
/// fails for want of a connection ends in exit code `unreachable`; `connect` may be called again then.
class WsClient {
 public:
  explicit WsClient(DialConfig config);
  ~WsClient();
  WsClient(WsClient const&) = delete;
  WsClient& operator=(WsClient const&) = delete;

  /// Connects anew; what was connected before is dropped.
  [[nodiscard]] CallResult<void> connect();

  [[nodiscard]] CallResult<void> send(std::string_view text);

  /// Waits for the next message within the configured time.
  [[nodiscard]] CallResult<std::string> receive();

  /// Waits for the next message as long as the server shows signs of life: it is pinged where it is silent.
  [[nodiscard]] CallResult<std::string> receive_patiently();

  /// Waits; shorter only where stopped.
  void pause(std::chrono::milliseconds time);

  /// Ends the call under way and all later ones with an error. Callable from any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::tools
