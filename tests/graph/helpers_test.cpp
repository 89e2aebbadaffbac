// Helpers of long walks. Claim: they join one piece of work at a time where a core is free, leave when another long
// walk begins, and their lender waits until they have. Method: work that says who is in it.
#include "graph/walks/helpers.hpp"

#include "tests/support/wait_until.hpp"

#include <atomic>
#include <optional>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::Helper;
using graph::Helpers;

/// Stays as long as it may.
struct Endless final : graph::SharedWork {
  std::atomic<int> joined = 0;
  std::atomic<int> left = 0;
  std::atomic<bool> is_over = false;

  void help(Helper& helper) noexcept override {
    ++joined;
    while (!is_over && helper.may_stay()) continue;
    ++left;
  }
  void require_joined() const {
    BOOST_REQUIRE(wait_until([this] { return joined > 0; }));
  }
};

/// Lent as soon as helpers that had to leave a core have rested.
void require_lent(std::optional<Helpers::Loan>& loan, Helpers& helpers, Endless& work) {
  BOOST_REQUIRE(wait_until([&] { return loan.emplace(helpers, work).is_lent(); }));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(helpers)

BOOST_AUTO_TEST_CASE(join_one_work_at_a_time_and_once) {
  Helpers helpers{4};
  Helpers::LongWalk const walk{helpers};
  for (int i = 0; i < 20; ++i) {
    Endless work;
    Endless other;
    {
      std::optional<Helpers::Loan> loan;
      require_lent(loan, helpers, work);
      work.require_joined();
      BOOST_TEST(!Helpers::Loan(helpers, other).is_lent());
      work.is_over = true;
      loan->wait();
      BOOST_TEST(work.left == work.joined);
    }
    BOOST_TEST(work.joined <= 3);
    BOOST_TEST(other.joined == 0);
  }
}

BOOST_AUTO_TEST_CASE(leave_when_another_long_walk_begins) {
  Helpers helpers{2};
  Helpers::LongWalk const walk{helpers};
  Endless work;
  std::optional<Helpers::Loan> loan;
  require_lent(loan, helpers, work);
  work.require_joined();
  Helpers::LongWalk const other_walk{helpers};
  loan->wait();
  BOOST_TEST(work.left == work.joined);
}

BOOST_AUTO_TEST_CASE(are_not_lent_where_all_cores_walk) {
  Helpers helpers{2};
  Helpers::LongWalk const walk{helpers};
  Helpers::LongWalk const other_walk{helpers};
  Endless work;
  BOOST_TEST(!Helpers::Loan(helpers, work).is_lent());
  BOOST_TEST(work.joined == 0);
}

BOOST_AUTO_TEST_CASE(are_none_on_one_core) {
  Helpers helpers{1};
  Endless work;
  BOOST_TEST(!Helpers::Loan(helpers, work).is_lent());
  Helpers::LongWalk const walk{helpers};
  BOOST_TEST(!Helpers::Loan(helpers, work).is_lent());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
