#pragma once
// The figures of checkpoints.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "store/values/figures.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace whence::engine {

/// A checkpoint is made when one in so many is new: while the engine runs, and when it ends.
inline constexpr std::uint64_t growth_share = 8;
inline constexpr std::uint64_t last_growth_share = 64;

/// How an engine came by its graph, and what has become of its checkpoints since.
struct CheckpointCounts {
  schema::TxId started_from = schema::TxId{0};    ///< the checkpoint's last transaction; 0: the whole log was replayed
  std::uint64_t replayed = 0;                     ///< transactions replayed at the start
  double start_seconds = 0;                       ///< until the graph was there
  std::optional<std::string> refused = {};        ///< why the checkpoint that was there was not used
  schema::TxId tx = schema::TxId{0};              ///< last transaction of the checkpoint on disk; 0: none
  std::optional<std::int64_t> written_at_s = {};  ///< when that file was written, in seconds since 1970
  std::uint64_t made = 0;
  std::uint64_t failed = 0;
  std::uint64_t columns_made = 0;  ///< of the columns, which have a file of their own
  std::uint64_t columns_failed = 0;
};

/// Receives what an attempt to make a checkpoint came to.
using CheckpointReport = std::function<void(Result<store::CheckpointFigures> const&)>;

}  // namespace whence::engine
