#pragma once
// Proxies that say who a request is from, in headers, and the addresses at which they are believed. Such headers from
// another address are refused, not ignored: a proxy at a new address would let all in without a name, and a client that
// forges them would go unseen.

#include "net/access/claims.hpp"
#include "schema/base/error.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// The settings of proxies as they are given.
struct ProxySettings {
  std::vector<std::string> addresses =
      {};  ///< `ADDRESS` or `ADDRESS/BITS` each, of IPv4 or IPv6; empty: none is trusted
  std::string user_header = "X-Forwarded-User";
  std::string role_header = "X-Whence-Role";
};

/// Immutable; any thread may ask.
class TrustedProxies {
 public:
  /// Fails with `invalid_params` where an address is none, its bits are more than it has, or a header is no name of a
  /// header or one that means something else here.
  [[nodiscard]] static Result<TrustedProxies> make(ProxySettings const& settings);

  [[nodiscard]] bool is_empty() const noexcept { return networks_.empty(); }
  [[nodiscard]] std::string const& user_header() const noexcept { return user_header_; }
  [[nodiscard]] std::string const& role_header() const noexcept { return role_header_; }

  /// Whether the address (without brackets; IPv4 in IPv6 is taken as IPv4) is that of a trusted proxy.
  [[nodiscard]] bool trusts(std::string_view address) const;

  /// What the headers of a trusted proxy say; empty values are as none. Fails with `unauthenticated` on a name that is
  /// too long or holds control characters, a role that is none, and a role without a user.
  [[nodiscard]] static Result<std::optional<UserClaim>> read(std::string_view user, std::string_view role);

 private:
  struct Network {
    std::array<std::uint8_t, 16> bytes;
    bool is_v6;
    unsigned bits;
  };
  TrustedProxies() = default;

  std::vector<Network> networks_;
  std::string user_header_;
  std::string role_header_;
};

}  // namespace whence::net
