#pragma once
// One subscription as its connection sees it: what waits to be sent, how much may be, and how far it has got.

#include "net/live/replay.hpp"
#include "net/live/subscriber.hpp"
#include "schema/base/ids.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace whence::net {

/// A worker reads the log for a subscription; no other thread looks at it meanwhile.
struct Reading {
  explicit Reading(Replay given) : replay(std::move(given)) {}

  Replay replay;
  std::atomic<bool> is_cancelled = false;
};

/// Belongs to the connection's strand, but for what it shares with the feed (`subscriber`) and with a worker
/// (`reading`, while `is_reading()`).
///
/// It is catching up (`reading` is there: deliveries come from the log, slice by slice, into `ready`) or live (the feed
/// puts them into the subscriber's queue). What is ready goes before what is queued.
struct Subscription {
  std::string id;
  queries::Match match;
  queries::EventParts parts;
  std::shared_ptr<Subscriber> subscriber = {};  ///< from becoming live on; attached by the worker before
  std::shared_ptr<Reading> reading = {};        ///< while catching up
  std::size_t slice_bytes = 0;                  ///< of the slice that a worker reads with `reading`; 0: none does
  bool is_waiting = false;                      ///< for room to read the next slice
  std::size_t counted_bytes = 0;                ///< of `ahead_bytes`, in what the connection has read ahead
  std::deque<Delivery> ready = {};
  std::size_t ready_bytes = 0;
  std::size_t sent_of_front = 0;  ///< events of the first of `ready` that were sent: a snapshot may be cut anywhere

  std::optional<std::int64_t> credit = {};  ///< events that may be sent, below 0 where overdrawn; nothing: no bound
  schema::TxId prev{0};                     ///< the transaction delivered last, 0 before the first
  schema::TxId done{0};                     ///< everything up to here was sent, as far as is known without looking
  schema::TxId read_up_to{0};               ///< everything up to here was sent or is in `ready`
  bool is_in_snapshot = false;              ///< some of it was not sent yet: `done` means nothing to a client
  bool is_snapshot_read = false;            ///< all of it was sent or is in `ready`
  bool owes_caught_up = true;               ///< `$/caught_up` is due when nothing is left
  bool has_begun = false;                   ///< its answer was sent

  [[nodiscard]] bool is_live() const noexcept { return reading == nullptr; }
  [[nodiscard]] bool is_reading() const noexcept { return slice_bytes > 0; }
  /// What is read ahead of the connection, and what will be by a slice that is being read.
  [[nodiscard]] std::size_t ahead_bytes() const noexcept { return ready_bytes + slice_bytes; }
  [[nodiscard]] bool may_send() const noexcept { return !credit || *credit > 0; }
  /// To be called when `ready` has changed.
  void note_snapshot_end() noexcept {
    bool const has_more = !is_snapshot_read || (!ready.empty() && ready.front().is_snapshot);
    is_in_snapshot = is_in_snapshot && has_more;
  }
};

}  // namespace whence::net
