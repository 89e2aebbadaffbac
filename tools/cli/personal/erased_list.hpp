#pragma once
// The file of what must stay gone: which records were purged, when, and nothing of what they said. A backup made before
// has them; a store that is restored from it loses them again (tools/cli/backups/erased.hpp).

#include "schema/base/time.hpp"
#include "schema/types/ref.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::tools {

/// Which record, and until when what it said is gone. Another one may have had its ref before.
struct ErasedRecord {
  schema::NodeRef ref = {};
  std::uint64_t tx = 0;         ///< that wrote it first
  schema::Time at = {};         ///< when that was
  schema::Time purged_at = {};  ///< what it said by then is gone
};

/// What the list in `file` has. Fails with `invalid_input` where there is none, or one that is cut or has a line of
/// another kind, which is named; `flag` is that of the command line which named the file.
[[nodiscard]] CallResult<std::vector<ErasedRecord>> read_erased_list(std::filesystem::path const& file,
                                                                     std::string_view flag);

/// Adds those of `records`, the `list` of an answer, that the file does not have, whole or not at all; on disk when
/// this returns. A new file is its owner's alone, since it names persons. Fails with `failure` where it cannot be
/// written, and as `read_erased_list` where what is there is no list.
[[nodiscard]] CallResult<void> add_to_erased_list(std::filesystem::path const& file, boost::json::array const& records,
                                                  std::string_view flag);

}  // namespace whence::tools
