// A ring of the queues that have a task to start, under one mutex.

#include "net/work/worker_pool.hpp"

#include "engine/priority.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

constexpr int worker_nice = 5;

/// Tasks report their errors themselves. What is left is that there was no memory even for the report: the process goes
/// on.
void run(std::function<void()> const& task) noexcept {
  try {
    task();
  } catch (std::bad_alloc const&) {
  }
}

}  // namespace

struct WorkQueue::Tasks {
  unsigned running_max = 1;
  // Guarded by the pool's mutex.
  std::deque<std::function<void()>> waiting = {};
  unsigned running = 0;
  bool is_in_ring = false;

  [[nodiscard]] bool may_start() const noexcept { return !waiting.empty() && running < running_max; }
};

struct WorkerPool::State {
  using TasksPtr = std::shared_ptr<WorkQueue::Tasks>;

  /// With the mutex held: the queue is in the ring exactly while it may start a task.
  void place(TasksPtr const& tasks) {
    if (tasks->is_in_ring || !tasks->may_start()) return;
    tasks->is_in_ring = true;
    ring.push_back(tasks);
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      arrived.wait(lock, [this] { return is_stopping || !ring.empty(); });
      if (is_stopping) return;
      TasksPtr const tasks = std::move(ring.front());
      ring.pop_front();
      tasks->is_in_ring = false;
      auto task = std::move(tasks->waiting.front());
      tasks->waiting.pop_front();
      ++tasks->running;
      --load.waiting;
      ++load.running;
      place(tasks);  // behind the others
      lock.unlock();
      run(task);
      task = nullptr;  // what it holds goes without the mutex
      lock.lock();
      --tasks->running;
      --load.running;
      place(tasks);
    }
  }

  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<TasksPtr> ring;  ///< guarded by `mutex`
  bool is_stopping = false;   ///< guarded by `mutex`, as the next
  Load load;
  std::vector<std::jthread> threads;
};

WorkerPool::WorkerPool(unsigned threads) : threads_(threads), state_(std::make_shared<State>()) {
  for (unsigned i = 0; i < threads; ++i) {
    state_->threads.emplace_back([state = state_.get()] {
      engine::work_behind_others(worker_nice);
      state->work();
    });
  }
}

void WorkerPool::stop() {
  {
    std::lock_guard const lock(state_->mutex);
    state_->is_stopping = true;
  }
  state_->arrived.notify_all();
  state_->threads.clear();
  std::deque<State::TasksPtr> ring;
  std::vector<std::function<void()>> dropped;  // may end sessions, which post
  std::lock_guard const lock(state_->mutex);
  ring.swap(state_->ring);
  for (auto const& tasks : ring) {
    state_->load.waiting -= tasks->waiting.size();
    for (auto& task : tasks->waiting) dropped.push_back(std::move(task));
    tasks->waiting.clear();
  }
}

WorkerPool::Load WorkerPool::load() const {
  std::lock_guard const lock(state_->mutex);
  return state_->load;
}

WorkQueue::WorkQueue(WorkerPool& pool, unsigned running_max)
    : pool_(pool.state_), tasks_(std::make_shared<Tasks>(Tasks{.running_max = running_max})) {}

void WorkQueue::post(std::function<void()> task) {
  {
    std::lock_guard const lock(pool_->mutex);
    if (pool_->is_stopping) return;
    tasks_->waiting.push_back(std::move(task));
    ++pool_->load.waiting;
    pool_->place(tasks_);
  }
  pool_->arrived.notify_one();
}

}  // namespace whence::net
