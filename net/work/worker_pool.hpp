#pragma once
// The threads for work that would block an I/O thread, and the queues that share them fairly.

#include "schema/threads/thread_guard.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace whence::net {

/// The tasks of one client, over all of its connections.
struct WorkGroup;

/// Threads for the tasks of `WorkQueue`s, which take turns: a queue gives one task at a time, whatever the others hold.
/// So a task waits for no more than one of each other queue.
///
/// The threads have a lower priority (nice) than those that read sockets and write the log: a short request is answered
/// while long ones are evaluated.
///
/// Invariants: 1. a task that takes longer than `aside_after` is put aside: its thread goes on with a still lower
/// priority and ends with it, and another takes the place. At most `aside_max` are aside, half of them of one group.
/// 2. those of one group that are not aside leave a thread to others. So no client holds all threads, however many
/// connections it has, and a short task waits for long ones only where its own client has that many.
class WorkerPool {
 public:
  /// `report`: of what a task threw, which it should not.
  explicit WorkerPool(unsigned threads, schema::TroubleReport report = {});
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
    std::size_t aside = 0;  ///< of those that run
  };
  [[nodiscard]] Load load() const;
  /// How many tasks of one queue, or of one group, may run at once, so that a thread is left for others: all but one,
  /// at least one.
  [[nodiscard]] unsigned share_max() const noexcept { return threads_ > 1 ? threads_ - 1 : 1; }
  /// The group of a client by its name: the same as long as anybody has it; null for the empty name. O(log groups).
  [[nodiscard]] std::shared_ptr<WorkGroup> group_of(std::string const& client);

  static constexpr unsigned aside_per_thread = 8;  ///< of `aside_max`

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
  /// `group`: whose tasks they are; null: no client's.
  WorkQueue(WorkerPool& pool, unsigned running_max, std::shared_ptr<WorkGroup> group = {});
  WorkQueue(WorkQueue const&) = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;

  void post(std::function<void()> task);

 private:
  struct Tasks;
  std::shared_ptr<WorkerPool::State> pool_;
  std::shared_ptr<Tasks> tasks_;
  friend class WorkerPool;
  friend struct WorkGroup;
};

}  // namespace whence::net
