#pragma once
// A second thread for the pieces of a large batch.

#include <cstddef>
#include <functional>
#include <memory>

namespace whence::engine {

/// Does work that comes in pieces on the thread that asks and on one thread of its own. A piece should take less than a
/// millisecond: who asks may have to wait for the last one of the other thread. Callable from any thread; while one is
/// being helped the others do all by themselves, as all do where the machine has one processor. One piece alone is not
/// worth waking the thread for.
class Helper {
 public:
  Helper();
  ~Helper();
  Helper(Helper const&) = delete;
  Helper& operator=(Helper const&) = delete;

  /// Calls `piece(i)` once for each `i` below `count`, on two threads and in any order, and returns when all have
  /// ended. Where one throws, the rest may not be begun, and the first exception is thrown here.
  void run(std::size_t count, std::function<void(std::size_t)> const& piece);

  /// The same beside `own`, which runs first on the thread that asks. What `own` throws goes before what pieces throw.
  void run_beside(std::function<void()> const& own, std::size_t count, std::function<void(std::size_t)> const& piece);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::engine
