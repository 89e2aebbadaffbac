#pragma once
// Who may enter, as a line of a token file says it: a credential, the role it gives, and what bounds that.

#include "net/access/method_scope.hpp"
#include "net/access/role.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// How somebody shows who they are.
enum class Credential : std::uint8_t {
  token,        ///< a secret
  certificate,  ///< a client certificate, by one of its names
  user,         ///< a person whom a trusted proxy names
};

[[nodiscard]] std::string_view name_of(Credential credential) noexcept;

/// One line.
struct Token {
  Role role = Role::none;
  Credential credential = Credential::token;
  schema::Digest digest = {};  ///< of a token: the SHA-256 of its secret, which the file does not hold
  std::string subject = {};    ///< of a certificate or a user: its name
  std::string name = {};       ///< what logs call it; a certificate's or a user's is its subject unless it is said
  std::vector<std::string> namespaces = {};  ///< where it holds, `/` for the root; empty: wherever the file is used
  std::shared_ptr<MethodScope const> methods = {};  ///< null: all that the role allows
  std::optional<schema::Time> created = {};
  std::optional<schema::Time> expires = {};  ///< it holds before
  /// It holds no more, whatever else the line says. The line stays: an empty file would make every client admin at the
  /// next start, and a name in the log means one token for ever.
  std::optional<schema::Time> revoked = {};
};

/// The digest by which a credential is looked up. Those of different kinds are distinguished beside it.
[[nodiscard]] schema::Digest digest_of(std::string_view secret_or_subject);
[[nodiscard]] schema::Digest digest_of(Token const& token);

inline constexpr std::string_view root_scope = "/";  ///< the store at the root, among namespaces

/// Whether `token` may be used in the namespace of that name; the root's is empty.
[[nodiscard]] bool holds_in(Token const& token, std::string_view namespace_name) noexcept;

/// Whether `name` may be that of a token: 1 to 64 letters, digits, `.`, `_`, `-` and `@`, the first a letter or digit.
[[nodiscard]] bool is_token_name(std::string_view name) noexcept;

/// Whether `name` may be that of a certificate or a user: 1 to 256 bytes of UTF-8 without control characters.
[[nodiscard]] bool is_shown_name(std::string_view name) noexcept;

/// Reads a line that is neither blank nor a comment, without blanks around it. Fails with `invalid_params` saying what
/// is wrong with it; never repeats a secret or a digest.
[[nodiscard]] Result<Token> parse_token_line(std::string_view line);

/// The line of a token, as `parse_token_line` reads it.
[[nodiscard]] std::string token_line(Token const& token);

}  // namespace whence::net
