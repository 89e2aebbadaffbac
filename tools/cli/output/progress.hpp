#pragma once
// A progress bar for people who wait.

#include "tools/cli/io.hpp"

#include <chrono>
#include <cstdint>

namespace whence::tools {

/// Draws one line over and over on `io.talk`, at most ten times a second, and only where that is a terminal.
class Progress {
 public:
  /// `bytes_total`: 0 where it is not known; then no bar is drawn, only the numbers.
  Progress(Io& io, std::uint64_t bytes_total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void show(std::uint64_t bytes, std::uint64_t records);

  /// Wipes the line, so that other talk starts on a clean one.
  void clear();

  [[nodiscard]] double seconds() const;  ///< since construction

 private:
  Io& io_;
  std::uint64_t bytes_total_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;
  bool is_drawn_ = false;
};

/// Items per second; 0 where no time has passed.
[[nodiscard]] std::uint64_t rate(std::uint64_t items, double seconds);

}  // namespace whence::tools
