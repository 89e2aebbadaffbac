#pragma once
// The bounded queue between the threads that submit writes and the writer thread.

#include "engine/intake/intake.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

namespace whence::engine {

struct InboxLimits {
  std::size_t batches_max;
  std::size_t bytes_max;
  std::size_t group_records_max;
};

/// Any thread may call any member; `take_group` is meant for one. First in, first out.
class Inbox {
 public:
  explicit Inbox(InboxLimits limits) : limits_(limits) {}

  /// Moves `request` into the queue and returns true, or leaves it untouched where there is no room. An empty inbox
  /// takes any batch, however large.
  [[nodiscard]] bool offer(Request& request);

  /// Waits for at least one request and takes as many as make a group: the first, and those after it while the
  /// records together stay within the limit. Empty once closed and drained.
  [[nodiscard]] std::vector<Request> take_group();

  /// No more requests will be offered; `take_group` goes on until all are taken.
  void close();

 private:
  InboxLimits const limits_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> waiting_;  // guarded by mutex_, as all below
  std::size_t bytes_ = 0;
  bool is_closed_ = false;
};

}  // namespace whence::engine
