#pragma once
// The way in which long work learns that it is cancelled or out of time.

#include <cstdint>

namespace whence::schema {

enum class Stop : std::uint8_t {
  none,
  cancelled,
  timeout,
  too_long,  ///< more than the caller's slice; it will be repeated on another thread
};

/// Polled by long evaluations every few thousand steps. Implementations read a flag or a clock; callable from the
/// evaluating thread only.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  /// `steps`: vertices plus edges looked at since the last call.
  [[nodiscard]] virtual Stop check(std::uint64_t steps) const noexcept = 0;
};

/// Never interrupts.
class NoInterrupt final : public Interrupt {
 public:
  [[nodiscard]] Stop check(std::uint64_t /*steps*/) const noexcept override { return Stop::none; }
};

}  // namespace whence::schema
