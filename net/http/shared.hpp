#pragma once
// The state that all connections of one server share.

#include "engine/engine.hpp"
#include "net/http/current.hpp"
#include "net/http/origin.hpp"
#include "net/http/page_files.hpp"
#include "net/http/request_reader.hpp"
#include "net/http/token.hpp"
#include "net/server_config.hpp"
#include "net/service.hpp"
#include "net/session/session_config.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include <boost/asio/ssl/context.hpp>

namespace whence::net {

/// The one subprotocol.
inline constexpr std::string_view subprotocol_name = "whence.v1.json";

/// Immutable but for its atomics and what a reload replaces; any thread may read it. Outlives every connection.
struct ServerShared {
  Service& service;
  engine::Engine& engine;
  ServerConfig const config;
  Current<TokenTable const> tokens;
  OriginPolicy const origins;
  PageFiles const pages;                   ///< of the explorer
  Current<boost::asio::ssl::context> tls;  ///< of new connections; none: plain
  std::atomic<bool> is_draining{false};
  std::atomic<std::uint64_t> connections{0};  ///< open ones, HTTP and WebSocket

  /// The settings of a session on a connection with this role.
  [[nodiscard]] SessionConfig session_config(Role role) const {
    SessionConfig result{.message_bytes_max = config.message_bytes_max,
                         .inflight_max = config.inflight_max,
                         .subscriptions_max = config.subscriptions_max,
                         .heartbeat = config.heartbeat,
                         .role = role};
    if (!tokens.get()->is_open()) {
      result.find_role = [this](std::string_view secret) { return tokens.get()->find_role(secret); };
    }
    return result;
  }
};

}  // namespace whence::net
