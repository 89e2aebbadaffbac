#pragma once
// One message as a function call.

#include "net/access/grant.hpp"
#include "net/work/memory_budget.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

namespace whence::net {

struct ServiceState;

/// Answers one message (a request, a notification or a batch) of somebody with `grant` at the address `peer`, which may
/// be empty, and waits for it, evaluating on the calling thread, which must not be one that reads sockets. Empty where
/// nothing is to be answered. Reads and waiting end early once `is_cancelled`, if given, is set; a write is carried out
/// nevertheless. No `session.hello`, streaming or subscriptions this way. What it holds is counted in `memory`; null:
/// as that of a peer of its own.
[[nodiscard]] std::string call_and_wait(ServiceState& state, std::string_view message, Grant grant,
                                        std::string peer = {},
                                        std::shared_ptr<std::atomic<bool> const> const& is_cancelled = {},
                                        std::shared_ptr<PeerMemory> memory = {});

}  // namespace whence::net
