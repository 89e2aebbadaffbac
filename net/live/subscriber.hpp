#pragma once
// Where the feed leaves what a live subscription wants until its connection takes it: a queue with a bound.

#include "net/work/memory_budget.hpp"
#include "queries/live/events.hpp"
#include "queries/render/event_texts.hpp"
#include "schema/base/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace whence::net {

/// Some events of one transaction, or of a snapshot. The text is shared by all subscribers that get it.
struct Delivery {
  std::shared_ptr<queries::EventTexts const> texts;
  std::shared_ptr<std::vector<std::uint32_t> const> events;  ///< which of them
  bool is_snapshot = false;
};

/// What the feed has queued for one connection, over all its subscriptions, counted as memory of its peer. Any thread
/// may call any member.
class QueueBytes {
 public:
  static constexpr std::size_t bytes_max = std::size_t{2} << 20;

  explicit QueueBytes(std::shared_ptr<PeerMemory> memory) : held_(std::move(memory)) {}

  /// False where it would be more than `bytes_max`, or than there is memory for. The first bytes are always taken.
  [[nodiscard]] bool try_take(std::size_t bytes);
  void give_back(std::size_t bytes);

 private:
  std::mutex mutex_;
  MemoryClaim held_;  // guarded by mutex_
};

/// One live subscription: the feed puts, the connection takes. Every member may be called from any thread.
///
/// Memory stays bounded: where the connection's queues have no room (`QueueBytes`), this one is emptied and takes
/// nothing any more. What was dropped is read from the log again.
class Subscriber {
 public:
  /// `wake` is called, from the thread that puts, when there is something to take or the queue overflowed; once until
  /// the next `take`.
  /// What its walks hold is counted in `memory`, until the feed has them.
  Subscriber(queries::Match match, queries::EventParts parts, std::shared_ptr<QueueBytes> queued,
             std::shared_ptr<PeerMemory> memory, std::function<void()> wake);
  ~Subscriber();
  Subscriber(Subscriber const&) = delete;
  Subscriber& operator=(Subscriber const&) = delete;

  [[nodiscard]] queries::Match const& match() const noexcept { return match_; }
  [[nodiscard]] queries::EventParts const& parts() const noexcept { return parts_; }

  /// False where there was no room: the subscriber has overflowed. A delivery that finds all queues empty is taken,
  /// however large.
  [[nodiscard]] bool put(Delivery delivery);

  /// As if it had overflowed after `position`: the feed cannot go on.
  void fall_back(schema::TxId position);

  /// Counts what its walks hold. False: there is no room for that, and nothing has changed.
  [[nodiscard]] bool try_hold(std::size_t bytes);
  /// The same without asking.
  void hold(std::size_t bytes);
  [[nodiscard]] std::shared_ptr<PeerMemory> const& memory() const noexcept { return memory_; }

  /// Drops what it has; it takes nothing any more and wakes no thread.
  void close();

  /// The next delivery, if any.
  [[nodiscard]] std::optional<Delivery> take();

  [[nodiscard]] bool is_empty() const;
  /// Where it overflowed: the last transaction before those that were dropped.
  [[nodiscard]] std::optional<schema::TxId> overflowed_after() const;

 private:
  void drop_all();
  [[nodiscard]] bool needs_wake() noexcept { return !std::exchange(is_awake_, true); }

  queries::Match const match_;
  queries::EventParts const parts_;
  std::shared_ptr<QueueBytes> const queued_;
  std::function<void()> const wake_;
  std::shared_ptr<PeerMemory> const memory_;
  mutable std::mutex mutex_;
  MemoryClaim walks_;                             // guarded by mutex_
  std::deque<Delivery> deliveries_;               // guarded by mutex_
  std::optional<schema::TxId> overflowed_after_;  // guarded by mutex_
  bool is_awake_ = false;                         // guarded by mutex_: `wake_` was called since the last `take`
};

}  // namespace whence::net
