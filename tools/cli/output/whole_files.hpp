#pragma once
// Files that a verb makes of texts in memory.

#include "tools/cli/transport/caller.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

struct NamedText {
  std::string_view name;
  std::string_view text;
};

/// Writes a file under its name, whole or not at all, closed to others. Fails with `conflict` where something has the
/// name that may not be replaced.
[[nodiscard]] CallResult<void> write_whole_file(std::string const& path, std::string_view text,
                                                bool may_replace = false);

/// The same of a folder with these files, where nothing has its name but an empty folder.
[[nodiscard]] CallResult<void> write_whole_folder(std::string const& path, std::vector<NamedText> const& files);

}  // namespace whence::tools
