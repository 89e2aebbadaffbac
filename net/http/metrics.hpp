#pragma once
// `/metrics`: the state of the server as Prometheus text.

#include "net/http/namespaces.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace whence::net {

/// All metrics in the Prometheus text format 0.0.4, read at one snapshot of each store. Every type of node and edge has
/// a line, so that a graph of zero is a zero and not a gap. Samples of a namespace have the label `namespace`.
/// O(types).
[[nodiscard]] std::string metrics_text(std::span<Namespace* const> stores, std::uint64_t connections);

/// Those of one namespace alone, without those of the process.
[[nodiscard]] std::string metrics_text(Namespace const& where);

}  // namespace whence::net
