// Workers take slices themselves, so that there is no queue: at most one slice for each worker exists at a time.

#include "queries/export/slices.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace whence::exports {

/// Invariants: 1. slices are taken under one mutex, so that the earliest slice that is not finished has a worker that
/// does not wait. 2. once something failed, no turn comes any more.
class Turns {
 public:
  [[nodiscard]] bool has_come(std::uint64_t slice) const {
    return finished_.load(std::memory_order_acquire) == slice && !has_failed();
  }

  [[nodiscard]] bool wait(std::uint64_t slice) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return finished_ == slice || has_failed_; });
    return !has_failed_;
  }

  void finish() {
    {
      std::scoped_lock const lock(mutex_);
      finished_.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
  }

  void fail(std::uint64_t slice, std::optional<Error> error, std::exception_ptr thrown) {
    {
      std::scoped_lock const lock(mutex_);
      if (slice < failed_slice_) {
        failed_slice_ = slice;
        error_ = std::move(error);
        thrown_ = std::move(thrown);
      }
      has_failed_ = true;
    }
    changed_.notify_all();
  }

  [[nodiscard]] bool has_failed() const { return has_failed_; }

  /// The number of the slice that `worker` took; nothing where there is none, or no more is wanted.
  std::optional<std::uint64_t> take(SliceWorker& worker) {
    std::scoped_lock const lock(taking_);
    if (has_failed_ || has_ended_) return std::nullopt;
    auto const slice = taken_++;
    try {
      auto const taken = worker.take();
      if (!taken) fail(slice, taken.error(), nullptr);
      has_ended_ = !taken || !*taken;
    } catch (...) {
      has_ended_ = true;
      fail(slice, std::nullopt, std::current_exception());
    }
    return has_ended_ ? std::nullopt : std::optional(slice);
  }

  /// After all threads have ended.
  [[nodiscard]] Result<void> outcome() const {
    if (thrown_) std::rethrow_exception(thrown_);
    if (error_) return *error_;
    return {};
  }

 private:
  std::mutex taking_;
  std::uint64_t taken_ = 0;  // this and the next: guarded by `taking_`
  bool has_ended_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> finished_ = 0;  // this and the next: written under `mutex_`
  std::atomic<bool> has_failed_ = false;
  std::uint64_t failed_slice_ = std::numeric_limits<std::uint64_t>::max();  // this and the next: guarded by `mutex_`
  std::optional<Error> error_ = {};
  std::exception_ptr thrown_ = nullptr;
};

bool Turn::has_come() const {
  return has_come_ || turns_.has_come(slice_);
}

bool Turn::wait() {
  if (!has_come_) has_come_ = turns_.wait(slice_);
  return has_come_;
}

namespace {

/// One slice from its taking to its end; false where the thread is to end.
bool work_on_next(Turns& turns, SliceWorker& worker, std::function<Result<void>()> const& between) {
  auto const slice = turns.take(worker);
  if (!slice) return false;
  try {
    Turn turn(turns, *slice);
    auto made = worker.make(turn);
    if (made && turn.wait()) {
      worker.finish();
      turns.finish();
      if (between) made = between();
    }
    if (!made) turns.fail(*slice, made.error(), nullptr);
  } catch (...) {
    turns.fail(*slice, std::nullopt, std::current_exception());
  }
  return !turns.has_failed();
}

}  // namespace

Result<void> work_in_slices(std::span<std::unique_ptr<SliceWorker> const> workers,
                            std::function<Result<void>()> const& between) {
  Turns turns;
  {
    std::vector<std::jthread> others;
    for (auto const& worker : workers.subspan(1)) {
      try {
        // On Linux a thread starts with the nice value of the one that makes it.
        others.emplace_back([&turns, &worker] {
          while (work_on_next(turns, *worker, {})) {
          }
        });
      } catch (std::system_error const&) {
        break;
      }
    }
    while (work_on_next(turns, *workers.front(), between)) {
    }
  }
  auto outcome = turns.outcome();
  return outcome && between ? between() : outcome;
}

}  // namespace whence::exports
