#pragma once
// The tokens of a server as their file names them: a role and a secret a line.

#include "net/rpc/role.hpp"
#include "schema/base/error.hpp"

#include <string>
#include <vector>

namespace whence::net {

/// A secret and the role it grants.
struct Token {
  Role role;
  std::string secret;
};

/// Reads a token file: lines `ROLE TOKEN`, `#` lines and blank lines skipped. Fails with `invalid_params` naming file
/// and line where everybody may read it (a regular file), it cannot be read, names an unknown role, or holds no token.
/// The error never repeats a secret.
[[nodiscard]] Result<std::vector<Token>> read_token_file(std::string const& path);

}  // namespace whence::net
