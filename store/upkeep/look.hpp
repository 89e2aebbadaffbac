#pragma once
// Looking at a store without changing it or keeping anybody from it.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace whence::store {

/// What a store says of itself.
struct StoreLook {
  unsigned format = 0;
  unsigned format_newest = 0;  ///< that this program writes
  schema::TxId tx = schema::TxId{0};
  schema::Time at = {};  ///< of the last commit; meaningless where `tx` is 0
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t file_bytes = 0;            ///< pages in use times page size
  std::uint64_t map_bytes = 0;             ///< what the file may grow to
  std::optional<int> holder = {};          ///< the process that has it open for writing
  std::optional<std::string> log = {};     ///< the replicated log that it belongs to
  schema::TxId checkpoint = {};            ///< last transaction of the checkpoint; 0: none
  std::string checkpoint_fault = {};       ///< why the checkpoint that is there does not open; empty: it does
  std::optional<std::int64_t> backup_s{};  ///< when the last backup was complete, in seconds since 1970
};

/// Reads the head, the end of the log and what lies beside the data file. Also while a server holds the store. Fails
/// with `not_found` where there is none, `corrupt` where it does not read or is of a format unknown here. Throws
/// std::system_error. O(1).
[[nodiscard]] Result<StoreLook> look_at(std::filesystem::path const& directory);

/// The process that a lock file in `directory` names and that has ended without removing it; nothing where there is no
/// such file, or its process holds the store. The next opening takes such a lock.
[[nodiscard]] std::optional<int> find_stale_lock(std::filesystem::path const& directory);

}  // namespace whence::store
