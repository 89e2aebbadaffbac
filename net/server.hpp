#pragma once
// The sockets: one port for HTTP and WebSocket, every connection a thin shell around a session.

#include "net/rpc/role.hpp"
#include "net/service.hpp"
#include "schema/base/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// A secret and what it allows.
struct Token {
  Role role;
  std::string secret;
};

/// Reads a token file: lines `ROLE TOKEN`, `#` lines and blank lines skipped. Fails with `invalid_params` naming file
/// and line where it cannot be read, names an unknown role, or holds no token.
[[nodiscard]] Result<std::vector<Token>> read_token_file(std::string const& path);

struct ServerConfig {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7411;       ///< 0: any
  std::vector<Token> tokens = {};  ///< empty: everybody is admin
  std::vector<std::string> allowed_origins = {};
  std::string explorer = {};       ///< folder of the page served at `/`; empty: a few words instead
  std::string tls_cert_file = {};  ///< PEM chain; with `tls_key_file` serves https and wss
  std::string tls_key_file = {};
  std::size_t message_bytes_max = std::size_t{16} << 20;
  std::uint32_t inflight_max = 64;
  std::uint32_t subscriptions_max = 256;
  std::size_t send_queue_bytes_max = std::size_t{4} << 20;
  std::chrono::seconds heartbeat{15};  ///< between two of a connection that has subscriptions
  std::chrono::seconds ping_idle{20};
  std::chrono::seconds hello_timeout{10};
  std::chrono::seconds drain_timeout{10};
  std::chrono::seconds header_timeout{10};      ///< for the first request's head, TLS included
  std::chrono::seconds keep_alive_timeout{60};  ///< from an answer to the end of the next request's head
  std::chrono::seconds body_timeout{30};        ///< for a body, and for each part of an answer to be taken
  std::size_t connections_max = 10'000;         ///< more are closed at once
  unsigned io_threads = 2;
  /// Told why a connection ended by an exception. From any I/O thread.
  std::function<void(std::string_view)> on_failure = {};
};

/// A listening server. `run` blocks; `drain` and `quit` may be called from any thread or signal-handling thread.
class Server {
 public:
  /// Binds and listens. Fails with `invalid_params` (host, TLS files, origins, beyond loopback without tokens),
  /// `not_found` (no explorer in its folder) or `conflict` (port in use). `service` and `engine` outlive it.
  /// Connections wait until `run`.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(Service& service, engine::Engine& engine,
                                                              ServerConfig const& config);
  ~Server();

  /// "http://HOST:PORT" (or https) with the real port.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;

  /// Serves until drained. Returns 0 after a drain, 1 after `quit`.
  int run();

  /// Stops in order: not ready at once; new connections and requests are refused, while `/readyz` goes on saying so;
  /// running requests finish within the drain timeout, what runs then is answered `busy`; connections close with 1001,
  /// and are cut after 2 s where the peer does not read. Then `run` returns. Again: no effect.
  void drain();
  /// Stops at once.
  void quit();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::net
