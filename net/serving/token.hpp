#pragma once
// Authentication: the configured credentials, compared in a time that does not depend on how much of a guess is right.

#include "net/access/claims.hpp"
#include "net/access/grant.hpp"
#include "net/access/reload.hpp"
#include "net/access/role.hpp"
#include "net/access/token.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::net {

/// Who may enter one namespace. Secrets are kept as digests. Immutable; any thread may ask.
///
/// SHA-256 is enough for that: a token has 256 random bits, so that none is found by trying, however fast a digest
/// is made. A slow hash protects secrets that people choose, and costs every request what it costs a guess.
class TokenTable {
 public:
  /// What a table without tokens means.
  enum class Empty : bool { everybody_is_admin, nobody_enters };
  /// Of the tokens, those that hold in the namespace of that name (the root's is empty). A table of which none holds
  /// there lets no client in.
  explicit TokenTable(std::span<Token const> tokens, Empty empty = Empty::everybody_is_admin,
                      std::string_view namespace_name = {});

  /// Whether everybody is admin.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  /// What `secret` gives now, the role `none` for a wrong one; the highest where it is listed twice. Compares digests
  /// of equal length and visits every line, so that the time taken does not depend on the secrets.
  [[nodiscard]] Grant find(std::string_view secret, schema::Time now) const {
    return find(Credential::token, secret, now);
  }

  /// What a certificate or a person gives. With `fallback`, a role is given where no line names them.
  [[nodiscard]] Grant find(CertificateClaim const& claim, std::optional<Role> fallback, schema::Time now) const;
  [[nodiscard]] Grant find(UserClaim const& claim, schema::Time now) const;

  /// Whether the line of `grant` is here and still says the same, and has not ended. A grant that no line names holds
  /// until one does; one without a credential always.
  [[nodiscard]] bool still_grants(Grant const& grant, schema::Time now) const;

  /// The lines by how they stand, and when the next of the valid ones ends; nothing where none of them ends.
  struct Figures {
    std::uint64_t valid = 0;
    std::uint64_t expired = 0;
    std::uint64_t revoked = 0;
    std::optional<schema::Time> next_end = {};
  };
  /// O(lines).
  [[nodiscard]] Figures figures(schema::Time now) const;

  /// How this table differs from `before`. Revoked lines do not count.
  [[nodiscard]] TokenChange changes_since(TokenTable const& before) const;

 private:
  struct Entry {
    CredentialId credential;
    schema::Digest line;  ///< of all that the line says
    Role role;
    std::string name;
    std::shared_ptr<MethodScope const> methods;
    std::optional<schema::Time> expires;
    bool is_revoked;
  };

  [[nodiscard]] Grant find(Credential kind, std::string_view secret_or_subject, schema::Time now) const;
  [[nodiscard]] bool has_line(schema::Digest const& line) const;
  [[nodiscard]] std::size_t count_beyond(TokenTable const& other) const;

  std::vector<Entry> entries_;  // sorted by `line`, each once
  bool is_open_;
};

/// The secret of an `Authorization` header's value `Bearer SECRET` (RFC 6750 2.1, the scheme in any case); nothing for
/// another scheme or an empty secret. Views `value`.
[[nodiscard]] std::optional<std::string_view> parse_bearer(std::string_view value) noexcept;

/// The password of an `Authorization` header's value `Basic BASE64` (RFC 7617 2); nothing for another scheme, text that
/// is no Base64 of `USER:PASSWORD`, or an empty password.
[[nodiscard]] std::optional<std::string> parse_basic_password(std::string_view value);

}  // namespace whence::net
