// The WebSocket client on Beast.

#include "tools/cli/transport/ws_client.hpp"

#include "net/stream/close_codes.hpp"
#include "tools/cli/transport/dial_stream.hpp"

#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace whence::tools {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::system_error;

/// A server that is silent for half of it is pinged; one that is silent for all of it is given up. Twice the server's
/// own interval of pings, so that a live server is rarely pinged.
constexpr std::chrono::seconds silence_max{40};

/// The contents of the server's close frame.
std::string reason_of(websocket::close_reason const& close) {
  std::string text = "closed with " + std::to_string(close.code);
  if (!close.reason.empty()) text.append(" ").append(close.reason.data(), close.reason.size());
  return text;
}

}  // namespace

struct WsClient::Impl {
  /// A connection and its read buffer. Without deflate, which the server does not offer.
  struct Connection {
    Connection(OperationLoop& running, DialConfig const& config)
        : loop(running), stream(running, config), socket(stream) {
      socket.read_message_max(0);  // one transaction may be larger than any request
      socket.set_option(websocket::stream_base::timeout{
          .handshake_timeout = websocket::stream_base::none(), .idle_timeout = silence_max, .keep_alive_pings = true});
      socket.set_option(websocket::stream_base::decorator{[&config](websocket::request_type& request) {
        request.set(http::field::sec_websocket_protocol, "whence.v1.json");
        if (!config.token.empty()) request.set(http::field::authorization, "Bearer " + config.token);
      }});
    }

    std::string read(bool is_timed) {
      buffer.clear();
      auto start = [this](auto token) { return socket.async_read(buffer, token); };
      if (is_timed) {
        stream.finish(start);
      } else {
        stream.lift_timeout();
        loop.finish(start);
      }
      return beast::buffers_to_string(buffer.cdata());
    }

    OperationLoop& loop;
    DialStream stream;
    websocket::stream<DialStream&, false> socket;
    beast::flat_buffer buffer;
  };

  [[nodiscard]] CallError lost(std::string_view why) const {
    return {.exit = ExitCode::unreachable,
            .message = "lost the connection to " + authority_of(config.url) + ": " + std::string{why}};
  }

  /// Ends the connection because of `failed` and returns the reason. The server's close frame, if any, is a better
  /// reason than the error that followed.
  std::string drop(system_error const& failed) {
    bool const is_closed = connection && connection->socket.reason().code != websocket::close_code::none;
    std::string why = is_closed ? reason_of(connection->socket.reason()) : failed.code().message();
    connection.reset();
    return why;
  }

  CallResult<void> connect(DialConfig const& server) {
    connection.reset();
    config = server;
    websocket::response_type response;
    try {
      connection.emplace(loop, config);
      connection->stream.open();
      std::string const host = authority_of(config.url);
      std::string const path = config.url.path + "/ws";
      connection->stream.finish(
          [&](auto token) { return connection->socket.async_handshake(response, host, path, token); });
      return {};
    } catch (system_error const& failed) {
      if (dynamic_cast<TlsFailure const*>(&failed) != nullptr) return not_connected(config.url, failed, "");
      std::string const why = drop(failed);
      if (failed.code() == websocket::error::upgrade_declined) {
        return refused(config, response.result_int(), response.body());
      }
      return unreachable(config.url, why, "");
    }
  }

  template <class Operation>
  auto run(Operation&& operation) -> CallResult<std::invoke_result_t<Operation, Connection&>> {
    if (!connection) return lost("not connected");
    try {
      return operation(*connection);
    } catch (system_error const& failed) {
      return lost(drop(failed));
    }
  }

  DialConfig config;  ///< of the connection
  OperationLoop loop;
  std::optional<Connection> connection;  // declared after the loop, so that its operations end first
};

WsClient::WsClient() : impl_(std::make_unique<Impl>()) {}
WsClient::~WsClient() = default;

CallResult<void> WsClient::connect(DialConfig const& server) {
  return impl_->connect(server);
}

CallResult<void> WsClient::send(std::string_view text) {
  auto const sent = impl_->run([text](Impl::Connection& to) {
    return to.stream.finish([&](auto token) { return to.socket.async_write(asio::buffer(text), token); });
  });
  if (!sent) return sent.error();
  return {};
}

CallResult<std::string> WsClient::receive() {
  return impl_->run([](Impl::Connection& from) { return from.read(true); });
}

CallResult<std::string> WsClient::receive_patiently() {
  return impl_->run([](Impl::Connection& from) { return from.read(false); });
}

void WsClient::pause(std::chrono::milliseconds time) {
  asio::steady_timer timer{impl_->loop.io(), time};
  try {
    impl_->loop.finish([&](auto token) { return timer.async_wait(token); });
  } catch (system_error const&) {
    // A stop ends the pause early.
  }
}

void WsClient::stop() {
  impl_->loop.stop();
}

}  // namespace whence::tools
