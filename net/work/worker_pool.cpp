// Threads and queues for long work.

#include "net/work/worker_pool.hpp"

#include <utility>

namespace whence::net {

WorkerPool::WorkerPool(unsigned threads) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

void WorkerPool::post(std::function<void()> task) {
  {
    std::lock_guard const lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void WorkerPool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_stopping_ || !tasks_.empty(); });
      if (is_stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void SerialQueue::post(std::function<void()> task) {
  {
    std::lock_guard const lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    if (std::exchange(state_->is_scheduled, true)) return;
  }
  state_->pool.post([state = state_] { run_next(state); });
}

// One task per turn, so that a long queue does not keep others from the pool.
void SerialQueue::run_next(std::shared_ptr<State> const& state) {
  std::function<void()> task;
  {
    std::lock_guard const lock(state->mutex);
    task = std::move(state->tasks.front());
    state->tasks.pop_front();
  }
  task();
  {
    std::lock_guard const lock(state->mutex);
    if (state->tasks.empty()) {
      state->is_scheduled = false;
      return;
    }
  }
  state->pool.post([state] { run_next(state); });
}

}  // namespace whence::net
