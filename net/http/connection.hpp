#pragma once
// One accepted connection from its first byte to its last: HTTP/1.1 requests, and perhaps an upgrade to WebSocket.

#include "net/http/call.hpp"
#include "net/http/routes.hpp"
#include "net/http/shared.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/websocket/ws_connection.hpp"

#include <memory>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace whence::net {

/// Runs on the context of its socket; every member is called there. `run` keeps the connection alive.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Socket socket, ServerShared& shared);
  ~HttpConnection();
  HttpConnection(HttpConnection const&) = delete;
  HttpConnection& operator=(HttpConnection const&) = delete;

  /// Serves until the connection ends.
  [[nodiscard]] Awaitable<void> run();

  /// Called a few times a second: time limits are checked here, so that no message pays for a timer of its own.
  void on_tick(Moment now);

  // Draining, in this order.
  void drain();                        ///< new requests are refused
  [[nodiscard]] bool is_idle() const;  ///< nothing is being answered
  void finish();                       ///< answers what still runs with `busy` and closes in order
  void cut() { stream_->close(); }     ///< closes at once

  /// Ends the session, where there is one; its service may go afterwards.
  void end() noexcept;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  enum class Next { request, close };

  [[nodiscard]] Awaitable<void> serve_requests();
  [[nodiscard]] Awaitable<Next> serve_request(Parser& parser);
  [[nodiscard]] Awaitable<Next> serve_call(Parser& parser, Role role);
  [[nodiscard]] Awaitable<void> send_queued();
  [[nodiscard]] Awaitable<Next> refuse_broken(Parser& parser, error_code ec);
  [[nodiscard]] Awaitable<void> serve_websocket(HttpRequest const& request, Role role);
  [[nodiscard]] Awaitable<Next> write(HttpRequest const& request, HttpAnswer answer, bool may_keep_alive);
  /// The answer's head, then what `response` holds as its body.
  template <class Body>
  [[nodiscard]] Awaitable<Next> send(HttpRequest const& request, HttpAnswer& answer,
                                     boost::beast::http::response<Body>& response, bool may_keep_alive);
  void allow_for(std::chrono::seconds time);

  ServerShared& shared_;
  std::shared_ptr<BufferedStream> stream_;
  boost::beast::flat_buffer read_ahead_;
  Circumstances circumstances_;
  std::shared_ptr<WsConnection> websocket_;  ///< from the upgrade on
  std::shared_ptr<HttpCall> call_;           ///< while one runs
  bool is_finishing_ = false;
};

}  // namespace whence::net
