#pragma once
// Figures about a store.

#include "schema/base/ids.hpp"

#include <cstdint>

namespace whence::store {

struct StoreStats {
  std::uint64_t file_bytes = 0;  ///< pages in use times page size
  std::uint64_t map_bytes = 0;   ///< the most that the file may grow to
  schema::TxId head = schema::TxId{0};
  schema::TxId purged_in = schema::TxId{0};  ///< the last that purged something, since the file was written anew
  std::uint64_t records = 0;                 ///< contents, every revision counted
};

/// What a backup holds.
struct BackupResult {
  schema::TxId tx;
  std::uint64_t bytes;
};

/// What making a checkpoint did.
struct CheckpointFigures {
  schema::TxId tx;
  std::uint64_t bytes;  ///< on disk
};

/// What a compaction did.
struct CompactResult {
  schema::TxId tx;
  std::uint64_t bytes_before;  ///< of the data file
  std::uint64_t bytes_after;
};

}  // namespace whence::store
