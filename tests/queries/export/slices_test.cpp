// Claim: whatever the number of threads and the order in which slices are ready, results leave in the order of the
// slices, and after a failure none leaves. Method: workers whose slices are ready at different times, by counting work.

#include "queries/export/slices.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace whence::test {
namespace {

/// What a test's workers share.
struct SliceWorld {
  std::uint64_t slices = 50;
  std::uint64_t failing = 1000;          ///< the slice that fails
  bool throws = false;                   ///< it throws instead
  bool leaves_early = false;             ///< each slice waits for its turn while it is made
  std::uint64_t taken = 0;               ///< touched by whoever takes a slice
  std::vector<std::uint64_t> left = {};  ///< touched by whoever's turn it is
  std::atomic<int> at_work = 0;
  std::mutex mutex = {};
  std::vector<int> priorities = {};  ///< under the mutex

  [[nodiscard]] Result<void> run(std::size_t threads, std::function<Result<void>()> const& between = {});
};

class CountingWorker final : public exports::SliceWorker {
 public:
  explicit CountingWorker(SliceWorld& world) : world_(world) {}

  Result<bool> take() override {
    if (world_.taken == world_.slices) return false;
    slice_ = world_.taken++;
    return true;
  }

  Result<void> make(exports::Turn& turn) override {
    ++world_.at_work;
    {
      std::scoped_lock const lock(world_.mutex);
      world_.priorities.push_back(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())));
    }
    std::uint64_t volatile steps = 0;  // every third slice takes much longer
    while (steps < (slice_ % 3 == 0 ? 300'000U : 1'000U)) steps = steps + 1;
    auto made = outcome();
    if (made && world_.leaves_early && turn.wait()) world_.left.push_back(slice_);
    --world_.at_work;
    return made;
  }

  void finish() override { world_.left.push_back(slice_); }

 private:
  [[nodiscard]] Result<void> outcome() const {
    if (slice_ != world_.failing) return {};
    if (world_.throws) {
      --world_.at_work;
      throw std::runtime_error("a worker");
    }
    return Error{.code = Errc::corrupt, .message = "slice " + std::to_string(slice_)};
  }

  SliceWorld& world_;
  std::uint64_t slice_ = 0;
};

Result<void> SliceWorld::run(std::size_t threads, std::function<Result<void>()> const& between) {
  std::vector<std::unique_ptr<exports::SliceWorker>> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.push_back(std::make_unique<CountingWorker>(*this));
  return exports::work_in_slices(workers, between);
}

std::vector<std::uint64_t> first_slices(std::uint64_t count) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

std::vector<std::size_t> const thread_counts = {1, 2, 4};

BOOST_DATA_TEST_CASE(results_leave_in_the_order_of_their_slices, thread_counts, threads) {
  SliceWorld world;
  BOOST_REQUIRE(world.run(threads).has_value());
  BOOST_TEST(world.left == first_slices(50), boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(parts_of_results_leave_early_in_order_too, thread_counts, threads) {
  SliceWorld world;
  world.leaves_early = true;
  BOOST_REQUIRE(world.run(threads).has_value());
  BOOST_TEST(world.left.size() == 100U);
  BOOST_TEST(std::ranges::is_sorted(world.left));
}

BOOST_DATA_TEST_CASE(nothing_leaves_from_the_slice_that_failed_on, thread_counts, threads) {
  SliceWorld world;
  world.failing = 7;
  auto const failed = world.run(threads);
  BOOST_REQUIRE(!failed.has_value());
  BOOST_TEST(failed.error().message == "slice 7");
  BOOST_TEST(world.left.size() <= 7U);  // those before may have been under way
  BOOST_TEST(world.left == first_slices(world.left.size()), boost::test_tools::per_element());
  BOOST_TEST(world.taken <= 7 + threads);
  BOOST_TEST(world.at_work == 0);
}

BOOST_DATA_TEST_CASE(what_a_worker_throws_arrives_after_all_have_ended, thread_counts, threads) {
  SliceWorld world;
  world.failing = 5;
  world.throws = true;
  BOOST_CHECK_THROW((void)world.run(threads), std::runtime_error);
  BOOST_TEST(world.at_work == 0);
}

BOOST_DATA_TEST_CASE(work_ends_when_the_caller_is_told_to_stop, thread_counts, threads) {
  SliceWorld world;
  world.slices = 1'000'000;
  auto const asking = std::this_thread::get_id();
  auto const stopped = world.run(threads, [&]() -> Result<void> {
    BOOST_TEST((std::this_thread::get_id() == asking));
    return Error{.code = Errc::cancelled, .message = "enough"};
  });
  BOOST_REQUIRE(!stopped.has_value());
  BOOST_TEST(stopped.error().code == Errc::cancelled);
  BOOST_TEST(world.at_work == 0);
}

BOOST_AUTO_TEST_CASE(threads_have_the_priority_of_the_one_that_starts_them) {
  SliceWorld world;
  std::thread behind([&] {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
    BOOST_TEST(world.run(4).has_value());
  });
  behind.join();
  BOOST_TEST(world.priorities == std::vector<int>(50, 10), boost::test_tools::per_element());
}

}  // namespace
}  // namespace whence::test
