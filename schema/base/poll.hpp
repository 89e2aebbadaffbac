#pragma once
// Counts the steps of long work, polls now and then whether to go on, and returns the reason to stop as an error.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <cstdint>

namespace whence::schema {

/// Asks `interrupt` once in about `steps_between` steps: often enough to stop within a millisecond, seldom enough to
/// cost nothing beside the work. Belongs to one evaluation, and so to one thread.
class Poll {
 public:
  static constexpr std::uint64_t steps_between = 4096;

  explicit Poll(Interrupt const& interrupt) noexcept : interrupt_{&interrupt} {}

  /// Counts `steps` (vertices plus edges looked at); true where the work must stop for the reason in `error`.
  [[nodiscard]] bool must_stop(std::uint64_t steps = 1) noexcept {
    steps_ += steps;
    if (steps_ < steps_between) return false;
    stop_ = interrupt_->check(steps_);
    steps_ = 0;
    return stop_ != Stop::none;
  }
  [[nodiscard]] bool has_stopped() const noexcept { return stop_ != Stop::none; }
  /// Why it stopped: `cancelled`, `deadline_exceeded`, or `busy` where the slice was too short.
  [[nodiscard]] Error error() const;

 private:
  Interrupt const* interrupt_;
  std::uint64_t steps_ = 0;
  Stop stop_ = Stop::none;
};

}  // namespace whence::schema
