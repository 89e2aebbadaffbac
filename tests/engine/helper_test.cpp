// Pieces of work on two threads: each is done once, failures reach who asks, and nothing runs after the call.

#include "engine/values/helper.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

using whence::engine::Helper;

BOOST_AUTO_TEST_SUITE(helper)

BOOST_AUTO_TEST_CASE(does_each_piece_once) {
  Helper helper;
  for (std::size_t count : {0U, 1U, 2U, 3U, 1000U}) {
    std::vector<std::atomic<int>> done(count);
    helper.run(count, [&](std::size_t i) { ++done[i]; });
    for (auto const& each : done) BOOST_REQUIRE_EQUAL(each.load(), 1);
  }
}

BOOST_AUTO_TEST_CASE(work_of_its_own_is_done_beside_the_pieces) {
  Helper helper;
  auto const asking = std::this_thread::get_id();
  std::vector<int> done(500);
  bool is_own_done = false;
  helper.run_beside(
      [&] {
        BOOST_REQUIRE(std::this_thread::get_id() == asking);
        is_own_done = true;
      },
      done.size(), [&](std::size_t i) { done[i] = 1; });
  BOOST_TEST(is_own_done);
  BOOST_TEST(done == std::vector<int>(500, 1), boost::test_tools::per_element());
}

// Claim: whichever piece fails, on whichever thread, its exception is thrown to who asks once no piece runs any more,
// and the helper goes on helping.
BOOST_AUTO_TEST_CASE(a_failure_of_any_piece_reaches_who_asks) {
  Helper helper;
  for (std::size_t failing = 0; failing < 100; ++failing) {
    std::atomic<int> running = 0;
    auto const piece = [&](std::size_t i) {
      ++running;
      bool const fails = i == failing;
      --running;
      if (fails) throw std::bad_alloc();
    };
    BOOST_CHECK_THROW(helper.run(100, piece), std::bad_alloc);
    BOOST_REQUIRE_EQUAL(running.load(), 0);
  }
  std::atomic<std::size_t> done = 0;
  helper.run(100, [&](std::size_t) { ++done; });
  BOOST_TEST(done.load() == 100U);
}

BOOST_AUTO_TEST_CASE(a_failure_of_its_own_goes_first) {
  Helper helper;
  auto const own = [] { throw std::runtime_error("own"); };
  auto const piece = [](std::size_t) { throw std::bad_alloc(); };
  for (int i = 0; i < 100; ++i) BOOST_CHECK_THROW(helper.run_beside(own, 10, piece), std::runtime_error);
}

// Claim: threads that ask at the same time each get their own pieces done, one of them with help.
BOOST_AUTO_TEST_CASE(several_threads_may_ask) {
  Helper helper;
  std::atomic<bool> is_wrong = false;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::size_t> sum = 0;
        helper.run(20, [&](std::size_t i) { sum += i; });
        if (sum != 190) is_wrong = true;
      }
    });
  }
  threads.clear();
  BOOST_TEST(!is_wrong.load());
}

BOOST_AUTO_TEST_SUITE_END()
