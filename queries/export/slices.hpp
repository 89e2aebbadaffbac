#pragma once
// Work on slices of an ordered whole, by several threads, whose results leave in the order of the slices. The calling
// thread takes slices too; it alone reports progress and asks whether the export is cancelled.

#include "schema/base/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace whence::exports {

/// The order of slices. Shared by the threads.
class Turns;

/// The right to let results out, for one slice.
class Turn {
 public:
  Turn(Turns& turns, std::uint64_t slice) : turns_(turns), slice_(slice) {}

  /// Whether all slices before this one are finished.
  [[nodiscard]] bool has_come() const;
  /// Waits until it has come; false where the work is to end without a result, because another slice failed.
  [[nodiscard]] bool wait();

 private:
  Turns& turns_;
  std::uint64_t slice_;
  bool has_come_ = false;
};

/// What one thread works with: takes a slice, makes its result, lets it out.
class SliceWorker {
 public:
  virtual ~SliceWorker() = default;

  /// Takes the next slice of the whole; false where there is none. Called for one worker at a time, in the order of
  /// slices.
  [[nodiscard]] virtual Result<bool> take() = 0;
  /// Makes the result of the slice that was taken, beside other workers. What would pass the room for results leaves
  /// earlier: once `turn.wait()` has returned true, until the call ends. After false it returns at once.
  [[nodiscard]] virtual Result<void> make(Turn& turn) = 0;
  /// Lets the result out. Called for one worker at a time, in the order of slices.
  virtual void finish() = 0;
};

/// Lets each worker take slices on a thread of its own until there are none: the first one on the calling thread, the
/// others on threads that are started with its priority and end before the call does. Where no thread can be started,
/// fewer work. `between`, called on the calling thread after each of its slices and at the end, says whether to go on.
/// Fails with its error, or with that of the earliest slice that has one; throws what a worker threw. After a failure
/// no further result leaves.
[[nodiscard]] Result<void> work_in_slices(std::span<std::unique_ptr<SliceWorker> const> workers,
                                          std::function<Result<void>()> const& between);

}  // namespace whence::exports
