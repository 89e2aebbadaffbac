// Ranks of edges. Claim: every edge keeps the rank it came with, whatever comes after it, at every moment. Method: by
// hand at the corners; many edges, few of them ranked, against a plain list.
#include "tests/graph/world.hpp"
#include "tests/support/seed.hpp"

#include <random>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct Retrieved : World {
  VertexId query = vertex(RecordType::query, "req_1");
  VertexId chunk = vertex(RecordType::retrieved_chunk, "chunk_1");
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ranks, Retrieved)

BOOST_AUTO_TEST_CASE(stand_beside_the_value) {
  begin();
  auto const edge = graph.add_edge(EdgeType::retrieved_for, chunk, query, 0.87, 3);
  BOOST_TEST(graph.pending().rank(edge) == 3U);
  end();
  BOOST_TEST(now().rank(edge) == 3U);
  BOOST_TEST(now().value(edge).value() == 0.87);
}

BOOST_AUTO_TEST_CASE(are_0_for_edges_without_one) {
  auto const before = edge(EdgeType::retrieved_for, chunk, query, 0.5);
  BOOST_TEST(now().rank(before) == 0U);
  begin();
  auto const ranked = graph.add_edge(EdgeType::retrieved_for, chunk, query, 0.5, 1);
  end();
  auto const after = edge(EdgeType::retrieved_for, chunk, query, 0.5);
  BOOST_TEST(now().rank(before) == 0U);
  BOOST_TEST(now().rank(ranked) == 1U);
  BOOST_TEST(now().rank(after) == 0U);
}

BOOST_AUTO_TEST_CASE(reach_up_to_31_bits) {
  begin();
  auto const edge = graph.add_edge(EdgeType::retrieved_for, chunk, query, 0.0, 2'147'483'647);
  end();
  BOOST_TEST(now().rank(edge) == 2'147'483'647U);
}

BOOST_AUTO_TEST_CASE(outlive_a_deletion) {
  begin();
  auto const edge = graph.add_edge(EdgeType::retrieved_for, chunk, query, 0.5, 4);
  end();
  auto const before = now();
  hide(chunk);
  BOOST_TEST(before.rank(edge) == 4U);
  BOOST_TEST(now().rank(edge) == 4U);
}

BOOST_AUTO_TEST_CASE(are_found_among_many_edges) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 random{seed};
  std::vector<std::pair<EdgeId, std::uint32_t>> expected;
  for (int round = 0; round < 20; ++round) {
    begin();
    for (int i = 0; i < 200; ++i) {
      std::uint32_t const rank = random() % 3 == 0 ? static_cast<std::uint32_t>(1 + random() % 100) : 0;
      expected.emplace_back(graph.add_edge(EdgeType::retrieved_for, chunk, query, 0.5, rank), rank);
    }
    if (random() % 4 == 0) {
      graph.rollback();
      tx = schema::number(now().tx());
      expected.resize(now().edge_count());
      continue;
    }
    end();
  }
  for (auto const& [edge, rank] : expected) {
    if (now().rank(edge) != rank) BOOST_TEST_ERROR("WHENCE_TEST_SEED=" << seed << ": " << edge);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
