#pragma once
// The threads for work that would block an I/O thread, and the queues that share them fairly.

#include <cstddef>
#include <functional>
#include <memory>

namespace whence::net {

/// A fixed set of threads for the tasks of `WorkQueue`s, which take turns: a queue gives one task at a time, whatever
/// the others hold. So nobody waits for more than a task of each other queue.
///
/// The threads have a lower priority (nice) than those that read sockets and write the log: a short request is answered
/// while long ones are evaluated.
class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);
  ~WorkerPool() { stop(); }
  WorkerPool(WorkerPool const&) = delete;
  WorkerPool& operator=(WorkerPool const&) = delete;

  /// Waits for the tasks that run, destroys those that have not begun and those that are posted later. Again: no
  /// effect. One call at a time.
  void stop();

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  /// The tasks of all queues, now.
  struct Load {
    std::size_t running = 0;
    std::size_t waiting = 0;
  };
  [[nodiscard]] Load load() const;
  /// How many tasks of one queue may run at once, so that a thread is left for others: all but one, at least one.
  [[nodiscard]] unsigned share_max() const noexcept { return threads_ > 1 ? threads_ - 1 : 1; }

 private:
  friend class WorkQueue;
  struct State;
  unsigned const threads_;
  std::shared_ptr<State> state_;
};

/// The tasks of one peer. They start in order, at most `running_max` of them at once; with 1 they also end in order.
/// Every member may be called from any thread. Tasks must not throw. O(1) each.
///
/// Destroying the queue leaves its tasks to run; the end of the pool drops those that have not begun, and what is
/// posted after it.
class WorkQueue {
 public:
  WorkQueue(WorkerPool& pool, unsigned running_max);
  WorkQueue(WorkQueue const&) = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;

  void post(std::function<void()> task);

 private:
  struct Tasks;
  std::shared_ptr<WorkerPool::State> pool_;
  std::shared_ptr<Tasks> tasks_;
  friend class WorkerPool;
};

}  // namespace whence::net
