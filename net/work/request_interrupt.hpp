#pragma once
// How an evaluation learns that its request was cancelled, is out of time, or is too long for the thread it is on.

#include "schema/base/interrupt.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

namespace whence::net {

/// Of one evaluation on one thread.
class RequestInterrupt final : public schema::Interrupt {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Progress = std::function<void(std::uint64_t done)>;

  static constexpr std::uint64_t steps_unbounded = std::numeric_limits<std::uint64_t>::max();
  /// An evaluation of bounded steps takes no longer, whatever its steps cost.
  static constexpr std::chrono::milliseconds bounded_max{1};

  /// `cancelled` outlives it. `progress`, if any, is called at most ten times a second on the evaluating thread.
  RequestInterrupt(std::atomic<bool> const& cancelled, Moment deadline, std::uint64_t steps_max, Progress progress = {})
      : cancelled_(cancelled), deadline_(deadline), steps_max_(steps_max), progress_(std::move(progress)) {}

  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    steps_ += steps;
    if (cancelled_.load(std::memory_order_relaxed)) return schema::Stop::cancelled;
    if (other_ != nullptr && other_->load(std::memory_order_relaxed)) return schema::Stop::cancelled;
    if (steps_ > steps_max_) {
      is_too_long_ = true;
      return schema::Stop::too_long;
    }
    Moment const now = std::chrono::steady_clock::now();
    if (now >= deadline_) return schema::Stop::timeout;
    if (is_bounded() && now >= begun_ + bounded_max) {
      is_too_long_ = true;
      return schema::Stop::too_long;
    }
    if (progress_ && now >= next_report_) {
      next_report_ = now + std::chrono::milliseconds{100};
      progress_(steps_);
    }
    return schema::Stop::none;
  }

  /// `other`, which outlives it, cancels it too.
  void cancel_by(std::atomic<bool> const* other) noexcept { other_ = other; }

  /// Whether it may be stopped for its length.
  [[nodiscard]] bool is_bounded() const noexcept { return steps_max_ != steps_unbounded; }
  /// Whether an evaluation was stopped for its length, to be done again elsewhere.
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }

 private:
  std::atomic<bool> const& cancelled_;
  std::atomic<bool> const* other_ = nullptr;
  Moment deadline_;
  Moment const begun_ = std::chrono::steady_clock::now();
  std::uint64_t steps_max_;
  Progress progress_;
  mutable std::uint64_t steps_ = 0;
  mutable bool is_too_long_ = false;
  mutable Moment next_report_ = {};
};

}  // namespace whence::net
