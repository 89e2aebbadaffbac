// Pauses before a lost connection is tried again.

#include "tests/support/seed.hpp"
#include "tools/cli/transport/pauses.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/test/unit_test.hpp>

using whence::tools::WatchPauses;

BOOST_AUTO_TEST_SUITE(watch_pauses)

BOOST_AUTO_TEST_CASE(grow_within_their_bounds) {
  std::uint64_t const first = whence::test::seed_from_environment();
  for (std::uint64_t seed = first; seed != first + 1'000; ++seed) {
    WatchPauses pauses{seed};
    auto ceiling = 2 * WatchPauses::shortest.count();
    for (int i = 0; i < 20; ++i) {  // each range begins where the one before ends, but for the last, which is cut
      auto const pause = pauses.next().count();
      BOOST_TEST(pause >= ceiling / 2, "WHENCE_TEST_SEED=" << seed << " pause " << i << ": " << pause << " ms");
      BOOST_TEST(pause <= ceiling, "WHENCE_TEST_SEED=" << seed << " pause " << i << ": " << pause << " ms");
      ceiling = std::min<decltype(ceiling)>(2 * ceiling, WatchPauses::longest.count());
    }
  }
}

BOOST_AUTO_TEST_CASE(start_over_after_a_success) {
  WatchPauses pauses{1};
  for (int i = 0; i < 10; ++i) static_cast<void>(pauses.next());
  pauses.reset();
  BOOST_TEST(pauses.next().count() <= 2 * WatchPauses::shortest.count());
}

BOOST_AUTO_TEST_SUITE_END()
