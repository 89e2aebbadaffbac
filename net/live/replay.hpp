#pragma once
// One subscription's past, read from the log slice by slice: its snapshot, then every transaction after it.

#include "net/live/subscriber.hpp"
#include "queries/live/events.hpp"
#include "queries/live/standing.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace whence::engine {
class Engine;
}

namespace whence::net {

/// The result of one step of reading.
struct Slice {
  std::vector<Delivery> deliveries = {};
  std::size_t bytes = 0;
};

/// The position in the log of a subscription that is not live. One thread at a time.
///
/// Invariant: every event up to `position()` that the match wants was in a slice, once the snapshot is done.
class Replay {
 public:
  /// After `position`, with the snapshot at it first where `has_snapshot`. `engine` outlives it.
  Replay(engine::Engine const& engine, queries::Match const& match, queries::EventParts parts, schema::TxId position,
         bool has_snapshot);

  [[nodiscard]] schema::TxId position() const noexcept { return position_; }
  /// Whether some of the snapshot is still to come.
  [[nodiscard]] bool is_in_snapshot() const noexcept { return next_node_.has_value(); }

  /// Appends to `slice` until it holds about `bytes_max`, `transactions_max` were read, or `head` is reached. Fails
  /// with `corrupt`.
  [[nodiscard]] Result<void> read(queries::View const& head, std::size_t bytes_max, std::size_t transactions_max,
                                  Slice& slice);

  /// About what its walks take in memory.
  [[nodiscard]] std::size_t weight() const noexcept;
  /// Hands over the walks, to be continued from `position()`.
  [[nodiscard]] std::vector<queries::Standing> take_walks() { return std::move(walks_); }

 private:
  [[nodiscard]] Result<void> read_nodes(queries::View const& head, std::size_t bytes_max, Slice& slice);
  [[nodiscard]] Result<void> read_transactions(queries::View const& head, std::size_t bytes_max,
                                               std::size_t transactions_max, Slice& slice);
  [[nodiscard]] Result<void> take(queries::Events& events, Slice& slice);

  engine::Engine const& engine_;
  queries::Match const match_;
  queries::EventParts const parts_;
  schema::TxId position_;
  std::optional<std::uint32_t> next_node_;  ///< of the snapshot
  std::vector<queries::Standing> walks_;
  bool is_started_ = false;  ///< the walks are at `position_`
};

}  // namespace whence::net
