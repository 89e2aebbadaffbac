#pragma once
// What somebody who has shown who they are may do.

#include "net/access/method_scope.hpp"
#include "net/access/role.hpp"
#include "net/access/token.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"
#include "schema/types/named_enum.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace whence::net {

/// What is said to the log of a credential that gives nothing. Clients get the same answer for all of them.
enum class Standing : std::uint8_t { valid, unknown, expired, revoked };
constexpr std::array<std::string_view, 4> enum_names(Standing) noexcept {
  return {"valid", "unknown", "expired", "revoked"};
}

/// A credential as a table knows it, without the secret.
struct CredentialId {
  Credential kind;
  schema::Digest digest;

  friend bool operator==(CredentialId const&, CredentialId const&) = default;
};

/// A value; its holder may do what `check_right` says (net/access/rights.hpp). The role `none`: nothing.
struct Grant {
  Role role = Role::none;
  std::string name = {};  ///< of the credential: who it is, which cannot be claimed; may be empty
  std::shared_ptr<MethodScope const> methods = {};  ///< null: all of the role
  std::optional<schema::Time> expires = {};         ///< it holds before
  std::optional<CredentialId> credential = {};      ///< none: no tokens are configured, or none was given yet
  std::optional<schema::Digest> line = {};  ///< of the table's line with all that it says; none: no line names it
  Standing standing = Standing::valid;      ///< of a role `none`: why
};

/// Who a client is where its requests are counted together: by its credential, else by its address; empty where it is
/// the program itself.
[[nodiscard]] inline std::string client_of(Grant const& grant, std::string const& peer) {
  if (!grant.name.empty()) return "name " + grant.name;
  return peer.empty() ? std::string{} : "address " + peer;
}

}  // namespace whence::net
