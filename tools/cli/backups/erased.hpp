#pragma once
// What must stay gone: refs of records that were erased after a backup, which a restored store loses again.

#include "schema/base/interrupt.hpp"
#include "store/values/advance.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whence::tools {

/// The refs in a file that `whence person erase --list` made: one in a line, each once, empty lines left out. Fails
/// with `failure` where it cannot be read.
[[nodiscard]] CallResult<std::vector<std::string>> read_erased(std::filesystem::path const& file);

/// Purges those of `refs` that the closed store in `directory` has, and compacts it, so that no byte of them is left.
/// Returns how many records lost their contents. Fails as `records.purge`: with `precondition` where a hold of that
/// store keeps one. `advance` is told what `compact` tells. O(store).
[[nodiscard]] CallResult<std::uint64_t> apply_erased(std::filesystem::path const& directory,
                                                     std::vector<std::string> refs, schema::Interrupt const& interrupt,
                                                     store::Advance const& advance);

}  // namespace whence::tools
