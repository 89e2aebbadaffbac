#pragma once
// Where the explorer's built files are.

#include <string>

namespace whence::tools {

/// The explorer's folder in a build or an installation, relative to the program; empty if there is none.
[[nodiscard]] std::string find_explorer();

}  // namespace whence::tools
