#pragma once
// What a connection or a request says of its sender beside a token, and who has checked it.

#include "net/access/role.hpp"
#include "schema/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::net {

/// A client certificate that belongs to the authority of `--tls-client-ca`.
struct CertificateClaim {
  std::vector<std::string> names = {};  ///< alternative names (DNS, mail, URI) in their order, then the common name
  schema::Time ends = {};               ///< it is valid before

  friend bool operator==(CertificateClaim const&, CertificateClaim const&) = default;
};

/// A person, as a proxy at a trusted address says.
struct UserClaim {
  std::string user = {};
  std::optional<Role> role = {};  ///< none: the proxy names none
};

struct Claims {
  std::optional<CertificateClaim> certificate = {};
  std::optional<UserClaim> user = {};
};

}  // namespace whence::net
