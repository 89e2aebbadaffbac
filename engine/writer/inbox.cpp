// One queue for each peer, and turns between them: each takes one batch into a group before any takes a second. Small
// batches pass a large one once, never twice in a row, so that it is not put off for ever.

#include "engine/writer/inbox.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace whence::engine {
namespace {

constexpr std::size_t shared_group_divisor = 10;

/// Makes room for one more; false where there is no memory for that. What was taken before stays.
bool has_place_for_one(std::vector<Request>& group) {
  try {
    if (group.size() == group.capacity()) group.reserve(2 * group.size() + 1);
    return true;
  } catch (std::bad_alloc const&) {
    return false;
  }
}

}  // namespace

bool Inbox::is_crowded(std::uint64_t peer, Load const& own, std::size_t bytes) const {
  if (load_.batches == 0) return false;
  if (load_.batches >= limits_.batches_max || load_.bytes + bytes > limits_.bytes_max) return true;
  if (peer == no_peer || own.batches == 0) return false;
  return own.batches >= limits_.batches_max / 2 || own.bytes + bytes > limits_.bytes_max / 2;
}

bool Inbox::offer(Request& request) {
  {
    std::lock_guard const lock(mutex_);
    auto const peer = request.batch.peer;
    auto const known = queues_.find(peer);
    if (is_crowded(peer, known == queues_.end() ? Load{} : known->second.load, request.batch.bytes)) return false;
    auto& queue = known == queues_.end() ? queues_[peer] : known->second;
    if (queue.requests.empty()) turns_.push_back(peer);
    for (Load* const load : {&load_, &queue.load}) {
      ++load->batches;
      load->bytes += request.batch.bytes;
    }
    queue.requests.push_back(std::move(request));
  }
  arrived_.notify_one();
  return true;
}

void Inbox::let_small_ones_pass(std::size_t records_max) {
  auto const is_small = [&](std::uint64_t peer) {
    return queues_.find(peer)->second.requests.front().batch.records.size() <= records_max;
  };
  if (std::exchange(has_let_pass_, false) || turns_.empty() || is_small(turns_.front())) return;
  auto const first_large = std::stable_partition(turns_.begin(), turns_.end(), is_small);
  has_let_pass_ = first_large != turns_.begin();
}

void Inbox::nudge() {
  {
    std::lock_guard const lock(mutex_);
    is_nudged_ = true;
  }
  arrived_.notify_one();
}

std::optional<std::vector<Request>> Inbox::take_group() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return is_closed_ || is_nudged_ || load_.batches > 0; });
  is_nudged_ = false;
  if (is_closed_ && load_.batches == 0) return std::nullopt;
  return take_together();
}

std::vector<Request> Inbox::take_waiting() {
  std::lock_guard const lock(mutex_);
  return load_.batches == 0 ? std::vector<Request>{} : take_together();
}

std::vector<Request> Inbox::take_together() {
  // Where others wait too, a group is short: each waits for no more than it and one batch of each other peer.
  std::size_t const records_max = limits_.group_records_max / (turns_.size() > 1 ? shared_group_divisor : 1);
  let_small_ones_pass(records_max);
  std::vector<Request> group;
  while (!has_place_for_one(group)) std::this_thread::sleep_for(std::chrono::milliseconds{10});
  std::size_t records = 0;
  while (!turns_.empty()) {
    auto const turn = queues_.find(turns_.front());
    auto& queue = turn->second;
    auto& next = queue.requests.front();
    records += next.batch.records.size();
    if (!group.empty() && (records > records_max || !has_place_for_one(group))) break;
    auto const bytes = next.batch.bytes;
    group.push_back(std::move(next));
    for (Load* const load : {&load_, &queue.load}) {
      --load->batches;
      load->bytes -= bytes;
    }
    queue.requests.pop_front();
    auto const peer = turns_.front();
    turns_.pop_front();
    if (queue.requests.empty()) {
      queues_.erase(turn);
    } else {
      turns_.push_back(peer);
    }
  }
  return group;
}

Inbox::Load Inbox::load() const {
  std::lock_guard const lock(mutex_);
  return load_;
}

bool Inbox::is_closed() const {
  std::lock_guard const lock(mutex_);
  return is_closed_;
}

void Inbox::close() {
  {
    std::lock_guard const lock(mutex_);
    is_closed_ = true;
  }
  arrived_.notify_one();
}

}  // namespace whence::engine
