#pragma once
// One connection's protocol state, without sockets: messages in, actions out.

#include "net/work/session_config.hpp"
#include "net/work/session_host.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace whence::net {

class Service;
class SessionState;

/// The state of one connection: hello, requests in flight, streams and their credit, cancelling, subscriptions. All
/// members run on the connection's strand; work that leaves it comes back through `SessionHost::post`.
class Session {
 public:
  /// `host` outlives the session's last call of it, which is before `on_closed` returns. `service` outlives the
  /// session.
  static std::shared_ptr<Session> make(Service& service, SessionConfig config, SessionHost& host);
  /// As `on_closed`.
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  /// One text message from the peer. The view need not outlive the call.
  void on_text(std::string_view message);

  /// The send queue has room again after `SessionHost::is_congested` or `has_room`: streams and subscriptions go on.
  void on_drained();

  /// Whether so many messages wait to be parsed (on a worker, because one of them is large) that the shell should read
  /// no more until `SessionHost::on_caught_up`.
  [[nodiscard]] bool is_behind() const;

  /// Whether a hello with a token is still missing; the shell closes with 4408 when that lasts too long.
  [[nodiscard]] bool awaits_hello() const;

  /// To be called about four times a second.
  void on_tick();

  /// From now on new requests are answered `busy`.
  void drain();
  /// Answers what still runs with `busy` and forgets it.
  void abort_running();
  /// After `abort_running`: each subscription gets what is committed and ends, then the connection closes. At once
  /// where there is none.
  void finish(std::uint16_t code, std::string_view reason);
  /// Whether nothing is in flight.
  [[nodiscard]] bool is_idle() const;

  /// The connection is gone: cancels everything but writes, calls the host no more.
  void on_closed();

 private:
  explicit Session(std::shared_ptr<SessionState> state);
  std::shared_ptr<SessionState> state_;
};

}  // namespace whence::net
