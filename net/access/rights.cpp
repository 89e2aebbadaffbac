// Expiry, role, methods: in this order.

#include "net/access/rights.hpp"

#include <string>

namespace whence::net {

std::optional<Error> check_right(Grant const& grant, std::string_view method, Role needed, schema::Time now) {
  if (has_ended(grant, now)) return Error{.code = Errc::unauthenticated, .message = "the token is no longer valid"};
  std::string const name{method};
  if (grant.role < needed)
    return Error{.code = Errc::forbidden, .message = name + " needs the role " + std::string{name_of(needed)}};
  if (grant.methods && !grant.methods->allows(method))
    return Error{.code = Errc::forbidden, .message = name + " is not among the methods of this token"};
  return std::nullopt;
}

}  // namespace whence::net
