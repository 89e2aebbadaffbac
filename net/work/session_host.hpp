#pragma once
// The interface through which a session acts on the connection that carries it.

#include "schema/base/error.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace whence::net {

/// A connection as its session sees it. Implemented by the WebSocket connection, by one `POST /rpc` and by tests.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  /// Queues one text message. On the connection's strand.
  virtual void send(std::string text) = 0;
  /// A text to write a message in: empty, perhaps with the memory of one that was sent. On the connection's strand.
  [[nodiscard]] virtual std::string empty_text() { return {}; }
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
  /// A notification was not carried out, and has no answer that says so. On the strand.
  virtual void on_unanswered(Error const& /*error*/) {}
  /// `Session::is_behind` was true and is false again. On the strand.
  virtual void on_caught_up() {}
};

}  // namespace whence::net
