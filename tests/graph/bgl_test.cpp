// A part of a snapshot models Boost.Graph's concepts, and Boost.Graph's algorithms agree with graph/ on it.
#include "graph/boost/adapter.hpp"
#include "tests/graph/random_history.hpp"

#include <functional>
#include <iterator>

#include <boost/concept/assert.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/range/iterator_range.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using graph::PartEdge;
using graph::PartGraph;

BOOST_CONCEPT_ASSERT((boost::concepts::BidirectionalGraph<PartGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::VertexListGraph<PartGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::AdjacencyGraph<PartGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<PartGraph, std::uint32_t, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<PartGraph, PartEdge, boost::edge_weight_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<graph::VertexIndexMap, std::uint32_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<graph::PathWeightMap<graph::PartGraph>, PartEdge>));

namespace {

schema::NoInterrupt const no_interrupt;

/// The part of all visible vertices, in order of commit, walked to descendants.
struct WholePart {
  explicit WholePart(Snapshot const& snapshot, schema::Interrupt const& interrupt = no_interrupt)
      : part{snapshot.vertex_count()},
        poll{interrupt},
        graph{snapshot, part, Direction::descendants, schema::EdgeTypeSet::all(), poll} {
    for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) {
      if (!snapshot.is_deleted(VertexId{v})) part.add(VertexId{v});
    }
  }

  graph::impl::LocalNumbers part;
  schema::Poll poll;
  PartGraph graph;
};

std::vector<PartEdge> edges_from(std::uint32_t v, PartGraph const& graph) {
  auto const range = boost::make_iterator_range(out_edges(v, graph));
  return {range.begin(), range.end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(boost_graph)

// Claim: Dijkstra's strongest products from a vertex are those of strongest_weights and of the oracle.
// Method: random histories; a product of weights up to 1 falls along a path as a sum of lengths grows.
BOOST_AUTO_TEST_CASE(finds_the_strongest_paths_by_dijkstra) {
  for_random_histories(20, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    WholePart const whole{now};
    if (whole.part.size() == 0) return;
    std::vector<double> strongest(whole.part.size());
    auto const index = get(boost::vertex_index, whole.graph);
    boost::dijkstra_shortest_paths(whole.graph, 0U,
                                   boost::distance_map(boost::make_iterator_property_map(strongest.begin(), index))
                                       .distance_compare(std::greater<double>{})
                                       .distance_combine(std::multiplies<double>{})
                                       .distance_inf(0.0)
                                       .distance_zero(1.0));
    auto const start = schema::number(whole.part[0]);
    auto expected = history.oracle().weights(schema::number(now.tx()), start, Direction::descendants, {}).strongest;
    expected[start] = 1;
    for (std::uint32_t v = 0; v < whole.part.size(); ++v) {
      BOOST_TEST(strongest[v] == expected[schema::number(whole.part[v])], boost::test_tools::tolerance(1e-12));
    }
  });
}

BOOST_AUTO_TEST_CASE(sorts_topologically) {
  for_random_histories(20, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    WholePart const whole{now};
    std::vector<std::uint32_t> effects_first;
    boost::topological_sort(whole.graph, std::back_inserter(effects_first));
    BOOST_REQUIRE(effects_first.size() == whole.part.size());
    std::vector<std::size_t> place(whole.part.size());
    for (std::size_t i = 0; i < effects_first.size(); ++i) place[effects_first[i]] = i;
    for (auto const v : boost::make_iterator_range(vertices(whole.graph))) {
      for (auto const& edge : boost::make_iterator_range(in_edges(v, whole.graph))) {
        BOOST_TEST(target(edge, whole.graph) == v);
        BOOST_TEST(place[v] < place[source(edge, whole.graph)]);
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
  {
    WholePart const whole{now};
    auto const& graph = whole.graph;
    BOOST_TEST(num_vertices(graph) == 3U);
    auto const [first, last] = vertices(graph);
    BOOST_TEST(std::vector(first, last) == (std::vector<std::uint32_t>{0, 1, 2}));
    BOOST_TEST(whole.part.find(deleted) == graph::impl::LocalNumbers::none);
    BOOST_CHECK(edges_from(0, graph) == (std::vector<PartEdge>{{0, whole.part.find(kept), use}}));
    auto const adjacent = boost::make_iterator_range(adjacent_vertices(0, graph));
    BOOST_TEST(std::vector(adjacent.begin(), adjacent.end()) == std::vector{whole.part.find(kept)});
    BOOST_TEST(out_degree(0, graph) == 1U);
    BOOST_TEST(in_degree(whole.part.find(next), graph) == 0U);
    BOOST_TEST(degree(whole.part.find(kept), graph) == 1U);
  }
  auto const then = now.as_of(TxId{7});
  WholePart const whole{then};
  BOOST_TEST(out_degree(whole.part.find(unit), whole.graph) == 2U);
  BOOST_TEST(in_degree(whole.part.find(next), whole.graph) == 1U);
}

BOOST_AUTO_TEST_CASE(shows_only_the_part_the_direction_and_the_types_asked_for) {
  World world;
  auto const unit = world.unit("cu_a");
  auto const outside = world.response("resp_outside");
  auto const inside = world.response("resp_inside");
  auto const version = world.unit("cu_b");
  (void)world.use(unit, outside, 1);
  auto const use = world.use(unit, inside, 0.5);
  (void)world.edge(EdgeType::derived_from, version, unit, 2);
  auto const now = world.now();
  graph::impl::LocalNumbers part{now.vertex_count()};
  for (auto const v : {version, inside, unit}) part.add(v);
  schema::EdgeTypeSet types{};
  types.insert(EdgeType::used_in);
  schema::Poll poll{no_interrupt};
  PartGraph const onwards{now, part, Direction::descendants, types, poll};
  BOOST_CHECK(edges_from(2, onwards) == (std::vector<PartEdge>{{2, 1, use}}));
  BOOST_TEST(get(boost::edge_weight, onwards, edges_from(2, onwards)[0]) == 0.5);
  PartGraph const backwards{now, part, Direction::ancestors, types, poll};
  BOOST_CHECK(edges_from(1, backwards) == (std::vector<PartEdge>{{1, 2, use}}));
  BOOST_TEST(edges_from(0, backwards).empty());
  BOOST_TEST(in_degree(2, backwards) == 1U);
}

BOOST_AUTO_TEST_CASE(compares_edge_iterators_of_different_calls) {
  World world;
  auto const unit = world.unit("cu_a");
  for (auto const* id : {"resp_a", "resp_b", "resp_c"}) (void)world.use(unit, world.response(id), 1);
  world.hide(*world.now().find(RecordType::response, "resp_b"));
  auto const now = world.now();
  WholePart const whole{now};
  std::size_t count = 0;
  for (auto at = out_edges(0, whole.graph).first; at != out_edges(0, whole.graph).second; ++at) ++count;
  BOOST_TEST(count == 2U);
}

BOOST_AUTO_TEST_CASE(stops_an_algorithm_that_knows_no_interrupts) {
  World world;
  world.begin();
  auto const first = world.graph.add_vertex(RecordType::context_unit, "cu_0", {});
  for (auto [i, last] = std::pair{1, first}; i < 5000; ++i) {
    auto const next = world.graph.add_vertex(RecordType::context_unit, "cu_" + std::to_string(i), {});
    (void)world.graph.add_edge(EdgeType::derived_from, next, last, {});
    last = next;
  }
  world.end();
  auto const now = world.now();
  StopAtOnce const stop{schema::Stop::cancelled};
  WholePart const whole{now, stop};
  std::vector<std::uint32_t> order;
  BOOST_TEST(!graph::completes([&] { boost::topological_sort(whole.graph, std::back_inserter(order)); }));
  BOOST_CHECK(whole.poll.error().code == Errc::cancelled);
  BOOST_TEST(graph::completes([] {}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
