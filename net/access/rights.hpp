#pragma once
// The one place that says whether a grant is enough for a method. Everything that is no method names one that gives the
// same: a path of HTTP in the table of routes, a statement of Bolt `query`.

#include "net/access/grant.hpp"
#include "net/access/role.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <optional>
#include <string_view>

namespace whence::net {

/// Whether the grant has come to its end. O(1).
[[nodiscard]] inline bool has_ended(Grant const& grant, schema::Time now) noexcept {
  return grant.expires && *grant.expires <= now;
}

/// Why `grant` is not enough to have `method` done with the role `needed` (that of its row, or `write` where its params
/// ask for a write): `unauthenticated` where it has expired, else `forbidden`. Nothing where it is enough.
[[nodiscard]] std::optional<Error> check_right(Grant const& grant, std::string_view method, Role needed,
                                               schema::Time now);

}  // namespace whence::net
