#pragma once
// A connection that speaks another protocol than HTTP from its upgrade, or from its first byte, on.

#include "net/stream/buffered_stream.hpp"

namespace whence::net {

/// As its HTTP connection sees it: every member is called on the connection's context.
class Upgraded {
 public:
  virtual ~Upgraded() = default;

  /// Called a few times a second: time limits are checked here.
  virtual void on_tick(Moment now) = 0;
  /// The server's tokens have changed: closes where the connection's hold no more.
  virtual void check_token() = 0;

  // Draining, in this order.
  virtual void drain() = 0;                        ///< new requests are refused
  [[nodiscard]] virtual bool is_idle() const = 0;  ///< nothing is being answered
  virtual void finish() = 0;                       ///< answers what still runs and closes in order

  /// Cancels what runs; its service may go afterwards.
  virtual void end() noexcept = 0;
};

}  // namespace whence::net
