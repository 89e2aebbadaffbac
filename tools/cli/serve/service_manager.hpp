#pragma once
// The server's side of a service manager: what it hears (sd_notify) and the sockets it opened (socket activation).

#include "schema/base/error.hpp"
#include "tools/cli/serve/log.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::tools {

/// Says to systemd, or what speaks its protocol (`NOTIFY_SOCKET`, see sd_notify(3)), the state of the server. Without a
/// manager every call does nothing. Of libsystemd two functions would be used, each a few lines: it is not linked.
class ServiceManager {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. `log`, which outlives it, has a warning of a value that is
  /// not understood, and of the first message that could not be sent.
  explicit ServiceManager(ServeLog& log);

  /// Sends `state`, lines `NAME=VALUE`, as one datagram. From any thread; does not wait.
  void tell(std::string const& state) const;

  /// Within this time `WATCHDOG=1` is to be sent, again and again; nothing where there is no watchdog.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const noexcept { return watchdog_; }

 private:
  void warn(std::string const& what) const;

  ServeLog& log_;
  std::string address_ = {};  ///< a path, or `@` and an abstract name; empty: there is no manager
  std::optional<std::chrono::microseconds> watchdog_ = {};
  mutable std::atomic<bool> has_warned_ = false;
};

/// `RELOADING=1` with the time that belongs to it; `READY=1` ends it.
[[nodiscard]] std::string reloading_state();

/// A socket that listens already.
struct GivenSocket {
  int descriptor = -1;
  std::string address = {};  ///< `HOST:PORT`, as `--listen` has it
};

struct GivenSockets {
  std::optional<GivenSocket> http = {};
  std::optional<GivenSocket> bolt = {};
};

/// The sockets that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES give to this process (sd_listen_fds(3)); none where they
/// give none. One socket is of HTTP unless it is named `bolt`; two are named `http` and `bolt`. They are closed where
/// another program is run. Fails with `invalid_params`, the message naming the variable or the descriptor, where they
/// are more, named otherwise, or no TCP sockets that listen.
[[nodiscard]] Result<GivenSockets> take_sockets();

}  // namespace whence::tools
