#pragma once
// Counting the steps of long work, and asking now and then whether to go on.

#include "schema/error.hpp"
#include "schema/interrupt.hpp"

#include <cstdint>
#include <optional>

namespace whence::graph::impl {

/// Asks `interrupt` once in about `steps_between` steps: often enough to stop within a millisecond, seldom enough to
/// cost nothing beside the work.
class Poll {
 public:
  static constexpr std::uint64_t steps_between = 4096;

  explicit Poll(schema::Interrupt const& interrupt) noexcept : interrupt_{&interrupt} {}

  /// Counts `steps` (vertices plus edges looked at); true where the work must stop for the reason in `error`.
  [[nodiscard]] bool must_stop(std::uint64_t steps) noexcept {
    steps_ += steps;
    if (steps_ < steps_between) return false;
    stop_ = interrupt_->check(steps_);
    steps_ = 0;
    return stop_ != schema::Stop::none;
  }
  [[nodiscard]] bool has_stopped() const noexcept { return stop_ != schema::Stop::none; }
  [[nodiscard]] Error error() const;

 private:
  schema::Interrupt const* interrupt_;
  std::uint64_t steps_ = 0;
  schema::Stop stop_ = schema::Stop::none;
};

}  // namespace whence::graph::impl
