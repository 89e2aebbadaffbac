#pragma once
// The settings of a server: where it listens, which clients it admits, and its limits.

#include "net/access/token_file.hpp"
#include "net/access/trusted_proxies.hpp"
#include "net/base/log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

class Service;
namespace bolt {
class QueryRunner;
}

/// Where Bolt has a port of its own.
struct BoltAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7687;  ///< 0: any
  int socket = -1;            ///< as `ServerConfig::socket`
};

/// Where `/metrics`, `/healthz` and `/readyz` have an address of their own.
struct MetricsAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any
};

struct ServerConfig {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7411;       ///< 0: any
  int socket = -1;                 ///< a descriptor that listens on `host` and `port` already; -1: none
  std::vector<Token> tokens = {};  ///< empty: everybody is admin
  std::vector<std::string> allowed_origins = {};
  std::string explorer = {};       ///< folder of the page served at `/`; empty: a few words instead
  std::string tls_cert_file = {};  ///< PEM chain; with `tls_key_file` serves https and wss
  std::string tls_key_file = {};
  std::string tls_client_ca_file = {};       ///< PEM; client certificates of these authorities are taken; empty: none
  std::string tls_client_crl_file = {};      ///< PEM; certificates that these authorities revoked; empty: none
  std::optional<Role> tls_client_role = {};  ///< of such a certificate that no line of a token file names
  ProxySettings proxies = {};                ///< that say who a request is from
  std::size_t message_bytes_max = std::size_t{16} << 20;
  std::uint32_t inflight_max = 64;
  std::uint32_t subscriptions_max = 256;
  std::size_t send_queue_bytes_max = std::size_t{4} << 20;
  std::chrono::seconds heartbeat{15};  ///< between two of a connection that has subscriptions
  std::chrono::seconds ping_idle{20};
  std::chrono::seconds hello_timeout{10};
  std::chrono::seconds drain_timeout{10};
  std::chrono::seconds header_timeout{10};                  ///< for the first request's head, TLS included
  std::chrono::seconds keep_alive_timeout{60};              ///< from an answer to the end of the next request's head
  std::chrono::seconds body_timeout{30};                    ///< for a body, and for each part of an answer to be taken
  std::chrono::milliseconds idle_transaction_max{300'000};  ///< of Bolt: an open one of which nothing is asked ends
  std::size_t connections_max = 10'000;                     ///< more are closed at once
  unsigned io_threads = 2;
  std::optional<BoltAddress> bolt = {};        ///< beside `/bolt` on the main port; needs `make_runner`
  std::optional<MetricsAddress> metrics = {};  ///< beside these paths on the main port
  /// Makes what runs the statements of Bolt on a service; it outlives the server's connections. Empty: Bolt is not
  /// spoken.
  std::function<std::shared_ptr<bolt::QueryRunner>(Service&)> make_runner = {};
  LogSink log = {};  ///< receives who was refused, where that is of no store; empty: no listener
  /// Receives why a connection ended by an exception. Called from any I/O thread.
  std::function<void(std::string_view)> on_failure = {};
};

}  // namespace whence::net
