#pragma once
// Calls a server by `POST /rpc`, over one connection kept open between calls.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/dial.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace whence::tools {

/// Connects at the first call and again where the server closed the connection in between. A call is never sent
/// twice: without an answer it is unknown whether a write was committed.
class HttpCaller final : public TextCaller {
 public:
  explicit HttpCaller(DialConfig config);
  ~HttpCaller() override;

  /// Sends `body`, which is JSON, by POST to `path`, and returns the body of the answer. Fails as a call, with the HTTP
  /// status where that is not 200.
  [[nodiscard]] CallResult<std::string> post(std::string_view path, std::string body);

 private:
  [[nodiscard]] CallResult<std::string> exchange(std::string request) override;

  struct Connection;
  DialConfig config_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace whence::tools
