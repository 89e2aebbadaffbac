#pragma once
// The sockets: one port for HTTP and WebSocket, every connection a thin shell around a session.

#include "net/access/reload.hpp"
#include "net/service/service.hpp"
#include "net/serving/served_store.hpp"
#include "net/serving/server_config.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whence::net {

/// Tokens that were read again, by the name of their namespace; the root's is empty. Those of others stay.
using ReadTokens = std::map<std::string, std::vector<Token>, std::less<>>;

/// A listening server. `run` blocks; `drain` and `quit` may be called from any thread or signal-handling thread.
class Server {
 public:
  /// Binds and listens, or takes the sockets that listen already (`ServerConfig::socket`), whose owner it then is where
  /// it succeeds. Fails with `invalid_params` (host, TLS files, origins, beyond loopback without tokens),
  /// `not_found` (no explorer in its folder) or `conflict` (port in use). `service` and `engine` outlive it.
  /// Connections wait until `run`.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(Service& service, engine::Engine& engine,
                                                              ServerConfig const& config);
  /// The same of several stores, at least one. They share their memory and workers; their names are different names of
  /// namespaces (`invalid_params`). Tokens are needed of all or of none: `ServerConfig::tokens` are those of the root,
  /// also where no store is there.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(std::span<ServedStore const> stores,
                                                              ServerConfig const& config);
  ~Server();

  /// "http://HOST:PORT" (or https) with the real port.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;
  /// "bolt://HOST:PORT" (or bolt+s) with the real port of Bolt; empty where it has none of its own.
  [[nodiscard]] std::string bolt_address() const;
  /// "http://HOST:PORT" (or https) of the address that is for watching alone; empty where there is none.
  [[nodiscard]] std::string metrics_address() const;

  /// Serves until drained. Returns 0 after a drain, 1 after `quit`.
  int run();

  /// Takes `tokens` and reads the TLS files again. All or nothing: fails with `invalid_params`
  /// where a TLS file is broken. Requests that come later are checked against the new tokens; a WebSocket whose token
  /// is gone, or has another role now, is closed with 1008. New connections get the new certificate. No list of
  /// `tokens` is empty; a server without tokens keeps none. One call at a time.
  [[nodiscard]] Result<Reloaded> reload(ReadTokens const& tokens);

  /// Calls `done` once for each I/O thread, on it, as soon as it has time; of one that hangs never. Returns how many
  /// there are.
  std::size_t ask_io_threads(std::function<void()> const& done);

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
