#pragma once
// One connection's protocol state, without sockets: messages in, actions out.

#include "net/rpc/role.hpp"
#include "net/service.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace whence::net {

/// What a session asks of the connection that carries it.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  /// Queues one text message. On the connection's strand.
  virtual void send(std::string text) = 0;
  /// Closes after what is queued has been sent. On the connection's strand.
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
  /// Runs `task` on the connection's strand, later, never inside the call. From any thread; a task for a connection
  /// that is gone is dropped.
  virtual void post(std::function<void()> task) = 0;
  /// Whether so much is queued that streams should pause. After it was true, call `Session::on_drained` once it is
  /// false again. On the connection's strand.
  [[nodiscard]] virtual bool is_congested() const { return false; }
  /// Whether little enough is queued that events should be sent. After it was false, call `Session::on_drained` once it
  /// is true again. On the connection's strand.
  [[nodiscard]] virtual bool has_room() const { return !is_congested(); }
  /// Nothing is in flight any more: every message so far has been answered or needs no answer. Called on the strand
  /// after the last answer was sent, and after a message that left nothing in flight.
  virtual void on_idle() {}
  /// `Session::is_behind` was true and is false again. On the strand.
  virtual void on_caught_up() {}
};

struct SessionConfig {
  std::size_t message_bytes_max = std::size_t{16} << 20;  ///< announced in hello; the shell enforces it
  std::uint32_t inflight_max = 64;                        ///< requests at once; a batch counts as one
  std::uint32_t subscriptions_max = 256;
  std::chrono::milliseconds heartbeat{15'000};  ///< between two `$/heartbeat`
  Role role = Role::admin;  ///< what the handshake established; `none` demands a `session.hello` with a token
  std::function<Role(std::string_view secret)> find_role =
      {};  ///< role of a token, `none` for a wrong one; empty: no tokens are configured
  /// For a carrier of one message and its one answer (`POST /rpc`): no `session.*` methods, no streaming, no progress.
  /// The answer, if there is one, was sent when `SessionHost::on_idle` is called.
  bool is_one_message = false;
};

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

  struct Impl;

 private:
  explicit Session(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace whence::net
