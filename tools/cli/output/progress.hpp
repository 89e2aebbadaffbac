#pragma once
// A progress bar on the terminal.

#include "store/values/advance.hpp"
#include "tools/cli/process/io.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace whence::tools {

/// Redraws one line on `io.talk`, at most ten times a second, and only if that is a terminal.
class Progress {
 public:
  /// `bytes_total`: 0 if unknown; then only the numbers are shown, without a bar.
  Progress(Io& io, std::uint64_t bytes_total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void show(std::uint64_t bytes, std::uint64_t records);

  /// Where what is done is counted in the same things as all of it, and these are called `what`.
  void show_part(std::uint64_t done, std::uint64_t total, std::string_view what = {});

  /// What long work is given to tell how far it is. The progress outlives it.
  [[nodiscard]] store::Advance advance();

  /// Erases the line, so that other output starts on an empty one.
  void clear();

  [[nodiscard]] bool is_shown() const { return io_.is_talk_terminal; }
  [[nodiscard]] double seconds() const;  ///< since construction

 private:
  /// Whether it is time to redraw, on a terminal.
  [[nodiscard]] bool is_due();
  void draw(std::string_view text);

  Io& io_;
  std::uint64_t bytes_total_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_shown_;
  bool is_visible_ = false;
};

/// Items per second; 0 if no time has passed.
[[nodiscard]] std::uint64_t rate(std::uint64_t items, double seconds);

}  // namespace whence::tools
