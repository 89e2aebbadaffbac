#pragma once
// Authentication: the configured secrets, compared in a time that does not depend on how much of a guess is right.

#include "net/reload.hpp"
#include "net/rpc/role.hpp"
#include "net/token_file.hpp"
#include "schema/base/digest.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::net {

/// What a token gives, and the token's digest, by which a later table knows it.
struct Grant {
  Role role = Role::none;
  std::optional<schema::Digest> token = {};  ///< none: no tokens are configured, or none was given yet
};

/// The tokens of a server, kept as digests. Immutable; any thread may ask.
class TokenTable {
 public:
  /// What a table without tokens means.
  enum class Empty : bool { everybody_is_admin, nobody_enters };
  explicit TokenTable(std::span<Token const> tokens, Empty empty = Empty::everybody_is_admin);

  /// Whether everybody is admin.
  [[nodiscard]] bool is_open() const noexcept { return entries_.empty() && empty_ == Empty::everybody_is_admin; }

  /// The role of `secret`, `none` for a wrong one; the highest where it is listed twice. Compares digests of equal
  /// length and visits every entry, so that the time taken does not depend on the secrets.
  [[nodiscard]] Grant find(std::string_view secret) const;
  [[nodiscard]] Role find_role(std::string_view secret) const { return find(secret).role; }

  /// Whether the token of `grant` is here with the same role. A grant without a token always holds.
  [[nodiscard]] bool still_grants(Grant const& grant) const;

  /// How this table differs from `before`.
  [[nodiscard]] TokenChange changes_since(TokenTable const& before) const;

 private:
  struct Entry {
    schema::Digest digest;
    Role role;

    friend auto operator<=>(Entry const&, Entry const&) = default;
  };

  [[nodiscard]] Role find_role(schema::Digest const& digest) const;
  [[nodiscard]] std::size_t count_beyond(TokenTable const& other) const;

  std::vector<Entry> entries_;  // sorted, each once
  Empty empty_;
};

/// The secret of an `Authorization` header's value `Bearer SECRET` (RFC 6750 2.1, the scheme in any case); nothing for
/// another scheme or an empty secret. Views `value`.
[[nodiscard]] std::optional<std::string_view> parse_bearer(std::string_view value) noexcept;

}  // namespace whence::net
