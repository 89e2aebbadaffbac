// The thread that rings.

#include "net/work/alarms.hpp"

namespace whence::net {

Alarms::Alarms(schema::TroubleReport const& report)
    : guard_(report, "alarms", "the alarm is lost, those after it are not"), thread_([this] {
        while (!guard_.run([this] { run(); })) continue;
      }) {}

Alarms::~Alarms() {
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
}

Alarms::Id Alarms::set(Alarm alarm, Ring ring) {
  Id id = 0;
  {
    std::lock_guard const lock(mutex_);
    id = ++last_id_;
    if (alarm.tx) by_tx_.emplace(*alarm.tx, id);
    if (alarm.deadline) by_deadline_.emplace(*alarm.deadline, id);
    alarms_.emplace(id, Entry{alarm, std::move(ring)});
  }
  changed_.notify_one();
  return id;
}

void Alarms::forget(Id id) {
  std::optional<Ring> dropped;  // its captures are destroyed after the mutex is released
  std::lock_guard const lock(mutex_);
  dropped = take(id);
}

std::size_t Alarms::count() const {
  std::lock_guard const lock(mutex_);
  return alarms_.size();
}

void Alarms::on_published(schema::TxId head) {
  {
    std::lock_guard const lock(mutex_);
    if (head > head_) head_ = head;
    if (by_tx_.empty() || by_tx_.begin()->first > head_) return;
  }
  changed_.notify_one();
}

std::optional<Alarms::Ring> Alarms::take(Id id) {
  auto const found = alarms_.find(id);
  if (found == alarms_.end()) return std::nullopt;
  Entry entry = std::move(found->second);
  alarms_.erase(found);
  if (entry.alarm.tx) by_tx_.erase({*entry.alarm.tx, id});
  if (entry.alarm.deadline) by_deadline_.erase({*entry.alarm.deadline, id});
  return std::move(entry.ring);
}

void Alarms::take_due(std::vector<std::pair<Ring, bool>>& due) {
  while (!by_tx_.empty() && by_tx_.begin()->first <= head_) due.emplace_back(*take(by_tx_.begin()->second), true);
  Moment const now = std::chrono::steady_clock::now();
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now) {
    due.emplace_back(*take(by_deadline_.begin()->second), false);
  }
}

void Alarms::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    std::vector<std::pair<Ring, bool>> due;
    take_due(due);
    if (!due.empty()) {
      lock.unlock();
      for (auto const& [ring, is_visible] : due) {
        guard_.run([&ring = ring, is_visible = is_visible] { ring(is_visible); });
      }
      due.clear();
      lock.lock();
    } else if (by_deadline_.empty()) {
      changed_.wait(lock);
    } else {
      // A copy: the set may change while waiting.
      Moment const next = by_deadline_.begin()->first;
      changed_.wait_until(lock, next);
    }
  }
}

}  // namespace whence::net
