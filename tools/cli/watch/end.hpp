#pragma once
// The end of a watch from outside: Ctrl-C, SIGTERM, or a closed reader of its output.

#include <atomic>
#include <functional>
#include <thread>

namespace whence::tools {

/// Waits for the end in its own thread. SIGINT and SIGTERM stay blocked in this process from here on, so that a
/// second Ctrl-C while the program is leaving does not change its exit code; make it before any other thread. SIGPIPE
/// is ignored: writing fails instead.
class WatchEnd {
 public:
  /// `stop` is called once, in that thread, when the end has come. If the process is still running a second later,
  /// because the reader of its output neither reads nor closes, it exits at once with exit code 0.
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
  int done_;     ///< descriptor: readable when waiting is over
  std::thread thread_;
};

/// Whether the reader of stdout has closed it. Always false for files and devices.
[[nodiscard]] bool is_reader_gone();

/// Discards what stdout still buffers and everything written to it from here on.
void discard_output();

}  // namespace whence::tools
