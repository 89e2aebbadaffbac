// A whole snapshot models Boost.Graph's concepts, and Boost.Graph's algorithms find on it what the graph says.
#include "graph/boost/snapshot_graph.hpp"

#include "tests/graph/random_history.hpp"

#include <set>
#include <tuple>

#include <boost/concept/assert.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/range/iterator_range.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::SnapshotEdge;
using graph::SnapshotGraph;

BOOST_CONCEPT_ASSERT((boost::concepts::BidirectionalGraph<SnapshotGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::VertexListGraph<SnapshotGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::EdgeListGraph<SnapshotGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::AdjacencyGraph<SnapshotGraph>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<SnapshotGraph, std::uint32_t, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::concepts::ReadablePropertyGraph<SnapshotGraph, SnapshotEdge, boost::edge_weight_t>));

BOOST_AUTO_TEST_SUITE(snapshot_graph)

// A source that was deleted, an answer of two others, and its rating: numbers have no gap, influence leads from cause
// to effect, and the rating's relation as it is stored.
BOOST_AUTO_TEST_CASE(a_stranger_reads_refs_types_weights_and_relations) {
  World world;
  world.hide(world.unit("cu_gone"));
  auto const note = world.unit("cu_note");
  auto const answer = world.response("resp_1");
  auto const made = world.unit("cu_made");
  auto const rating = world.vertex(graph::RecordType::feedback_record, "fb_1");
  world.use(note, answer, 0.25);
  world.edge(graph::EdgeType::updated_by, made, answer);  // stored from effect to cause
  world.edge(graph::EdgeType::evaluates, rating, answer, 1.0);

  SnapshotGraph const influence{world.graph.snapshot()};
  BOOST_TEST(num_vertices(influence) == 4U);
  BOOST_TEST(num_edges(influence) == 2U);
  std::vector<std::string> seen;
  for (auto const& edge : boost::make_iterator_range(edges(influence))) {
    auto const refs = influence.refs();
    seen.push_back(get(refs, source(edge, influence)) + " > " + get(refs, target(edge, influence)) + " " +
                   std::to_string(get(boost::edge_weight, influence, edge)).substr(0, 4));
  }
  std::vector<std::string> const expected = {"ContextUnit:cu_note > Response:resp_1 0.25",
                                             "Response:resp_1 > ContextUnit:cu_made 1.00"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
  BOOST_TEST(!influence.find(graph::RecordType::context_unit, "cu_gone").has_value());

  SnapshotGraph const all{world.graph.snapshot(), SnapshotGraph::Relations::stored};
  BOOST_TEST(num_edges(all) == 3U);
  auto const from = all.find(graph::RecordType::feedback_record, "fb_1").value();
  BOOST_TEST(out_degree(from, all) == 1U);
  BOOST_TEST((get(all.types(), target(*out_edges(from, all).first, all)) == graph::RecordType::response));
  BOOST_TEST((get(all.edge_types(), *out_edges(from, all).first) == graph::EdgeType::evaluates));
}

// Claim: in random histories with deletions the edges are those of the snapshot, forward as backward, and Boost.Graph's
// search finds the descendants that the snapshot's own lists lead to.
BOOST_AUTO_TEST_CASE(algorithms_agree_with_the_snapshot) {
  for_random_histories(20, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    SnapshotGraph const graph{now, SnapshotGraph::Relations::stored};
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> forward;
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> listed;
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> backward;
    auto const key = [](SnapshotEdge const& e) { return std::tuple{e.from, e.to, schema::number(e.id)}; };
    for (auto const& edge : boost::make_iterator_range(edges(graph))) listed.insert(key(edge));
    for (std::uint32_t v = 0; v < num_vertices(graph); ++v) {
      for (auto const& edge : boost::make_iterator_range(out_edges(v, graph))) forward.insert(key(edge));
      for (auto const& edge : boost::make_iterator_range(in_edges(v, graph))) backward.insert(key(edge));
    }
    BOOST_TEST((forward == listed));
    BOOST_TEST((forward == backward));
    BOOST_TEST(forward.size() == num_edges(graph));
    if (num_vertices(graph) == 0) return;

    SnapshotGraph const influence{now};
    std::vector<std::uint32_t> order;
    boost::topological_sort(influence, std::back_inserter(order));  // throws where there is a cycle
    BOOST_TEST(order.size() == num_vertices(influence));
    std::vector<std::uint32_t> distance(num_vertices(influence), UINT32_MAX);
    distance[0] = 0;
    boost::breadth_first_search(
        influence, 0U,
        boost::visitor(boost::make_bfs_visitor(boost::record_distances(distance.data(), boost::on_tree_edge{}))));
    std::set<std::uint32_t> reached{0};
    std::vector<std::uint32_t> todo{0};
    while (!todo.empty()) {
      auto const effects = now.effects(influence[todo.back()]);
      todo.pop_back();
      for (auto const effect : effects.vertices) {
        if (reached.insert(influence.number(effect)).second) todo.push_back(influence.number(effect));
      }
    }
    for (std::uint32_t v = 0; v < distance.size(); ++v) BOOST_TEST((distance[v] != UINT32_MAX) == reached.contains(v));
  });
}

// Two answers of one source, and a pair apart: ranks add up, and there are two components.
BOOST_AUTO_TEST_CASE(ranks_and_components_are_those_of_the_picture) {
  World world;
  auto const source = world.unit("cu_a");
  world.use(source, world.response("resp_1"), 1);
  world.use(source, world.response("resp_2"), 1);
  world.use(world.unit("cu_b"), world.response("resp_3"), 1);
  SnapshotGraph const whole{world.graph.snapshot()};
  std::vector<double> rank(num_vertices(whole));
  boost::graph::page_rank(whole, boost::make_iterator_property_map(rank.begin(), get(boost::vertex_index, whole)));
  auto const rank_of = [&](char const* id) { return rank[whole.find(graph::RecordType::response, id).value()]; };
  BOOST_TEST(rank_of("resp_1") == rank_of("resp_2"));
  BOOST_TEST(rank_of("resp_3") > rank_of("resp_1"));  // its source has one effect only
  std::vector<std::uint32_t> of(num_vertices(whole));
  std::vector<std::uint32_t> size(num_vertices(whole));
  boost::disjoint_sets sets{size.data(), of.data()};
  boost::initialize_incremental_components(whole, sets);
  boost::incremental_components(whole, sets);
  std::set<std::uint32_t> components;
  for (std::uint32_t v = 0; v < num_vertices(whole); ++v) components.insert(sets.find_set(v));
  BOOST_TEST(components.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
