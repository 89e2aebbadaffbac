#pragma once
// The state that all connections of one server share.

#include "net/access/audit.hpp"
#include "net/access/trusted_proxies.hpp"
#include "net/serving/current.hpp"
#include "net/serving/namespaces.hpp"
#include "net/serving/origin.hpp"
#include "net/serving/page_files.hpp"
#include "net/serving/request_reader.hpp"
#include "net/serving/server_config.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/session_config.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/ssl/context.hpp>

namespace whence::net {

/// The one subprotocol.
inline constexpr std::string_view subprotocol_name = "whence.v1.json";

/// The address at which a connection came.
enum class Arriving : std::uint8_t { main, bolt, metrics };

/// What `/metrics` says of connections. Any thread may count.
struct ShellCounts {
  std::atomic<std::uint64_t> websockets{0};           ///< open ones
  std::atomic<std::uint64_t> bolt_connections{0};     ///< open ones
  std::atomic<std::uint64_t> metrics_connections{0};  ///< open ones, which are not among `connections`
  std::atomic<std::uint64_t> busy_http{0};            ///< calls answered 503 while the server was not stopping
  std::atomic<std::uint64_t> busy_websockets{0};      ///< closed with 1013
  std::atomic<std::uint64_t> busy_connections{0};     ///< closed at once: there were too many
  std::atomic<std::uint64_t> busy_bolt{0};            ///< requests of Bolt refused for want of room, while not stopping
};

/// Immutable but for its atomics and what a reload replaces; any thread may read it. Outlives every connection.
struct ServerShared {
  ServerConfig const config;
  Namespaces const namespaces;
  std::shared_ptr<MemoryBudget> const memory;      ///< of what requests hold, of all stores
  std::map<Arriving, OriginPolicy> const origins;  ///< of each address that is listened at
  TrustedProxies const proxies;                    ///< that say who a request is from
  PageFiles const pages;                           ///< of the explorer
  Current<boost::asio::ssl::context> tls;          ///< of new connections; none: plain
  std::atomic<bool> is_draining{false};
  std::atomic<std::uint64_t> connections{0};  ///< open ones, HTTP and WebSocket
  ShellCounts mutable counts = {};
  std::atomic<std::int64_t> plain_told_s{0};  ///< when the log last said that a peer lacks TLS, on the steady clock
  std::atomic<std::uint64_t> client_authority{0};  ///< grows when other client certificates are trusted than before
  std::shared_ptr<Audit> const audit;              ///< of what is of no store

  /// The settings of a session in a namespace, of somebody with `grant` at the address `peer`.
  [[nodiscard]] SessionConfig session_config(Namespace const& where, Grant grant, std::string peer) const {
    SessionConfig result{.message_bytes_max = config.message_bytes_max,
                         .inflight_max = config.inflight_max,
                         .subscriptions_max = config.subscriptions_max,
                         .heartbeat = config.heartbeat,
                         .grant = std::move(grant),
                         .peer = std::move(peer),
                         .is_reported = where.engine != nullptr};
    if (!where.tokens.get()->is_open()) {
      result.find_grant = [&where](std::string_view secret) { return where.tokens.get()->find(secret, where.now()); };
    }
    return result;
  }
};

}  // namespace whence::net
