// One thread follows the head, and the texts of a transaction are made once for all that want them. Where that fails,
// every live subscriber falls back to reading the log itself. Threads that wait for the mutex go before it.

#include "net/live/feed.hpp"

#include "engine/engine.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <utility>

namespace whence::net {

namespace {

// Announced while the mutex is held once; then others may attach or leave.
constexpr std::size_t transactions_per_hold = 64;

// Removed while the mutex is held once. Each list of walks is gone through once for all of them.
constexpr std::size_t leaving_per_hold = 64;

// The most transactions a new live subscriber still has to read; it does so while the feed waits.
constexpr std::uint64_t attach_distance_max = 16;

}  // namespace

Feed::Feed(engine::Engine const& engine, std::function<queries::View()> head, schema::TroubleReport report)
    : engine_(engine),
      head_(std::move(head)),
      position_(number(head_().snapshot.tx())),
      thread_(std::move(report), "feed", "with the next transaction it is tried again") {
  thread_.start([this](std::stop_token const&) {
    while (remove_leaving()) {
    }
    go_on();
    return schema::WokenThread::Sleep{};
  });
}

void Feed::go_on() {
  while (position() < head_().snapshot.tx() && !has_failed() && !thread_.is_stopping()) {
    // A mutex is not fair: under steady writing no other thread would get it.
    while (waiting_ > 0) std::this_thread::yield();
    std::lock_guard const lock(mutex_);
    follow(transactions_per_hold);
  }
}

/// With the mutex held. After a failure no subscriber is live: each gets the error when it reads the log.
void Feed::follow(std::size_t transactions_max) {
  auto const head = head_();
  if (interests_.empty()) {
    position_.store(number(head.snapshot.tx()), std::memory_order_release);
    return;
  }
  try {
    if (announce_some(head, transactions_max)) return;
  } catch (std::bad_alloc const&) {  // they read the log when there is memory again
    for (auto const& subscriber : interests_.remove_all()) subscriber->fall_back(position());
    return;
  } catch (std::exception const&) {  // the environment, not the log: the same holds
  }
  has_failed_.store(true, std::memory_order_release);
  for (auto const& subscriber : interests_.remove_all()) subscriber->fall_back(position());
}

/// False where the log or a record does not read.
bool Feed::announce_some(queries::View const& head, std::size_t transactions_max) {
  Result<void> announced;
  auto const read = engine_.read_deltas(schema::next(position()), head.snapshot, [&](graph::Delta&& delta) {
    auto const tx = delta.tx;
    auto view = head;
    view.snapshot = head.snapshot.as_of(tx);
    queries::Events events(std::move(view), std::move(delta));
    announced = announce(events);
    if (!announced) return false;
    position_.store(number(tx), std::memory_order_release);
    return --transactions_max > 0;
  });
  return announced && read;
}

Result<void> Feed::announce(queries::Events& events) {
  interests_.advance(events);
  auto const wanted = match(events);
  if (!wanted) return wanted.error();
  if (wanted->by.empty()) return {};
  auto texts = queries::EventTexts::make(events, wanted->events, wanted->parts);
  if (!texts) return texts.error();
  deliver(std::make_shared<queries::EventTexts const>(std::move(*texts)), *wanted);
  return {};
}

Result<Feed::Wanted> Feed::match(queries::Events& events) {
  auto const interested = interests_.find(events);
  if (!interested) return interested.error();
  Wanted wanted;
  for (auto const* interest : *interested) {
    std::vector<queries::Standing const*> walks;
    for (auto const* walk : interest->walks) walks.push_back(&walk->members);
    auto selected = events.select(Interests::match_of(*interest), walks);
    if (!selected) return selected.error();
    if (selected->empty()) continue;
    wanted.events.insert(wanted.events.end(), selected->begin(), selected->end());
    for (auto const& subscriber : interest->subscribers) wanted.parts |= subscriber->parts();
    wanted.by.push_back({interest, std::make_shared<std::vector<std::uint32_t> const>(std::move(*selected))});
  }
  // Positions of one match alone may be out of order too: another may have asked for them first.
  std::ranges::sort(wanted.events);
  wanted.events.erase(std::unique(wanted.events.begin(), wanted.events.end()), wanted.events.end());
  return wanted;
}

void Feed::deliver(std::shared_ptr<queries::EventTexts const> const& texts, Wanted const& wanted) {
  std::vector<std::shared_ptr<Subscriber>> overflowed;
  for (auto const& [interest, events] : wanted.by) {
    for (auto const& subscriber : interest->subscribers) {
      if (!subscriber->put({texts, events})) overflowed.push_back(subscriber);
    }
  }
  interests_.remove(overflowed);
}

Result<bool> Feed::attach(std::shared_ptr<Subscriber> const& subscriber, Replay& replay, Slice& slice) {
  if (replay.is_in_snapshot()) return false;
  auto const lock = hold();
  auto const distance_to = [&](schema::TxId goal) { return number(goal) - number(replay.position()); };
  // The replay may have seen a head that the feed has not come to yet.
  while (position() < replay.position() && !has_failed()) follow(transactions_per_hold);
  if (has_failed()) return Error{.code = Errc::corrupt, .message = "the log cannot be followed"};
  if (distance_to(position()) > attach_distance_max) return false;
  if (position() > replay.position()) {
    auto at_position = head_();
    at_position.snapshot = at_position.snapshot.as_of(position());
    auto const read = replay.read(at_position, std::numeric_limits<std::size_t>::max(),
                                  std::numeric_limits<std::size_t>::max(), slice);
    if (!read) return read.error();
  }
  interests_.add(subscriber, replay.take_walks());
  return true;
}

void Feed::detach(std::shared_ptr<Subscriber> subscriber) {
  subscriber->close();
  {
    std::lock_guard const lock(leaving_mutex_);
    leaving_.push_back(std::move(subscriber));
  }
  thread_.wake();
}

bool Feed::remove_leaving() {
  std::vector<std::shared_ptr<Subscriber>> leaving;
  {
    std::lock_guard const lock(leaving_mutex_);
    if (thread_.is_stopping() || leaving_.empty()) return false;
    std::size_t const count = std::min(leaving_.size(), leaving_per_hold);
    leaving.assign(leaving_.end() - static_cast<std::ptrdiff_t>(count), leaving_.end());
    leaving_.resize(leaving_.size() - count);
  }
  while (waiting_ > 0) std::this_thread::yield();
  std::lock_guard const lock(mutex_);
  interests_.remove(leaving);
  return true;
}

std::unique_lock<std::mutex> Feed::hold() {
  ++waiting_;
  std::unique_lock lock(mutex_);
  --waiting_;
  return lock;
}

}  // namespace whence::net
