#pragma once
// Waiting for a result of another thread. The one place of the C++ tests that sleeps.

#include <chrono>
#include <thread>

namespace whence::test {

/// Polls `is_reached` until it is true; false where it is not within a minute, which is long even under a sanitizer.
template <class Condition>
[[nodiscard]] bool wait_until(Condition is_reached) {
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!is_reached()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

}  // namespace whence::test
