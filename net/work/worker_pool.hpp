#pragma once
// The threads for work that would hold up an I/O thread, and queues that keep an order on them.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace whence::net {

/// A fixed set of threads running tasks in the order given. `post` may be called from any thread. Tasks must not throw.
class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);
  /// Waits for the tasks that run, drops those that have not begun.
  ~WorkerPool();
  WorkerPool(WorkerPool const&) = delete;
  WorkerPool& operator=(WorkerPool const&) = delete;

  void post(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  ///< guarded by mutex_
  bool is_stopping_ = false;                 ///< guarded by mutex_
  std::vector<std::jthread> threads_;        ///< last: joined before what they use goes
};

/// Tasks that run on a pool one at a time, in order. `post` may be called from any thread; the pool outlives the queue.
class SerialQueue {
 public:
  explicit SerialQueue(WorkerPool& pool) : state_(std::make_shared<State>(pool)) {}

  void post(std::function<void()> task);

 private:
  struct State {
    explicit State(WorkerPool& owner) : pool(owner) {}
    WorkerPool& pool;
    std::mutex mutex;
    std::deque<std::function<void()>> tasks;  ///< guarded by mutex
    bool is_scheduled = false;                ///< guarded by mutex: a pool task will look at `tasks`
  };
  static void run_next(std::shared_ptr<State> const& state);

  std::shared_ptr<State> state_;
};

}  // namespace whence::net
