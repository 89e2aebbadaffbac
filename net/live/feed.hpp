#pragma once
// Announces each new transaction to the live subscriptions, matching it once against all of their interests.

#include "net/live/interests.hpp"
#include "net/live/replay.hpp"
#include "net/live/subscriber.hpp"
#include "queries/live/events.hpp"
#include "queries/render/event_texts.hpp"
#include "queries/view/view.hpp"
#include "schema/base/ids.hpp"
#include "schema/threads/woken_thread.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace whence::engine {
class Engine;
}

namespace whence::net {

/// Follows the engine's head on a thread of its own and puts into each live subscriber's queue what it wants. Every
/// member may be called from any thread.
///
/// Invariants: 1. every event up to `position()` that a live subscriber wants has been put into its queue, or the
/// subscriber overflowed before. 2. a subscriber that overflowed is not live any more. 3. `position()` never goes back.
class Feed {
 public:
  /// `engine` outlives it; `head` gives the newest view.
  /// `report` gets what the thread could not do.
  Feed(engine::Engine const& engine, std::function<queries::View()> head, schema::TroubleReport report = {});
  /// As `stop`.
  ~Feed() = default;
  Feed(Feed const&) = delete;
  Feed& operator=(Feed const&) = delete;

  /// Ends following; again: no effect.
  void stop() { thread_.stop(); }

  /// There are new transactions. Never blocks for long.
  void on_published() { thread_.wake(); }

  /// Makes the subscriber live where `replay` has got to: appends to `slice` what is left up to the feed's position.
  /// False, with nothing done, where too much is left: read another slice and try again. Fails with `corrupt`.
  [[nodiscard]] Result<bool> attach(std::shared_ptr<Subscriber> const& subscriber, Replay& replay, Slice& slice);

  /// Its queue takes nothing any more, and what the feed holds for it goes soon, on the feed's thread: an end of a
  /// thousand standing walks holds no thread up. O(1).
  void detach(std::shared_ptr<Subscriber> subscriber);

  [[nodiscard]] schema::TxId position() const noexcept {
    return schema::TxId{position_.load(std::memory_order_acquire)};
  }

  /// Why following ended, where it did: the store is damaged.
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_.load(std::memory_order_acquire); }

 private:
  void go_on();
  void follow(std::size_t transactions_max);
  [[nodiscard]] bool announce_some(queries::View const& head, std::size_t transactions_max);
  /// Removes some of those that were detached; false where there are none.
  [[nodiscard]] bool remove_leaving();
  /// The mutex, before the feed's own thread.
  [[nodiscard]] std::unique_lock<std::mutex> hold();
  /// The events of a transaction that are wanted, and by which interest.
  struct Wanted {
    struct By {
      Interest const* interest;
      std::shared_ptr<std::vector<std::uint32_t> const> events;
    };
    std::vector<By> by = {};
    std::vector<std::uint32_t> events = {};  ///< ascending
    queries::EventParts parts = {};
  };
  [[nodiscard]] Result<void> announce(queries::Events& events);
  [[nodiscard]] Result<Wanted> match(queries::Events& events);
  void deliver(std::shared_ptr<queries::EventTexts const> const& texts, Wanted const& wanted);

  engine::Engine const& engine_;
  std::function<queries::View()> const head_;
  std::atomic<int> waiting_ = 0;  ///< for the mutex, besides the feed's own thread
  std::mutex mutex_;              ///< guards `interests_` and the moving of `position_`
  Interests interests_;
  std::atomic<std::uint64_t> position_;
  std::atomic<bool> has_failed_ = false;

  std::mutex leaving_mutex_;
  std::vector<std::shared_ptr<Subscriber>> leaving_;  ///< guarded by leaving_mutex_
  schema::WokenThread thread_;                        ///< last: joined before what it uses goes
};

}  // namespace whence::net
