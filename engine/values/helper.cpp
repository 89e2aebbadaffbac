// One piece of work at a time is shown to the thread, under a mutex; its pieces are handed out by a counter.
#include "engine/values/helper.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace whence::engine {
namespace {

using Piece = std::function<void(std::size_t)>;

/// Pieces that two threads take one after the other.
class Pieces {
 public:
  Pieces(std::size_t count, Piece const& piece) : count_(count), piece_(piece) {}

  /// Does pieces until none is left.
  void work() noexcept {
    for (auto i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      try {
        piece_(i);
      } catch (...) {
        stop(std::current_exception());
      }
    }
  }

  /// No further piece is begun.
  void stop(std::exception_ptr why) noexcept {
    std::lock_guard const lock(mutex_);
    if (!failure_) failure_ = std::move(why);
    next_.store(count_);
  }

  /// Only after both threads have ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t const count_;
  Piece const& piece_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

struct Helper::Impl {
  Impl() : thread([this] { help(); }) {}
  ~Impl() {
    {
      std::lock_guard const lock(mutex);
      is_closed = true;
    }
    offered.notify_one();
  }

  void help() {
    std::unique_lock lock(mutex);
    for (;;) {
      offered.wait(lock, [this] { return is_closed || pieces != nullptr; });
      if (is_closed) return;
      auto* const taken = std::exchange(pieces, nullptr);
      is_helping = true;
      lock.unlock();
      taken->work();
      lock.lock();
      is_helping = false;
      ended.notify_one();
    }
  }

  void offer(Pieces& given) {
    {
      std::lock_guard const lock(mutex);
      pieces = &given;
    }
    offered.notify_one();
  }

  /// Returns when the thread does not touch the pieces any more.
  void take_back() {
    std::unique_lock lock(mutex);
    pieces = nullptr;
    ended.wait(lock, [this] { return !is_helping; });
  }

  std::mutex asking;  // held by the one that is helped
  std::mutex mutex;   // guards the rest
  std::condition_variable offered;
  std::condition_variable ended;
  Pieces* pieces = nullptr;  // not taken yet
  bool is_helping = false;
  bool is_closed = false;
  std::jthread thread;  // last: it uses all of the above
};

/// Where the system gives no further thread, who asks does all.
Helper::Helper() {
  if (std::thread::hardware_concurrency() < 2) return;
  try {
    impl_ = std::make_unique<Impl>();
  } catch (std::system_error const&) {
    impl_.reset();
  }
}
Helper::~Helper() = default;

void Helper::run(std::size_t count, Piece const& piece) {
  run_beside([] {}, count, piece);
}

void Helper::run_beside(std::function<void()> const& own, std::size_t count, Piece const& piece) {
  Pieces pieces(count, piece);
  std::unique_lock<std::mutex> asking;
  if (impl_ && count > 1) asking = std::unique_lock(impl_->asking, std::try_to_lock);
  if (asking) impl_->offer(pieces);
  std::exception_ptr failure;
  try {
    own();
  } catch (...) {
    failure = std::current_exception();
    pieces.stop(failure);
  }
  pieces.work();
  if (asking) impl_->take_back();
  if (failure) std::rethrow_exception(failure);
  pieces.rethrow();
}

}  // namespace whence::engine
