#pragma once
// Asks the interrupt now and then, and says as an error what it answered.

#include "schema/error.hpp"
#include "schema/interrupt.hpp"

#include <cstdint>

namespace whence::queries {

/// Counts the steps of one evaluation and passes them on in bundles, so that a tight loop pays an addition a step.
class Poll {
 public:
  explicit Poll(schema::Interrupt const& interrupt) : interrupt_(interrupt) {}

  /// Whether to give up now; then `error()` says why. `steps`: vertices plus edges looked at since the last call.
  [[nodiscard]] bool stops(std::uint64_t steps = 1) noexcept {
    steps_ += steps;
    if (steps_ < steps_per_check) return false;
    stop_ = interrupt_.check(steps_);
    steps_ = 0;
    return stop_ != schema::Stop::none;
  }

  [[nodiscard]] Error error() const;

 private:
  static constexpr std::uint64_t steps_per_check = 4096;

  schema::Interrupt const& interrupt_;
  std::uint64_t steps_ = 0;
  schema::Stop stop_ = schema::Stop::none;
};

}  // namespace whence::queries
