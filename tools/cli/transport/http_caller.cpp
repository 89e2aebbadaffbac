// The HTTP client.

#include "tools/cli/transport/http_caller.hpp"

#include "tools/cli/transport/dial_stream.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace whence::tools {
namespace {

namespace http = boost::beast::http;
using boost::system::system_error;

}  // namespace

struct HttpCaller::Connection {
  explicit Connection(DialConfig const& config) : stream(loop, config) { stream.open(); }

  http::response<http::string_body> exchange(http::request<http::string_body> const& request) {
    try {
      stream.finish([&](auto token) { return http::async_write(stream, request, token); });
    } catch (system_error const&) {
      // A server need not read a request that it refuses, so its answer may be there. If not, reading fails too.
    }
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    stream.finish([&](auto token) { return http::async_read(stream, buffer, parser, token); });
    return parser.release();
  }

  OperationLoop loop;
  DialStream stream;
  boost::beast::flat_buffer buffer;
};

HttpCaller::HttpCaller(DialConfig config) : config_(std::move(config)) {}
HttpCaller::~HttpCaller() = default;

CallResult<std::string> HttpCaller::exchange(std::string request) {
  return post("/rpc", std::move(request));
}

CallResult<std::string> HttpCaller::post(std::string_view path, std::string body) {
  std::string const target = config_.url.path + std::string{path};
  http::request<http::string_body> message{http::verb::post, target, 11, std::move(body)};
  message.set(http::field::host, authority_of(config_.url));
  message.set(http::field::content_type, "application/json");
  if (!config_.token.empty()) message.set(http::field::authorization, "Bearer " + config_.token);
  message.keep_alive(true);
  message.prepare_payload();
  bool has_begun = false;
  try {
    // Between calls the server sends nothing.
    if (connection_ && connection_->stream.is_readable()) connection_.reset();
    if (!connection_) connection_ = std::make_unique<Connection>(config_);
    has_begun = true;
    http::response<http::string_body> response = connection_->exchange(message);
    if (!response.keep_alive()) connection_.reset();
    if (response.result() != http::status::ok) return refused(config_, response.result_int(), response.body());
    return std::move(response.body());
  } catch (system_error const& failed) {
    connection_.reset();
    CallError error = not_connected(config_.url, failed, "; `--db DIR` works without");
    error.has_begun = has_begun;
    return error;
  }
}

}  // namespace whence::tools
