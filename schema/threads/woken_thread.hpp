#pragma once
// A thread that works when it is woken, and sleeps meanwhile.

#include "schema/threads/thread_guard.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

namespace whence::schema {

/// One thread of its owner, last among its members: it ends before what it uses. `wake`, `request_stop` and
/// `is_stopping` may be called from any thread, all else by the owner.
class WokenThread {
 public:
  using Duration = std::chrono::steady_clock::duration;
  /// How the thread sleeps after a piece of work.
  struct Sleep {
    Duration least = {};                ///< whatever wakes it; so much that comes at once is one piece of work
    std::optional<Duration> most = {};  ///< whoever wakes it; nothing: until it is woken
  };
  /// One piece of work, which ends early where a stop is requested. Where it throws that is reported, and the thread
  /// sleeps as it did last.
  using Work = std::function<Sleep(std::stop_token const& stop)>;

  /// As of a `ThreadGuard`.
  WokenThread(TroubleReport report, std::string_view thread, std::string_view goes_on);
  /// As `stop`.
  ~WokenThread();
  WokenThread(WokenThread const&) = delete;
  WokenThread& operator=(WokenThread const&) = delete;

  /// Starts it, woken. Once. `begin` is called on it first.
  void start(Work work, std::function<void()> begin = {});
  /// There is something to do: it works once more, also where it is working now. Never blocks for long.
  void wake();
  /// From now on it begins nothing more. Does not wait for it.
  void request_stop();
  /// Requests that, and waits for it; again, or without a start: no effect.
  void stop();
  [[nodiscard]] bool is_stopping() const noexcept { return stop_.stop_requested(); }

  /// Runs `work` on the calling thread under the same guard: false where it threw. Before `start`, or after `stop`.
  template <class Here>
  bool run(Here&& work) noexcept {
    return guard_.run(std::forward<Here>(work));
  }

 private:
  void keep_working(Work const& work);

  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any wakes_;
  bool is_woken_ = true;  // under `mutex_`
  ThreadGuard guard_;     // of the thread
  std::thread thread_;
};

}  // namespace whence::schema
