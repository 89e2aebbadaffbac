#pragma once
// Files that hold secrets: tokens, private keys. Who else may read them.

#include "schema/base/error.hpp"

#include <optional>
#include <string>

namespace whence::net {

/// Fails with `invalid_params` where others than its owner and group may do anything with the file; the message names
/// the file, its mode and the command that mends it. Only regular files are looked at: not a pipe, nor one that is not
/// there.
[[nodiscard]] Result<void> check_secret_file(std::string const& path);

/// The first line of a file for which `check_secret_file` holds. Fails with `invalid_params` where that does not hold,
/// it cannot be read, or the line is no secret: printable characters of ASCII without spaces. The error never repeats
/// it.
[[nodiscard]] Result<std::string> read_secret(std::string const& path);

/// What to say where the file's group may do anything with it.
[[nodiscard]] std::optional<std::string> find_group_access(std::string const& path);

/// Whether the file can be read again: not a pipe, which is empty then.
[[nodiscard]] bool is_rereadable(std::string const& path);

}  // namespace whence::net
