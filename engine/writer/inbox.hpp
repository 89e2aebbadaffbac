#pragma once
// The bounded queue between the threads that submit writes and the writer thread.

#include "engine/intake/intake.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace whence::engine {

struct InboxLimits {
  std::size_t batches_max;
  std::size_t bytes_max;
  std::size_t group_records_max;
};

/// Any thread may call any member; `take_group` and `take_waiting` are meant for one. Peers (`WriteBatch::peer`) take
/// turns, a request each; the requests of one peer keep their order.
class Inbox {
 public:
  explicit Inbox(InboxLimits limits) : limits_(limits) {}

  /// Moves `request` into its peer's queue and returns true, or leaves it untouched where there is no room: in all, or
  /// in the half of it that one peer may have. A peer of whom nothing waits has a batch taken while there is room; an
  /// empty inbox takes any batch, however large.
  [[nodiscard]] bool offer(Request& request);

  /// Waits for at least one request and takes as many as make a group: the first, and those after it while the
  /// records together stay within the limit, a tenth of it where several peers wait. Empty after a `nudge`; nothing
  /// once closed and drained.
  [[nodiscard]] std::optional<std::vector<Request>> take_group();

  /// The same of what waits now; empty where nothing does.
  [[nodiscard]] std::vector<Request> take_waiting();

  /// Lets `take_group` return, now or when it is called next: there is something else to do.
  void nudge();

  /// What waits, of all peers.
  struct Load {
    std::size_t batches = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Load load() const;

  /// No more requests will be offered; `take_group` goes on until all are taken.
  void close();
  [[nodiscard]] bool is_closed() const;

 private:
  InboxLimits const limits_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  struct Queue {
    Queue() = default;
    Queue(Queue const&) = delete;  // a copy would be one of every batch that waits
    Queue& operator=(Queue const&) = delete;

    std::deque<Request> requests = {};
    Load load = {};
  };

  /// With the mutex held.
  [[nodiscard]] std::vector<Request> take_together();

  /// Where the next batch is larger than what a short group has, the small ones of other peers go before it, once: then
  /// it has its turn. So a small write waits for one large batch, the one that is being written. With the mutex held.
  void let_small_ones_pass(std::size_t records_max);
  [[nodiscard]] bool is_crowded(std::uint64_t peer, Load const& own, std::size_t bytes) const;

  std::unordered_map<std::uint64_t, Queue> queues_;  // by peer, none empty; guarded by mutex_, as all below
  std::deque<std::uint64_t> turns_;                  // each peer of `queues_` once
  Load load_;                                        // of all queues
  bool has_let_pass_ = false;                        // the large batch that has the next turn
  bool is_closed_ = false;
  bool is_nudged_ = false;
};

}  // namespace whence::engine
