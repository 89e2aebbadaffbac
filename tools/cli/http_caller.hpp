#pragma once
// Calls a server by `POST /rpc`, over one connection kept open between calls.

#include "tools/cli/caller.hpp"
#include "tools/cli/url.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace whence::tools {

struct HttpCallerConfig {
  Url url;
  std::string token = {};  ///< sent as `Authorization: Bearer`; empty: none
  /// Of each step of a call (connecting, sending, waiting for the answer); zero: as long as it takes.
  std::chrono::milliseconds timeout{60'000};
};

/// Connects at the first call and again where the server closed the connection in between. A call is never sent
/// twice: without an answer it is unknown whether a write was taken. TLS certificates are checked against the system's
/// authorities and the host name.
class HttpCaller final : public Caller {
 public:
  explicit HttpCaller(HttpCallerConfig config);
  ~HttpCaller() override;

 private:
  [[nodiscard]] CallResult<std::string> exchange(std::string request) override;

  struct Connection;
  HttpCallerConfig config_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace whence::tools
