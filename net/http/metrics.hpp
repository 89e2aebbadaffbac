#pragma once
// `/metrics`: the state of the server as Prometheus text.

#include "engine/engine.hpp"
#include "net/service.hpp"

#include <cstdint>
#include <string>

namespace whence::net {

/// All metrics in the Prometheus text format 0.0.4, read at one snapshot. Every type of node and edge has a line, so
/// that a graph of zero is a zero and not a gap. O(types).
[[nodiscard]] std::string metrics_text(Service const& service, engine::Engine const& engine, std::uint64_t connections);

}  // namespace whence::net
