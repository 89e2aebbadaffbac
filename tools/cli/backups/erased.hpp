#pragma once
// What must stay gone: records that were erased after a backup, which a restored store loses again.

#include "schema/base/interrupt.hpp"
#include "store/values/advance.hpp"
#include "tools/cli/personal/erased_list.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace whence::tools {

/// Purges those of `erased` that the closed store in `directory` has, and compacts it, so that no byte of them is left.
/// What has a ref of the list and is another record stays, and so does what was purged there at that moment or after
/// it: what it says now came later. Returns how many records lost their contents. Fails as `records.purge`: with
/// `precondition` where a hold of that store keeps one. `advance` is told what `compact` tells. O(store).
[[nodiscard]] CallResult<std::uint64_t> apply_erased(std::filesystem::path const& directory,
                                                     std::span<ErasedRecord const> erased,
                                                     schema::Interrupt const& interrupt, store::Advance const& advance);

}  // namespace whence::tools
