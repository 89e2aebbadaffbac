#pragma once
// A bounded queue in front of one thread that works on what waits in groups.

#include "schema/threads/thread_guard.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace whence::net {

/// Every member may be called from any thread. At its end the group under way is finished, and what waits is refused.
template <class Item>
class GroupQueue {
 public:
  struct Limits {
    std::size_t waiting_max;  ///< items that wait
    std::size_t group_max;    ///< items worked on together
  };
  using Work = std::function<void(std::vector<Item>& group)>;

  /// `work` and `refuse` are called on the thread; they should not throw. `report`: of what they threw.
  GroupQueue(Limits limits, Work work, Work refuse, schema::TroubleReport report = {})
      : limits_(limits),
        work_(std::move(work)),
        refuse_(std::move(refuse)),
        guard_(std::move(report), "intake", "requests that waited may have no answer, those after them go on"),
        thread_([this] {
          for (bool is_over = false; !is_over;) guard_.run([&] { is_over = run_once(); });
        }) {}
  ~GroupQueue() {
    {
      std::lock_guard const lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
  }
  GroupQueue(GroupQueue const&) = delete;
  GroupQueue& operator=(GroupQueue const&) = delete;

  /// Takes `item`; false, and `item` is as it was, where too many wait.
  [[nodiscard]] bool push(Item& item) {
    {
      std::lock_guard const lock(mutex_);
      if (is_stopping_ || waiting_.size() >= limits_.waiting_max) return false;
      waiting_.push_back(std::move(item));
    }
    changed_.notify_one();
    return true;
  }

  /// Whether the group under way should end soon.
  [[nodiscard]] bool is_stopping() const {
    std::lock_guard const lock(mutex_);
    return is_stopping_;
  }

 private:
  /// Whether that was the last group.
  bool run_once() {
    std::vector<Item> group;
    bool is_last = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      is_last = is_stopping_;
      while (!waiting_.empty() && (is_last || group.size() < limits_.group_max)) {
        group.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
      }
    }
    (is_last ? refuse_ : work_)(group);
    return is_last;
  }

  Limits const limits_;
  Work const work_;
  Work const refuse_;
  std::mutex mutable mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;   // guarded by mutex_
  bool is_stopping_ = false;   // likewise
  schema::ThreadGuard guard_;  // of the thread
  std::jthread thread_;        ///< last: joined before what it uses goes
};

}  // namespace whence::net
