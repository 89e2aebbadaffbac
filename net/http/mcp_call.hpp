#pragma once
// Serves one `POST /mcp`: a message of the Model Context Protocol, answered on a worker.

#include "net/access/grant.hpp"
#include "net/http/call.hpp"
#include "net/mcp/server.hpp"
#include "net/serving/namespaces.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/worker_pool.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

/// The refusal of a client of `/mcp` that takes no JSON (406). Nothing where nothing is wrong.
[[nodiscard]] std::optional<HttpAnswer> check_mcp_head(HttpRequest const& request);

/// What the head of a request to `/mcp` says of the message in it.
[[nodiscard]] mcp::Frame mcp_frame_of(HttpRequest const& request);

/// One request on the connection's context.
class McpCall final : public HttpCall {
 public:
  McpCall(std::shared_ptr<BufferedStream> stream, Namespace const& where, Grant grant, std::string peer,
          std::shared_ptr<PeerMemory> memory);

  /// The answer to `body`: 200 with JSON, or 202 where the message asks for none. By revision 2026-07-28 some errors
  /// have a status of their own.
  [[nodiscard]] Awaitable<HttpAnswer> run(std::string body, mcp::Frame frame);

  void abort() override;

 private:
  [[nodiscard]] Result<boost::json::value> call_method(std::string_view method, boost::json::object const& params);
  void post_step(std::function<void()> step);
  void begin(std::string const& body);
  void go_on();

  ServiceState& state_;  ///< outlives the workers
  Grant const grant_;
  std::string const peer_;
  std::shared_ptr<PeerMemory> const memory_;
  WorkQueue queue_;
  // Of the worker that has the call.
  mcp::Frame frame_ = {};
  mcp::Server::Sent sent_ = {};
  unsigned status_ = 200;
  std::size_t next_ = 0;
  boost::json::array answers_ = {};
  MemoryClaim held_{memory_};  ///< of what methods have answered
};

}  // namespace whence::net
