#pragma once
// One interrupt for a run that is made in steps, while each step has one of its own.

#include "schema/base/interrupt.hpp"

#include <cstdint>

namespace whence::net {

/// Asks the interrupt of the step that is under way; between two steps nothing interrupts.
class InterruptOfStep final : public schema::Interrupt {
 public:
  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    return now_ == nullptr ? schema::Stop::none : now_->check(steps);
  }

  /// For a step: `now` outlives this object.
  class Step {
   public:
    Step(InterruptOfStep& of, schema::Interrupt const& now) : of_{of} { of_.now_ = &now; }
    ~Step() { of_.now_ = nullptr; }
    Step(Step const&) = delete;
    Step& operator=(Step const&) = delete;

   private:
    InterruptOfStep& of_;
  };

 private:
  schema::Interrupt const* now_ = nullptr;
};

}  // namespace whence::net
