#pragma once
// Which replicated log a store belongs to: a file beside its data, so that no program writes to the store past the log.

#include "schema/base/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace whence::store {

/// The name of the log that the store in `directory` belongs to; nothing for a store of its own. Throws
/// std::system_error.
[[nodiscard]] std::optional<std::string> find_membership(std::filesystem::path const& directory);

/// On disk when it returns. Throws std::system_error.
void keep_membership(std::filesystem::path const& directory, std::string const& log);

/// The store is one of its own from now on; false where it was. On disk when it returns. Fails with `conflict` where a
/// process holds the store. Throws std::system_error.
[[nodiscard]] Result<bool> end_membership(std::filesystem::path const& directory);

}  // namespace whence::store
