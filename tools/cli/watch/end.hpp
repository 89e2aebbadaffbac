#pragma once
// What ends a watch from outside: Ctrl-C, SIGTERM, or that nobody reads its output any more.

#include <atomic>
#include <functional>
#include <thread>

namespace whence::tools {

/// Waits for the end in a thread of its own. SIGINT and SIGTERM stay blocked in this process from here on, so that a
/// second Ctrl-C while the program is leaving does not change its exit code; make it before any other thread. SIGPIPE
/// is ignored: writing fails instead.
class WatchEnd {
 public:
  /// `stop` is called once, in that thread, when the end has come. Where the process has not ended a second later,
  /// because a reader of its output neither reads nor goes, it ends with exit code 0 there and then.
  explicit WatchEnd(std::function<void()> stop);
  ~WatchEnd();
  WatchEnd(WatchEnd const&) = delete;
  WatchEnd& operator=(WatchEnd const&) = delete;

  [[nodiscard]] bool has_come() const noexcept { return has_come_; }

 private:
  void wait();

  std::function<void()> stop_;
  std::atomic<bool> has_come_{false};
  int signals_;  ///< descriptor: readable when a signal came
  int done_;     ///< descriptor: readable when nobody needs to wait any more
  std::thread thread_;
};

/// Whether whoever read stdout has gone. Always false for files and devices.
[[nodiscard]] bool is_reader_gone();

/// Lets everything written to stdout from here on, and what it still holds, disappear.
void discard_output();

}  // namespace whence::tools
