// What requests and answers may hold together.
#include "net/work/memory_budget.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::unique_ptr<MemoryClaim> claim_of(std::shared_ptr<MemoryBudget> const& budget) {
  return std::make_unique<MemoryClaim>(std::make_shared<PeerMemory>(budget));
}

BOOST_AUTO_TEST_CASE(a_peer_may_hold_a_quarter_of_all) {
  auto const budget = std::make_shared<MemoryBudget>(1'000 * mib);
  MemoryClaim claim{std::make_shared<PeerMemory>(budget)};
  BOOST_TEST(!claim.try_set(251 * mib));
  BOOST_TEST(budget->used() == 0U);
  BOOST_TEST(claim.try_set(250 * mib));
  BOOST_TEST(budget->used() == 250 * mib);
}

BOOST_AUTO_TEST_CASE(peers_that_hold_much_leave_a_quarter_to_others) {
  auto const budget = std::make_shared<MemoryBudget>(1'000 * mib);
  std::vector<std::unique_ptr<MemoryClaim>> claims;
  for (int i = 0; i < 3; ++i) {
    claims.push_back(claim_of(budget));
    BOOST_TEST(claims.back()->try_set(250 * mib));
  }
  auto const one_more = claim_of(budget);
  BOOST_TEST(!one_more->try_set(32 * mib));
  for (int i = 0; i < 8; ++i) {
    claims.push_back(claim_of(budget));
    BOOST_TEST(claims.back()->try_set(31 * mib));
  }
  BOOST_TEST(!one_more->try_set(31 * mib));
  claims.erase(claims.begin());
  BOOST_TEST(one_more->try_set(31 * mib));
}

BOOST_AUTO_TEST_CASE(many_small_claims_of_one_peer_are_refused_beyond_its_part) {
  auto const budget = std::make_shared<MemoryBudget>(1 * mib);
  auto const peer = std::make_shared<PeerMemory>(budget);
  std::vector<std::unique_ptr<MemoryClaim>> claims;
  for (int i = 0; i < 8; ++i) claims.push_back(std::make_unique<MemoryClaim>(peer));
  auto const held =
      std::ranges::count_if(claims, [](auto const& each) { return each->try_set(MemoryClaim::small_bytes); });
  BOOST_TEST(held == 4);                                            // a quarter of the budget
  BOOST_TEST(claim_of(budget)->try_set(MemoryClaim::small_bytes));  // another has room
}

BOOST_AUTO_TEST_CASE(small_claims_are_refused_to_nobody_else) {
  auto const budget = std::make_shared<MemoryBudget>(100 * mib);
  auto const all = claim_of(budget);
  all->set(200 * mib);
  auto const small = claim_of(budget);
  BOOST_TEST(small->try_set(MemoryClaim::small_bytes));
  BOOST_TEST(!small->try_set(MemoryClaim::small_bytes + 1));
  BOOST_TEST(small->bytes() == MemoryClaim::small_bytes);
}

BOOST_AUTO_TEST_CASE(what_is_given_back_goes_to_the_system) {
  MemoryBudget budget(100 * mib);
  BOOST_TEST(!budget.take_trim());
  auto const shared = std::make_shared<MemoryBudget>(1'000 * mib);
  claim_of(shared)->set(2 * mib);  // and gives it back
  BOOST_TEST(shared->take_trim());
  BOOST_TEST(!shared->take_trim());
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
