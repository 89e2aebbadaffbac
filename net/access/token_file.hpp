#pragma once
// The file that says who may use a server: a credential with its role a line.

#include "net/access/token.hpp"
#include "schema/base/error.hpp"

#include <string>
#include <vector>

namespace whence::net {

/// Reads a token file: lines as `parse_token_line` takes them, `#` lines and blank lines skipped. Fails with
/// `invalid_params` naming file and line where everybody may read it (a regular file), it cannot be read, has a line
/// that is none, or has no line at all. The error never repeats a secret.
[[nodiscard]] Result<std::vector<Token>> read_token_file(std::string const& path);

}  // namespace whence::net
