#pragma once
// Serves one `POST /mcp`: a message of the Model Context Protocol, answered on a worker.

#include "net/access/grant.hpp"
#include "net/http/namespaces.hpp"
#include "net/http/routes.hpp"
#include "net/http/running_call.hpp"
#include "net/stream/asio.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/work/worker_pool.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace whence::net {

/// What is wrong with the head of a request to `/mcp`: a protocol revision that is not spoken (400), or a client that
/// takes no JSON (406). Nothing where nothing is.
[[nodiscard]] std::optional<HttpAnswer> check_mcp_head(HttpRequest const& request);

/// One request on the connection's context.
class McpCall final : public RunningCall, public std::enable_shared_from_this<McpCall> {
 public:
  McpCall(std::shared_ptr<BufferedStream> stream, Namespace const& where, Grant grant, std::string peer);

  /// The answer to `body`: 200 with JSON, or 202 where the message asks for none.
  [[nodiscard]] Awaitable<HttpAnswer> run(std::string body);

  void abort() override;
  void end() noexcept override;

 private:
  void evaluate(std::string const& body);
  void finish(HttpAnswer answer);
  void settle(HttpAnswer answer);

  std::mutex mutex_;
  std::shared_ptr<BufferedStream> stream_;  ///< until `end`; guarded by mutex_ against other threads
  ServiceState& state_;                     ///< outlives the workers
  Grant const grant_;
  std::string const peer_;
  WorkQueue queue_;
  HttpAnswer answer_;
  bool is_done_ = false;
};

}  // namespace whence::net
