#include "engine/writer/inbox.hpp"

#include <utility>

namespace whence::engine {

bool Inbox::offer(Request& request) {
  {
    std::lock_guard const lock(mutex_);
    bool const is_crowded = waiting_.size() >= limits_.batches_max || bytes_ + request.batch.bytes > limits_.bytes_max;
    if (is_crowded && !waiting_.empty()) return false;
    bytes_ += request.batch.bytes;
    waiting_.push_back(std::move(request));
  }
  arrived_.notify_one();
  return true;
}

std::vector<Request> Inbox::take_group() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return is_closed_ || !waiting_.empty(); });
  std::vector<Request> group;
  std::size_t records = 0;
  while (!waiting_.empty()) {
    auto& next = waiting_.front();
    records += next.batch.records.size();
    if (!group.empty() && records > limits_.group_records_max) break;
    bytes_ -= next.batch.bytes;
    group.push_back(std::move(next));
    waiting_.pop_front();
  }
  return group;
}

void Inbox::close() {
  {
    std::lock_guard const lock(mutex_);
    is_closed_ = true;
  }
  arrived_.notify_one();
}

}  // namespace whence::engine
