// What requests and answers may hold together.
#include "net/work/memory_budget.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

BOOST_AUTO_TEST_CASE(a_peer_may_hold_a_quarter_of_all) {
  auto const budget = std::make_shared<MemoryBudget>(1'000);
  MemoryClaim claim{std::make_shared<PeerMemory>(budget)};
  BOOST_TEST(!claim.try_set(251));
  BOOST_TEST(budget->used() == 0U);
  BOOST_TEST(claim.try_set(250));
  BOOST_TEST(budget->used() == 250U);
}

BOOST_AUTO_TEST_CASE(all_peers_together_may_hold_the_budget) {
  auto const budget = std::make_shared<MemoryBudget>(1'000);
  std::vector<std::unique_ptr<MemoryClaim>> claims;
  for (int i = 0; i < 4; ++i) {
    claims.push_back(std::make_unique<MemoryClaim>(std::make_shared<PeerMemory>(budget)));
    BOOST_TEST(claims.back()->try_set(250));
  }
  MemoryClaim one_more{std::make_shared<PeerMemory>(budget)};
  BOOST_TEST(!one_more.try_set(1));
  claims.pop_back();
  BOOST_TEST(one_more.try_set(250));
}

BOOST_AUTO_TEST_CASE(requests_get_less_where_the_process_holds_much) {
  auto const budget = std::make_shared<MemoryBudget>();
  auto const all = MemoryBudget::memory_of_process();
  BOOST_TEST(budget->bytes_max() == MemoryBudget::default_bytes());
  budget->adapt(all / 2);  // a tenth is left of the 60 %
  BOOST_TEST(budget->bytes_max() <= std::max<std::size_t>(all / 10, 64U << 20U));
  MemoryClaim claim{std::make_shared<PeerMemory>(budget)};
  claim.set(1'000'000);
  auto const before = budget->bytes_max();
  budget->adapt(all / 2 + 1'000'000);  // what requests hold is not counted twice
  BOOST_TEST(budget->bytes_max() == before);
  budget->adapt(all);
  BOOST_TEST(budget->bytes_max() == std::size_t{64} << 20U);
  budget->adapt(0);
  BOOST_TEST(budget->bytes_max() == MemoryBudget::default_bytes());
  MemoryBudget given{1'000};
  given.adapt(all);
  BOOST_TEST(given.bytes_max() == 1'000U);
}

// The engine may let a write's callback go, and with it what the write holds, after the service has ended.
BOOST_AUTO_TEST_CASE(a_claim_may_end_after_the_service_that_had_the_budget) {
  auto budget = std::make_shared<MemoryBudget>(1'000);
  std::weak_ptr<MemoryBudget> const watched = budget;
  {
    MemoryClaim claim{std::make_shared<PeerMemory>(budget)};
    claim.set(100);
    budget.reset();
    BOOST_TEST(!watched.expired());
  }
  BOOST_TEST(watched.expired());
}

}  // namespace
}  // namespace whence::net
