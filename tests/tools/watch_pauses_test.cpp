// Pauses before a lost connection is tried again.

#include "tools/cli/watch/pauses.hpp"

#include <iostream>
#include <random>

#include <boost/test/unit_test.hpp>

using whence::tools::WatchPauses;

BOOST_AUTO_TEST_SUITE(watch_pauses)

BOOST_AUTO_TEST_CASE(grow_within_their_bounds) {
  std::uint64_t const seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  WatchPauses pauses{seed};
  auto before = WatchPauses::shortest;
  for (int i = 0; i < 6; ++i) {  // each range begins where the one before ends, as long as they double
    auto const pause = pauses.next();
    BOOST_TEST(pause.count() >= before.count());
    before = pause;
  }
  for (int i = 0; i < 100; ++i) {
    auto const pause = pauses.next();
    BOOST_TEST(pause.count() >= WatchPauses::longest.count() / 2);
    BOOST_TEST(pause.count() <= WatchPauses::longest.count());
  }
}

BOOST_AUTO_TEST_CASE(start_over_after_a_success) {
  WatchPauses pauses{1};
  for (int i = 0; i < 10; ++i) static_cast<void>(pauses.next());
  pauses.reset();
  BOOST_TEST(pauses.next().count() <= 2 * WatchPauses::shortest.count());
}

BOOST_AUTO_TEST_SUITE_END()
