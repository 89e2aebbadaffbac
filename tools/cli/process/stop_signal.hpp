#pragma once
// Ctrl-C and SIGTERM as an `Interrupt`, which long work checks so that it can undo what it began.

#include "schema/base/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace whence::tools {

/// While it exists, the two signals only set a flag. At most one at a time in a process.
class StopSignal final : public schema::Interrupt {
 public:
  StopSignal();
  ~StopSignal() override;
  StopSignal(StopSignal const&) = delete;
  StopSignal& operator=(StopSignal const&) = delete;

  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override;
  [[nodiscard]] std::atomic<bool> const& has_come() const noexcept;

 private:
  struct sigaction before_interrupt_ = {};
  struct sigaction before_terminate_ = {};
};

}  // namespace whence::tools
