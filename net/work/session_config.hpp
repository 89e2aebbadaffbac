#pragma once
// The settings of one connection's session.

#include "net/access/grant.hpp"
#include "net/access/role.hpp"
#include "net/tracing/trace_context.hpp"
#include "net/work/memory_budget.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net {

struct SessionConfig {
  std::size_t message_bytes_max = std::size_t{16} << 20;  ///< announced in hello; the shell enforces it
  std::uint32_t inflight_max = 64;                        ///< requests at once; a batch counts as one
  std::uint32_t subscriptions_max = 256;
  std::chrono::milliseconds heartbeat{15'000};  ///< between two `$/heartbeat`
  /// What the handshake established; the role `none` demands a `session.hello` with a token.
  Grant grant = {.role = Role::admin};
  /// What a token gives, the role `none` for a wrong one; empty: no tokens are configured.
  std::function<Grant(std::string_view secret)> find_grant = {};
  std::string peer = {};  ///< the address of the other side, for the log; empty: it has none
  /// What this connection's messages and answers are counted in; null: a part of the service's of its own.
  std::shared_ptr<PeerMemory> memory = {};
  /// The client's trace, which the requests of a carrier of one message belong to.
  std::optional<TraceContext> trace = {};
  /// For a carrier of one message and its one answer (`POST /rpc`): no `session.*` methods, no streaming, no progress.
  /// The answer, if there is one, was sent when `SessionHost::on_idle` is called.
  bool is_one_message = false;
  /// Where requests are evaluated on the calling thread: set by another one, it ends those that run. Null: nothing
  /// does.
  std::shared_ptr<std::atomic<bool> const> is_cancelled = {};
  /// Whether its requests are in the service's metrics and log: not where the service lends itself to a session that is
  /// of no store (`Namespaces`).
  bool is_reported = true;
};

}  // namespace whence::net
