#pragma once
// One accepted connection from its first byte to its last: HTTP/1.1 requests, perhaps an upgrade to WebSocket; or Bolt.

#include "net/http/call.hpp"
#include "net/http/capture_protocol.hpp"
#include "net/pages/routes.hpp"
#include "net/serving/request_reader.hpp"
#include "net/serving/shared.hpp"
#include "net/serving/upgraded.hpp"
#include "net/stream/buffered_stream.hpp"

#include <cstdint>
#include <memory>

#include <boost/beast/http/message.hpp>

namespace whence::net {

/// Runs on the context of its socket; every member is called there. `run` keeps the connection alive.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Socket socket, ServerShared& shared, Arriving arriving);
  ~HttpConnection();
  HttpConnection(HttpConnection const&) = delete;
  HttpConnection& operator=(HttpConnection const&) = delete;

  /// Serves until the connection ends.
  [[nodiscard]] Awaitable<void> run();

  /// Called a few times a second: time limits are checked here, so that no message pays for a timer of its own.
  void on_tick(Moment now);

  /// The server's tokens have changed. HTTP checks each request anyway.
  void check_token();

  // Draining, in this order.
  void drain();                        ///< new requests are refused
  [[nodiscard]] bool is_idle() const;  ///< nothing is being answered
  void finish();                       ///< answers what still runs with `busy` and closes in order
  void cut() { stream_->close(); }     ///< closes at once

  /// Ends the session, where there is one; its service may go afterwards.
  void end() noexcept;

 private:
  enum class Next { request, close };

  [[nodiscard]] Awaitable<void> serve_requests();
  [[nodiscard]] Awaitable<Next> serve_request(RequestParser& parser);
  /// A body of one JSON message, for `/rpc` or `/mcp`.
  [[nodiscard]] Awaitable<Next> serve_message(RequestParser& parser, Admission const& admission);
  [[nodiscard]] Awaitable<Next> serve_capture(RequestParser& parser, Admission const& admission,
                                              std::shared_ptr<CaptureProtocol const> protocol);
  /// Reads the rest of a request, which has the time of a body.
  [[nodiscard]] Awaitable<error_code> read_body(RequestParser& parser);
  [[nodiscard]] Awaitable<void> send_queued();
  void tell_of_plain_peer() const;
  [[nodiscard]] Awaitable<Next> refuse_broken(RequestParser& parser, error_code ec);
  [[nodiscard]] Awaitable<void> serve_websocket(HttpRequest const& request, Admission const& admission);
  [[nodiscard]] Awaitable<void> serve_bolt(HttpRequest const& request, Admission const& admission);
  /// Bolt's own port: false where HTTP is spoken there.
  [[nodiscard]] Awaitable<bool> serve_bolt_bytes();
  [[nodiscard]] Awaitable<Next> write(HttpRequest const& request, HttpAnswer answer, bool may_keep_alive);
  /// The answer's head, then what `response` holds as its body.
  template <class Body>
  [[nodiscard]] Awaitable<Next> send(HttpRequest const& request, HttpAnswer& answer,
                                     boost::beast::http::response<Body>& response, bool may_keep_alive);
  void allow_for(std::chrono::seconds time);
  void run_out_of_time(Moment now);
  [[nodiscard]] bool has_left(Moment now);
  [[nodiscard]] bool holds_up_others(Moment now);

  ServerShared& shared_;
  std::shared_ptr<BufferedStream> stream_;
  RequestReader reader_;
  std::shared_ptr<PeerMemory> memory_;
  MemoryClaim incoming_;  ///< of a call's body
  Circumstances circumstances_;
  std::uint64_t authority_ = 0;           ///< `ServerShared::client_authority` when it was accepted
  std::shared_ptr<Upgraded> upgraded_;    ///< from the upgrade on, or on Bolt's port from the first byte on
  std::shared_ptr<HttpCall> running_;     ///< the request that is being answered
  std::optional<Moment> half_closed_at_;  ///< while a request runs: since when the peer sends nothing any more
  std::optional<Moment> unread_since_;    ///< while much is queued: since when the peer takes nothing of it
  std::uint64_t taken_before_ = 0;        ///< by the peer, at the last tick
  bool is_reading_ = false;               ///< a request
  bool is_out_of_time_ = false;  ///< a request did not arrive in time: its sender hears so, then the connection ends
  bool is_finishing_ = false;
};

}  // namespace whence::net
