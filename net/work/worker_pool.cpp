// A ring of the queues that have a task to start, under one mutex.

#include "net/work/worker_pool.hpp"

#include "engine/values/priority.hpp"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <semaphore.h>
#include <sys/resource.h>
#include <unistd.h>

namespace whence::net {

namespace {

using PoolClock = std::chrono::steady_clock;

constexpr int worker_nice = 5;
constexpr int aside_nice = 10;  // a third of the share of the others
constexpr std::chrono::milliseconds aside_after{250};
constexpr std::chrono::milliseconds watch_interval{50};
constexpr std::size_t groups_swept = 1024;  ///< known ones, before those that are gone are forgotten

/// A semaphore whose `post` never waits. The signal of a condition variable waits until threads that were woken before
/// have run, and those of the pool run behind all others of the machine: an I/O thread would wait for them.
class Semaphore {
 public:
  Semaphore() noexcept { ::sem_init(&semaphore_, 0, 0); }
  ~Semaphore() { ::sem_destroy(&semaphore_); }
  Semaphore(Semaphore const&) = delete;
  Semaphore& operator=(Semaphore const&) = delete;

  void post() noexcept { ::sem_post(&semaphore_); }
  void wait() noexcept {
    while (::sem_wait(&semaphore_) != 0 && errno == EINTR) continue;
  }
  /// False where nothing was posted in this time.
  bool wait_for(std::chrono::nanoseconds time) noexcept {
    timespec until = {};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    constexpr std::int64_t second = 1'000'000'000;
    auto const nanos = until.tv_nsec + time.count();
    until.tv_sec += nanos / second;
    until.tv_nsec = nanos % second;
    while (::sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until) != 0) {
      if (errno != EINTR) return false;
    }
    return true;
  }

 private:
  sem_t semaphore_;
};

}  // namespace

// All of both is guarded by the pool's mutex.
struct WorkQueue::Tasks {
  unsigned running_max = 1;
  std::shared_ptr<WorkGroup> group = {};
  std::deque<std::function<void()>> waiting = {};
  unsigned running = 0;
  bool is_placed = false;  ///< in the ring, or held by its group

  [[nodiscard]] bool may_start() const noexcept { return !waiting.empty() && running < running_max; }
};

struct WorkGroup {
  unsigned running = 0;  ///< without those aside
  unsigned aside = 0;
  std::deque<std::shared_ptr<WorkQueue::Tasks>> held = {};  ///< queues that wait for the group alone
};

struct WorkerPool::State {
  using TasksPtr = std::shared_ptr<WorkQueue::Tasks>;

  struct Thread {
    std::jthread thread = {};
    pid_t id = 0;
    bool is_done = false;
    // Of the task that runs; no group where none does.
    bool is_running = false;
    bool is_aside = false;
    PoolClock::time_point began = {};
    std::shared_ptr<WorkGroup> group = {};
  };

  State(unsigned count, schema::TroubleReport given) : share_max(count > 1 ? count - 1 : 1), report(std::move(given)) {
    aside_max = count * aside_per_thread;
    for (unsigned i = 0; i < count; ++i) add_thread();
    watch = std::jthread{[this] {
      schema::ThreadGuard guard{report, "workers", "long requests are not put aside for a moment"};
      while (!guard.run([this] { look_after(); })) continue;
    }};
  }

  void add_thread() {
    auto& made = threads.emplace_back();
    try {
      made.thread = std::jthread{[this, &made] {
        engine::work_behind_others(worker_nice);
        work(made, {report, "worker", "its task has no answer, the others go on"});
      }};
    } catch (std::system_error const&) {
      threads.pop_back();
      throw;
    }
  }

  [[nodiscard]] bool is_full(WorkGroup const* group) const noexcept {
    return group != nullptr && group->running >= share_max;
  }

  // With the mutex held, all below.

  /// The queue is placed exactly while it may start a task.
  void place(TasksPtr const& tasks) {
    if (tasks->is_placed || !tasks->may_start()) return;
    tasks->is_placed = true;
    (is_full(tasks->group.get()) ? tasks->group->held : ring).push_back(tasks);
  }

  /// The next queue of the ring whose group may start a task; null where there is none.
  TasksPtr take_next() {
    while (!ring.empty()) {
      auto tasks = std::move(ring.front());
      ring.pop_front();
      if (is_full(tasks->group.get())) {
        tasks->group->held.push_back(std::move(tasks));
        continue;
      }
      tasks->is_placed = false;
      return tasks;
    }
    return nullptr;
  }

  /// A task of the group has ended, or is aside.
  void let_go_on(WorkGroup& group) {
    if (group.held.empty() || is_full(&group)) return;
    ring.push_back(std::move(group.held.front()));
    group.held.pop_front();
    if (take_sleeper()) arrived.post();
  }

  /// Whether a thread sleeps. It is to be woken with `arrived`, which may be done without the mutex.
  [[nodiscard]] bool take_sleeper() noexcept {
    if (sleeping == 0) return false;
    --sleeping;
    return true;
  }

  /// Waits for a queue that may start a task; null at the end.
  TasksPtr wait_for_next(std::unique_lock<std::mutex>& lock) {
    while (!is_stopping) {
      if (auto tasks = take_next()) return tasks;
      ++sleeping;
      lock.unlock();
      arrived.wait();
      lock.lock();
    }
    return nullptr;
  }

  void begin(Thread& thread, std::shared_ptr<WorkGroup> const& group) {
    thread.is_running = true;
    thread.began = PoolClock::now();
    thread.group = group;
    if (group) ++group->running;
    ++load.running;
    wake_watch();
  }

  void end(Thread& thread) {
    --load.running;
    if (thread.is_aside) --load.aside;
    thread.is_running = false;
    auto const group = std::exchange(thread.group, nullptr);
    if (!group) return;
    --(thread.is_aside ? group->aside : group->running);
    let_go_on(*group);
  }

  void work(Thread& self, schema::ThreadGuard guard) {
    std::unique_lock lock(mutex);
    self.id = ::gettid();
    while (!self.is_aside) {
      auto const tasks = wait_for_next(lock);
      if (!tasks) break;
      auto task = std::move(tasks->waiting.front());
      tasks->waiting.pop_front();
      ++tasks->running;
      --load.waiting;
      begin(self, tasks->group);
      place(tasks);  // behind the others
      lock.unlock();
      guard.run(task);
      task = nullptr;  // what it holds goes without the mutex
      lock.lock();
      --tasks->running;
      end(self);
      place(tasks);
      if (self.is_aside && take_sleeper()) arrived.post();  // this thread ends: another one looks at what was placed
    }
    self.is_done = true;
    wake_watch();
  }

  /// There is something to look after.
  void wake_watch() noexcept {
    if (!std::exchange(is_watched, true)) watched.post();
  }

  /// Puts long tasks aside, and lets threads go that had one. Without the mutex.
  void look_after() {
    for (;; watched.wait()) {
      for (bool is_needed = true; is_needed;) {
        if (stopped.wait_for(watch_interval)) return;
        std::list<Thread> done;  // joined without the mutex: they may wait long for a processor before they end
        std::lock_guard const lock(mutex);
        if (is_stopping) return;
        is_needed = look_once(done);
      }
    }
  }

  /// False where there is nothing to look after: who begins or ends a task says when there is.
  bool look_once(std::list<Thread>& done) {
    for (auto each = threads.begin(); each != threads.end();) {
      auto const thread = each++;
      bool const is_long = thread->is_running && !thread->is_aside && PoolClock::now() - thread->began >= aside_after;
      if (thread->is_done) {
        done.splice(done.end(), threads, thread);
      } else if (is_long) {
        put_aside(*thread);
      }
    }
    is_watched = load.running > load.aside;
    return is_watched;
  }

  void put_aside(Thread& thread) {
    auto* const group = thread.group.get();
    if (load.aside >= aside_max || (group != nullptr && group->aside >= aside_max / 2)) return;
    try {
      add_thread();
    } catch (std::system_error const&) {  // the system gives no further thread
      return;
    }
    thread.is_aside = true;
    ++load.aside;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(thread.id), aside_nice);  // on Linux, of this thread alone
    if (group == nullptr) return;
    --group->running;
    ++group->aside;
    let_go_on(*group);
  }

  std::mutex mutex;
  Semaphore arrived;  ///< posted for each thread that `sleeping` no longer counts
  Semaphore watched;  ///< posted where `is_watched` becomes true, and at the end
  Semaphore stopped;  ///< posted at the end
  unsigned const share_max;
  unsigned aside_max = 0;
  schema::TroubleReport const report;
  // Guarded by `mutex`.
  std::deque<TasksPtr> ring;
  bool is_stopping = false;
  bool is_watched = false;
  unsigned sleeping = 0;  ///< threads that wait for `arrived` and were not woken
  Load load;
  std::map<std::string, std::weak_ptr<WorkGroup>> groups;
  std::list<Thread> threads;
  std::jthread watch;  ///< last: it uses the rest
};

WorkerPool::WorkerPool(unsigned threads, schema::TroubleReport report)
    : threads_(threads), state_(std::make_shared<State>(threads, std::move(report))) {}

void WorkerPool::stop() {
  {
    std::lock_guard const lock(state_->mutex);
    state_->is_stopping = true;
    while (state_->take_sleeper()) state_->arrived.post();
  }
  state_->stopped.post();
  state_->watched.post();
  if (state_->watch.joinable()) state_->watch.join();  // from here on no threads are added
  for (auto& each : state_->threads) {
    if (each.thread.joinable()) each.thread.join();
  }
  std::deque<State::TasksPtr> placed;
  std::vector<std::function<void()>> dropped;  // may end sessions, which post
  std::lock_guard const lock(state_->mutex);
  placed.swap(state_->ring);
  for (auto const& [name, weak] : state_->groups) {
    auto const group = weak.lock();
    if (!group) continue;
    for (auto& tasks : group->held) placed.push_back(std::move(tasks));
    group->held.clear();
  }
  for (auto const& tasks : placed) {
    state_->load.waiting -= tasks->waiting.size();
    for (auto& task : tasks->waiting) dropped.push_back(std::move(task));
    tasks->waiting.clear();
  }
}

WorkerPool::Load WorkerPool::load() const {
  std::lock_guard const lock(state_->mutex);
  return state_->load;
}

std::shared_ptr<WorkGroup> WorkerPool::group_of(std::string const& client) {
  if (client.empty()) return nullptr;
  std::lock_guard const lock(state_->mutex);
  auto& groups = state_->groups;
  if (groups.size() > groups_swept) std::erase_if(groups, [](auto const& each) { return each.second.expired(); });
  auto& known = groups[client];
  auto group = known.lock();
  if (!group) known = group = std::make_shared<WorkGroup>();
  return group;
}

WorkQueue::WorkQueue(WorkerPool& pool, unsigned running_max, std::shared_ptr<WorkGroup> group)
    : pool_(pool.state_),
      tasks_(std::make_shared<Tasks>(Tasks{.running_max = running_max, .group = std::move(group)})) {}

void WorkQueue::post(std::function<void()> task) {
  bool wakes = false;
  {
    std::lock_guard const lock(pool_->mutex);
    if (pool_->is_stopping) return;
    tasks_->waiting.push_back(std::move(task));
    ++pool_->load.waiting;
    pool_->place(tasks_);
    wakes = pool_->take_sleeper();
  }
  if (wakes) pool_->arrived.post();
}

}  // namespace whence::net
