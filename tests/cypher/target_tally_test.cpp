// Claim: relations that several threads count are counted as one thread counts them, and what they lead to comes in the
// same order. Method: random parts dealt to tallies, from a printed seed; one query with and without helpers.
#include "queries/cypher/batch/target_tally.hpp"

#include "graph/walks/helpers.hpp"
#include "tests/cypher/asked.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

using graph::Helpers;
using queries::cypher::MetTargets;
using queries::cypher::TargetTally;
using Met = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// Takes the helpers, so that a query works alone.
struct Nothing final : graph::SharedWork {
  void help(graph::Helper& /*helper*/) noexcept override {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cypher_target_tally)

BOOST_AUTO_TEST_CASE(of_several_is_that_of_one) {
  auto const seed = test::seed_from_environment();
  std::mt19937_64 random{seed};
  for (int round = 0; round < 300; ++round) {
    auto const bound = static_cast<std::uint32_t>(1 + random() % 40);
    std::array<TargetTally, 4> tallies;  // a helper that never joined is not ready
    for (std::size_t i = 0; i < 3; ++i) tallies[i].prepare(bound);
    Met expected;
    for (std::size_t part = 0; part < 1 + random() % 6; ++part) {
      std::vector<std::uint32_t> nodes(random() % 2000);
      for (auto& node : nodes) {
        node = static_cast<std::uint32_t>(random() % bound);
        auto const known = std::ranges::find(expected, node, &Met::value_type::first);
        if (known == expected.end()) {
          expected.emplace_back(node, 1);
        } else {
          ++known->second;
        }
      }
      auto& tally = tallies[random() % 3];
      tally.begin(part);
      tally.add(nodes);
    }
    Met met;
    MetTargets{tallies}.each([&](std::uint32_t node, std::uint64_t count) {
      met.emplace_back(node, count);
      return true;
    });
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", round " << round) {
      BOOST_REQUIRE(met == expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(with_helpers_answers_as_without) {
  auto const graph = graph_of(
      "UNWIND range(0, 19) AS i CREATE (b:B {i: i}) WITH collect(b) AS all UNWIND range(0, 19999) AS i "
      "CREATE (a:A {i: i}) WITH a, all[(a.i * 7) % 20] AS one, all[(a.i * a.i) % 20] AS two "
      "CREATE (a)-[:R]->(one), (a)-[:R]->(two)");
  constexpr auto query = "MATCH (a:A)-[:R]->(b) RETURN b.i AS i, count(*) AS n";
  Asked alone;
  {
    Nothing nothing;
    Helpers::Loan const loan{Helpers::of_process(), nothing};
    alone = ask_graph(graph, query);
  }
  BOOST_REQUIRE(!alone.error);
  BOOST_TEST(alone.rows.size() == 20);
  for (int i = 0; i < 10; ++i) BOOST_REQUIRE_EQUAL(ask_graph(graph, query).text(), alone.text());
  // There is room for the counts of one thread.
  BOOST_REQUIRE_EQUAL(ask_graph(graph, query, {}, {.bytes_max = 700'000}).text(), alone.text());
}

BOOST_AUTO_TEST_CASE(with_helpers_is_bounded_in_steps) {
  auto const graph = graph_of("CREATE (b:B) WITH b UNWIND range(0, 19999) AS i CREATE (:A {i: i})-[:R]->(b)");
  constexpr auto query = "MATCH (a:A)-[:R]->(b) RETURN b.i AS i, count(*) AS n";
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(ask_graph(graph, query, {}, {.steps_max = 45'000}).error->detail == "steps");
    BOOST_TEST(ask_graph(graph, query, {}, {.steps_max = 70'000}).rows.size() == 1U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::tests
