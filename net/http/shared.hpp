#pragma once
// The state that all connections of one server share.

#include "net/http/current.hpp"
#include "net/http/namespaces.hpp"
#include "net/http/origin.hpp"
#include "net/http/page_files.hpp"
#include "net/http/request_reader.hpp"
#include "net/server_config.hpp"
#include "net/session/session_config.hpp"
#include "net/work/memory_budget.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/ssl/context.hpp>

namespace whence::net {

/// The one subprotocol.
inline constexpr std::string_view subprotocol_name = "whence.v1.json";

/// Immutable but for its atomics and what a reload replaces; any thread may read it. Outlives every connection.
struct ServerShared {
  ServerConfig const config;
  Namespaces const namespaces;
  std::shared_ptr<MemoryBudget> const memory;  ///< of what requests hold, of all stores
  OriginPolicy const origins;
  std::optional<OriginPolicy> const bolt_origins;  ///< of WebSockets on Bolt's own port
  PageFiles const pages;                           ///< of the explorer
  Current<boost::asio::ssl::context> tls;          ///< of new connections; none: plain
  std::atomic<bool> is_draining{false};
  std::atomic<std::uint64_t> connections{0};  ///< open ones, HTTP and WebSocket

  /// The settings of a session with this role in a namespace.
  [[nodiscard]] SessionConfig session_config(Namespace const& where, Role role) const {
    SessionConfig result{.message_bytes_max = config.message_bytes_max,
                         .inflight_max = config.inflight_max,
                         .subscriptions_max = config.subscriptions_max,
                         .heartbeat = config.heartbeat,
                         .role = role,
                         .is_reported = where.engine != nullptr};
    if (!where.tokens.get()->is_open()) {
      result.find_role = [&where](std::string_view secret) { return where.tokens.get()->find_role(secret); };
    }
    return result;
  }
};

}  // namespace whence::net
