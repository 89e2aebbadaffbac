#pragma once
// Calls a server by `POST /rpc`, over one connection kept open between calls.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/dial.hpp"

#include <memory>
#include <string>

namespace whence::tools {

/// Connects at the first call and again where the server closed the connection in between. A call is never sent
/// twice: without an answer it is unknown whether a write was committed.
class HttpCaller final : public Caller {
 public:
  explicit HttpCaller(DialConfig config);
  ~HttpCaller() override;

 private:
  [[nodiscard]] CallResult<std::string> exchange(std::string request) override;

  struct Connection;
  DialConfig config_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace whence::tools
