#pragma once
// The pauses between attempts to reconnect.

#include <chrono>
#include <cstdint>
#include <random>

namespace whence::tools {

/// Pauses that grow from 0.1 to 5 seconds. Each is a random value from the upper half of a range that
/// doubles, so that the clients of a restarted server do not all reconnect at once.
class WatchPauses {
 public:
  static constexpr std::chrono::milliseconds shortest{100};
  static constexpr std::chrono::milliseconds longest{5'000};

  explicit WatchPauses(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::chrono::milliseconds next();

  /// Starts over, after a success.
  void reset() noexcept { ceiling_ = 2 * shortest; }

 private:
  std::mt19937_64 random_;
  std::chrono::milliseconds ceiling_ = 2 * shortest;
};

}  // namespace whence::tools
