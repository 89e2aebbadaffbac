#pragma once
// Writing a store anew, as small as it can be and without anything that is not in it any more.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "store/values/advance.hpp"
#include "store/values/figures.hpp"

#include <filesystem>

namespace whence::store {

/// Replaces the data file of the closed store in `directory` by one that holds the same entries and nothing else: no
/// free page, no dictionary of earlier contents, no byte of a value that was deleted. Every content is packed anew,
/// with dictionaries trained on what is there; a store of an older format becomes one of the last. The new file is
/// verified before it takes the old one's name. Blobs are copied whether or not a record names them: what removes the
/// last record that names a blob removes the blob. After a failure, a crash or an interruption the old file is there
/// and whole. The index of texts is removed. Needs room for both files; holds some 100 MiB of memory at most, and what
/// `verify` needs. `advance` is told how many entries were read, then how many were checked. O(store).
///
/// Fails with `not_found` where there is no store, `conflict` where another process holds it, `corrupt` where it is
/// damaged, `storage_full` and `cancelled`. Throws std::system_error.
[[nodiscard]] Result<CompactResult> compact(std::filesystem::path const& directory,
                                            schema::Interrupt const& interrupt = schema::NoInterrupt{},
                                            Advance const& advance = {});

}  // namespace whence::store
