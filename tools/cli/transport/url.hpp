#pragma once
// A server's address: the forms of `--url` and `--listen`.

#include "schema/base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// A server's address. Both schemes of a pair name the same server, which speaks HTTP and WebSocket on one port.
struct Url {
  bool is_tls = false;
  std::string host;  ///< without the brackets of an IPv6 address
  std::string port;
  std::string path = {};  ///< before that of every request, without a `/` at its end: `/ns/NAME` of a namespace

  friend bool operator==(Url const&, Url const&) = default;
};

/// Reads `http://`, `https://`, `ws://` or `wss://`, a host, an optional port (80 or 443 without) and a path: that of a
/// namespace or of a proxy. `/rpc` or `/ws` at its end are left out, and so is what follows it. Fails with
/// `invalid_params` on anything else, user names included (secrets do not belong in arguments).
[[nodiscard]] Result<Url> parse_url(std::string_view text);

/// Reads one address or several, separated by commas; each address once. Fails as `parse_url`, also without any.
[[nodiscard]] Result<std::vector<Url>> parse_urls(std::string_view text);

/// Whether `text` is a web origin as browsers send it: `http://` or `https://`, a host, perhaps a port, nothing after.
[[nodiscard]] bool is_origin(std::string_view text);

/// HOST:PORT, the form of a `Host` header.
[[nodiscard]] std::string authority_of(Url const& url);

/// Parses HOST:PORT or [HOST]:PORT, the form of `--listen`. Fails with `invalid_params` without a port 0..65535.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(HostPort const&, HostPort const&) = default;
};
[[nodiscard]] Result<HostPort> parse_host_port(std::string_view text);

}  // namespace whence::tools
