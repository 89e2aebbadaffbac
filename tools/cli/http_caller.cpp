// The HTTP client: Beast's asynchronous operations run to their end one by one, because only those can time out.

#include "tools/cli/http_caller.hpp"

#include "net/errors.hpp"

#include <future>
#include <limits>
#include <optional>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::system_error;

CallError unreachable(Url const& url, std::string_view why) {
  return {.exit = ExitCode::unreachable,
          .message = "no answer from " + authority_of(url) + ": " + std::string{why} +
                     " (is a server running there? `whence serve` starts one; `--db DIR` works without)"};
}

/// Refusals of HTTP that JSON-RPC has a code for, and how each ends.
struct Refusal {
  http::status status;
  ExitCode exit;
  std::optional<Errc> code = {};
};
constexpr Refusal refusals[] = {
    {http::status::unauthorized, ExitCode::failure, Errc::unauthenticated},
    {http::status::forbidden, ExitCode::failure, Errc::forbidden},
    {http::status::payload_too_large, ExitCode::invalid_input},
    {http::status::service_unavailable, ExitCode::unreachable},
};

/// An answer that is none of JSON-RPC's: refused before the method was looked at.
CallError refused(http::response<http::string_body> const& response) {
  CallError error{.message =
                      "the server answered HTTP " + std::to_string(response.result_int()) + " " + response.body()};
  for (Refusal const& refusal : refusals) {
    if (refusal.status != response.result()) continue;
    error.exit = refusal.exit;
    if (!refusal.code) continue;
    error.rpc_error = boost::json::object{{"code", net::wire_code(*refusal.code)}, {"message", error.message}};
  }
  return error;
}

}  // namespace

struct HttpCaller::Connection {
  explicit Connection(HttpCallerConfig const& configured) : config(configured) {}

  /// Runs one asynchronous operation to its end; throws system_error where it fails or the time is over.
  template <class Start>
  auto finish(Start&& start) {
    if (config.timeout.count() > 0) {
      tcp.expires_after(config.timeout);
    } else {
      tcp.expires_never();
    }
    auto done = start(asio::use_future);
    io.restart();
    io.run();
    return done.get();
  }

  void open() {
    asio::ip::tcp::resolver resolver{io};
    auto const endpoints = resolver.resolve(config.url.host, config.url.port);
    finish([&](auto token) { return tcp.async_connect(endpoints, token); });
    tcp.socket().set_option(asio::ip::tcp::no_delay{true});
    if (!config.url.is_tls) return;
    context.set_default_verify_paths();
    tls.emplace(tcp, context);
    tls->set_verify_mode(asio::ssl::verify_peer);
    tls->set_verify_callback(asio::ssl::host_name_verification{config.url.host});
    if (SSL_set_tlsext_host_name(tls->native_handle(), config.url.host.c_str()) != 1) {
      throw system_error{boost::system::errc::make_error_code(boost::system::errc::invalid_argument),
                         "SSL_set_tlsext_host_name"};
    }
    finish([&](auto token) { return tls->async_handshake(asio::ssl::stream_base::client, token); });
  }

  template <class Stream>
  http::response<http::string_body> exchange_on(Stream& stream, http::request<http::string_body> const& request) {
    try {
      finish([&](auto token) { return http::async_write(stream, request, token); });
    } catch (system_error const&) {
      // A server need not read what it refuses: its answer may be there. Where it is not, reading fails too.
    }
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    finish([&](auto token) { return http::async_read(stream, buffer, parser, token); });
    return parser.release();
  }

  http::response<http::string_body> exchange(http::request<http::string_body> const& request) {
    return tls ? exchange_on(*tls, request) : exchange_on(tcp, request);
  }

  /// Between calls nothing is due from the server: whatever can be read now is its goodbye.
  [[nodiscard]] bool is_stale() {
    boost::system::error_code failed;
    tcp.socket().non_blocking(true, failed);
    char byte = 0;
    tcp.socket().receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, failed);
    return failed != asio::error::would_block && failed != asio::error::try_again;
  }

  HttpCallerConfig const& config;
  asio::io_context io{1};
  asio::ssl::context context{asio::ssl::context::tls_client};
  beast::tcp_stream tcp{io};
  std::optional<asio::ssl::stream<beast::tcp_stream&>> tls;
  beast::flat_buffer buffer;
};

HttpCaller::HttpCaller(HttpCallerConfig config) : config_(std::move(config)) {}
HttpCaller::~HttpCaller() = default;

CallResult<std::string> HttpCaller::exchange(std::string request) {
  http::request<http::string_body> message{http::verb::post, "/rpc", 11, std::move(request)};
  message.set(http::field::host, authority_of(config_.url));
  message.set(http::field::content_type, "application/json");
  if (!config_.token.empty()) message.set(http::field::authorization, "Bearer " + config_.token);
  message.keep_alive(true);
  message.prepare_payload();
  try {
    if (connection_ && connection_->is_stale()) connection_.reset();
    if (!connection_) {
      connection_ = std::make_unique<Connection>(config_);
      connection_->open();
    }
    http::response<http::string_body> response = connection_->exchange(message);
    if (!response.keep_alive()) connection_.reset();
    if (response.result() != http::status::ok) return refused(response);
    return std::move(response.body());
  } catch (system_error const& failed) {
    connection_.reset();
    return unreachable(config_.url, failed.code().message());
  }
}

}  // namespace whence::tools
