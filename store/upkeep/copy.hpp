#pragma once
// Copying the data file of a store that may be damaged, while it is written.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "store/values/advance.hpp"

#include <filesystem>

namespace whence::store {

/// Copies what the store in `directory` holds now to `data.mdb` in the directory `copy`, compacted, and
/// returns LMDB's code.
///
/// A child does it: LMDB trusts the pages that it copies, so that damage may end the process that copies them. Fails
/// with `corrupt` where that happened, or where LMDB saw it. Throws std::system_error where no child can be made,
/// std::runtime_error where it was ended or did not begin: that says nothing of the pages. Fails as `interrupt` says,
/// within a fraction of a second; the child is ended then. `advance` is told how many bytes the copy has.
///
/// The child of a process with threads inherits locks that other threads held at that instant. LMDB and malloc are safe
/// after a fork; should some lock hold it up before it copies, one more child is tried.
[[nodiscard]] Result<int> copy_contained(std::filesystem::path const& directory, std::filesystem::path const& copy,
                                         schema::Interrupt const& interrupt, Advance const& advance = {});

}  // namespace whence::store
