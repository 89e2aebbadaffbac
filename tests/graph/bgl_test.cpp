// A snapshot models Boost.Graph's concepts, and Boost.Graph's algorithms agree with graph/ on it.
#include "graph/boost/adapter.hpp"

#include "tests/graph/random_history.hpp"

#include <functional>
#include <iterator>

#include <boost/concept/assert.hpp>
#include <boost/graph/adjacency_iterator.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/range/iterator_range.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using graph::InfluenceEdge;

BOOST_CONCEPT_ASSERT((boost::concepts::BidirectionalGraph<Snapshot>));
BOOST_CONCEPT_ASSERT((boost::concepts::VertexListGraph<Snapshot>));
BOOST_CONCEPT_ASSERT((boost::concepts::AdjacencyGraph<Snapshot>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<Snapshot, VertexId, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<Snapshot, InfluenceEdge, boost::edge_index_t>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<Snapshot, InfluenceEdge, boost::edge_weight_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<graph::VertexIndexMap, VertexId>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<graph::PathWeightMap, InfluenceEdge>));

BOOST_AUTO_TEST_SUITE(boost_graph)

// Claim: Dijkstra's strongest products from a vertex are those of strongest_weights and of the oracle.
// Method: random histories; a product of weights up to 1 falls along a path as a sum of lengths grows.
BOOST_AUTO_TEST_CASE(finds_the_strongest_paths_by_dijkstra) {
  for_random_histories(20, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    if (now.vertex_count() == 0) return;
    VertexId const start{0};
    std::vector<double> strongest(now.vertex_count());
    auto const index = get(boost::vertex_index, now);
    boost::dijkstra_shortest_paths(now, start,
                                   boost::distance_map(boost::make_iterator_property_map(strongest.begin(), index))
                                       .distance_compare(std::greater<double>{})
                                       .distance_combine(std::multiplies<double>{})
                                       .distance_inf(0.0)
                                       .distance_zero(1.0));
    auto expected = history.oracle().weights(schema::number(now.tx()), 0, Direction::descendants, {}).strongest;
    expected[0] = 1;  // a deleted start as well: it leads nowhere
    for (std::uint32_t v = 0; v < now.vertex_count(); ++v) {
      BOOST_TEST(strongest[v] == expected[v], boost::test_tools::tolerance(1e-12));
    }
  });
}

BOOST_AUTO_TEST_CASE(sorts_topologically) {
  for_random_histories(20, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    std::vector<VertexId> effects_first;
    boost::topological_sort(now, std::back_inserter(effects_first));
    auto const in_view = boost::make_iterator_range(vertices(now));
    BOOST_REQUIRE(effects_first.size() == static_cast<std::size_t>(std::distance(in_view.begin(), in_view.end())));
    std::vector<std::size_t> place(now.vertex_count());
    for (std::size_t i = 0; i < effects_first.size(); ++i) place[schema::number(effects_first[i])] = i;
    for (auto const v : in_view) {
      for (auto const& edge : boost::make_iterator_range(in_edges(v, now))) {
        BOOST_TEST(target(edge, now) == v);
        BOOST_TEST(place[schema::number(v)] < place[schema::number(source(edge, now))]);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(shows_neither_deleted_vertices_nor_their_edges) {
  World world;
  auto const unit = world.unit("cu_a");
  auto const deleted = world.response("resp_deleted");
  auto const kept = world.response("resp_kept");
  auto const next = world.unit("cu_b");
  (void)world.use(unit, deleted, 1);
  auto const use = world.use(unit, kept, 1);
  (void)world.edge(EdgeType::updated_by, next, deleted);
  world.hide(deleted);
  auto const now = world.now();

  auto const in_view = boost::make_iterator_range(vertices(now));
  BOOST_TEST(std::vector(in_view.begin(), in_view.end()) == (std::vector{unit, kept, next}));
  BOOST_TEST(num_vertices(now) == 4U);  // room for every index
  auto const after = boost::make_iterator_range(out_edges(unit, now));
  BOOST_CHECK(std::vector(after.begin(), after.end()) == (std::vector<InfluenceEdge>{{unit, kept, use}}));
  auto const adjacent = boost::make_iterator_range(adjacent_vertices(unit, now));
  BOOST_TEST(std::vector(adjacent.begin(), adjacent.end()) == std::vector{kept});
  BOOST_TEST(out_degree(unit, now) == 1U);
  BOOST_TEST(in_degree(next, now) == 0U);
  BOOST_TEST(degree(deleted, now) == 0U);
  auto const then = now.as_of(TxId{7});
  BOOST_TEST(out_degree(unit, then) == 2U);
  BOOST_TEST(in_degree(next, then) == 1U);
}

BOOST_AUTO_TEST_CASE(compares_edge_iterators_of_different_calls) {
  World world;
  auto const unit = world.unit("cu_a");
  for (auto const* id : {"resp_a", "resp_b", "resp_c"}) (void)world.use(unit, world.response(id), 1);
  world.hide(*world.now().find(RecordType::response, "resp_b"));
  auto const now = world.now();
  std::size_t count = 0;
  for (auto at = out_edges(unit, now).first; at != out_edges(unit, now).second; ++at) ++count;
  BOOST_TEST(count == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
