#pragma once
// After a power cut: going back from a meta page that was torn to the whole one.

#include "schema/base/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace whence::store {

/// Where one meta page of the store in `directory` is torn, and the other leads to a head and to the entries of the log
/// that it ends with (the last 1,000), all of which hold, the torn page is replaced; the store then opens at that head.
/// The torn page is kept, then replaced by the whole one under the number of the transaction before: LMDB does not open
/// such a file and never writes the first 32 bytes of a meta page again. For `serve`; what only reads reports such a
/// page and changes nothing. Returns the warning for the operator, or nothing where nothing was done: no store, both
/// pages whole, or damage that is not this one, which opening reports. `conflict` where another process holds the
/// store. Throws std::system_error.
[[nodiscard]] Result<std::optional<std::string>> mend_meta_page(std::filesystem::path const& directory);

}  // namespace whence::store
