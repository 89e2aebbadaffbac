#pragma once
// `/metrics`: the figures of the server and its stores as Prometheus text.

#include "net/serving/namespaces.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace whence::net {

/// What the shell knows beside its stores.
struct ShellFigures {
  std::uint64_t connections = 0;
  std::uint64_t connections_max = 0;
  std::uint64_t websockets = 0;
  std::uint64_t bolt_connections = 0;
  std::uint64_t busy_http = 0;         ///< answered 503
  std::uint64_t busy_websockets = 0;   ///< closed with 1013
  std::uint64_t busy_connections = 0;  ///< closed at once
  std::uint64_t busy_bolt = 0;         ///< refused for want of room
  std::uint64_t access_refused = 0;    ///< for want of a right
  bool is_draining = false;
  std::optional<std::int64_t> certificate_expiry_s = {};  ///< since 1970; none: there is no TLS
};

/// All metrics (`net/metrics/catalogue.hpp`) in the Prometheus text format 0.0.4, read at one snapshot of each store.
/// Every type of node and edge has a sample, so that a graph of zero is a zero and not a gap. O(types + methods
/// called).
[[nodiscard]] std::string metrics_text(std::span<Namespace* const> stores, ShellFigures const& shell);

/// Those of one namespace alone, without those of the process.
[[nodiscard]] std::string metrics_text(Namespace const& where);

}  // namespace whence::net
