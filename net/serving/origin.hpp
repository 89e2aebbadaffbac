#pragma once
// Which pages may talk to this server, and under which names: the defence against foreign origins and DNS rebinding.

#include "schema/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// Decides on `Origin` and `Host` headers. Immutable; any thread may ask.
///
/// A server's own name is never taken from the request: it is the address a connection arrived at with the listening
/// port, the listening address itself, and on a loopback address also `127.0.0.1`, `localhost` and `[::1]`. (An address
/// cannot be rebound by DNS, a name can.) As an origin each is own with `http` and with `https`, since TLS may end in
/// front of the server. Beside these, only configured origins and their hosts are accepted.
class OriginPolicy {
 public:
  struct Listening {
    bool is_tls = false;
    std::string host;  ///< as configured: an address without brackets, or a name
    std::uint16_t port = 0;
  };

  /// Fails with `invalid_params` where an allowed origin is not `http(s)://HOST[:PORT]`.
  [[nodiscard]] static Result<OriginPolicy> make(Listening listening, std::vector<std::string> const& allowed);

  /// Where a connection arrived.
  struct Arrival {
    std::string address;  ///< local address without brackets
    bool is_loopback = false;
  };

  /// Whether a request with this `Host` value may be answered.
  [[nodiscard]] bool accepts_host(std::string_view host, Arrival const& arrival) const;

  /// Whether a request with this `Origin` value (possibly `null`) may be answered.
  [[nodiscard]] bool accepts_origin(std::string_view origin, Arrival const& arrival) const;

 private:
  /// An origin in its one spelling: lower case, no default port.
  struct Origin {
    bool is_tls = false;
    std::string authority;
  };
  OriginPolicy(Listening listening, std::vector<Origin> allowed);
  [[nodiscard]] bool is_own(bool is_tls, std::string_view authority, Arrival const& arrival) const;

  Listening listening_;
  std::vector<Origin> allowed_;
};

}  // namespace whence::net
