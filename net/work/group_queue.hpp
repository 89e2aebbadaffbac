#pragma once
// A bounded queue in front of one thread that works on what waits in groups.

#include "schema/threads/thread_guard.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace whence::net {

/// Every member may be called from any thread. At its end the group under way is finished, and what waits is refused.
///
/// Clients take turns: a group is of one client, and the more clients wait, the smaller it is. One has at most seven
/// eighths of the places.
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

  /// Takes `item` of `client`; false, and `item` is as it was, where too many wait.
  [[nodiscard]] bool push(Item& item, std::string const& client = {}) {
    {
      std::lock_guard const lock(mutex_);
      if (is_stopping_ || waiting_count_ >= limits_.waiting_max) return false;
      auto const own = waiting_.find(client);
      bool const is_first = own == waiting_.end();
      if (!is_first && own->second.size() >= limits_.waiting_max - limits_.waiting_max / 8) return false;
      if (is_first) turns_.push_back(client);
      (is_first ? waiting_[client] : own->second).push_back(std::move(item));
      ++waiting_count_;
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
      changed_.wait(lock, [this] { return is_stopping_ || !turns_.empty(); });
      is_last = is_stopping_;
      auto const count = is_last ? limits_.waiting_max : std::max<std::size_t>(1, limits_.group_max / turns_.size());
      do {
        take_turn(group, count);
      } while (is_last && !turns_.empty());
    }
    (is_last ? refuse_ : work_)(group);
    return is_last;
  }

  /// Takes up to `count` items of the client whose turn it is, who is the last then. With the mutex held.
  void take_turn(std::vector<Item>& group, std::size_t count) {
    if (turns_.empty()) return;
    auto const own = waiting_.find(turns_.front());
    for (auto& items = own->second; count > 0 && !items.empty(); --count, --waiting_count_) {
      group.push_back(std::move(items.front()));
      items.pop_front();
    }
    if (own->second.empty()) {
      waiting_.erase(own);
    } else {
      turns_.push_back(std::move(turns_.front()));
    }
    turns_.pop_front();
  }

  Limits const limits_;
  Work const work_;
  Work const refuse_;
  std::mutex mutable mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::deque<Item>> waiting_;  // by client; guarded by mutex_
  std::deque<std::string> turns_;                    // clients of whom something waits; likewise
  std::size_t waiting_count_ = 0;                    // likewise
  bool is_stopping_ = false;                         // likewise
  schema::ThreadGuard guard_;                        // of the thread
  std::jthread thread_;                              ///< last: joined before what it uses goes
};

}  // namespace whence::net
