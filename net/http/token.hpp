#pragma once
// Authentication: the configured secrets, compared in a time that does not depend on how much of a guess is right.

#include "net/rpc/role.hpp"
#include "net/token_file.hpp"
#include "schema/base/digest.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::net {

/// The tokens of a server, kept as digests. Immutable; any thread may ask.
class TokenTable {
 public:
  explicit TokenTable(std::span<Token const> tokens);

  /// Without tokens everybody is admin.
  [[nodiscard]] bool is_open() const noexcept { return entries_.empty(); }

  /// The role of `secret`, `none` for a wrong one; the highest where it is listed twice. Compares digests of equal
  /// length and visits every entry, so that the time taken does not depend on the secrets.
  [[nodiscard]] Role find_role(std::string_view secret) const;

 private:
  struct Entry {
    schema::Digest digest;
    Role role;
  };
  std::vector<Entry> entries_;
};

/// The secret of an `Authorization` header's value `Bearer SECRET` (RFC 6750 2.1, the scheme in any case); nothing for
/// another scheme or an empty secret. Views `value`.
[[nodiscard]] std::optional<std::string_view> parse_bearer(std::string_view value) noexcept;

}  // namespace whence::net
