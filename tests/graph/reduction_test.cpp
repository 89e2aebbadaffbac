// Claim: an edge is implied where a path of two edges or more leads from its cause to its effect. Method: by hand at
// the corners; random histories against the closure.
#include "graph/walks/reduction.hpp"

#include "schema/base/limits.hpp"
#include "tests/graph/random_history.hpp"

#include <set>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using schema::EdgeTypeSet;
using schema::NoInterrupt;
using schema::number;

using Edges = std::vector<EdgeId>;
using Vertices = std::vector<VertexId>;

namespace {

Edges implied(Snapshot const& snapshot, Vertices const& vertices, EdgeTypeSet types = EdgeTypeSet::all()) {
  return graph::implied_edges(snapshot, vertices, types, NoInterrupt{}).value();
}

Vertices visible_vertices(Snapshot const& snapshot) {
  Vertices visible;
  for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) {
    if (!snapshot.is_deleted(VertexId{v})) visible.push_back(VertexId{v});
  }
  return visible;
}

/// a -> r -> b, and a -> b directly.
struct Triangle : World {
  VertexId a = unit("cu_a");
  VertexId r = response("resp_r");
  VertexId b = unit("cu_b");
  EdgeId use_of_a = use(a, r, 1);
  EdgeId update = edge(EdgeType::updated_by, b, r);
  EdgeId version = edge(EdgeType::derived_from, b, a, 2);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reduction, Triangle)

BOOST_AUTO_TEST_CASE(leaves_out_what_a_longer_path_implies) {
  BOOST_TEST(implied(now(), {a, r, b}) == Edges{version});
  BOOST_TEST(implied(now(), {b, r, a}) == Edges{version});
}

BOOST_AUTO_TEST_CASE(looks_at_paths_inside_the_part_only) {
  BOOST_TEST(implied(now(), {a, b}).empty());
  BOOST_TEST(implied(now(), {a}).empty());
  BOOST_TEST(implied(now(), {}).empty());
  EdgeTypeSet versions{};
  versions.insert(EdgeType::derived_from);
  BOOST_TEST(implied(now(), {a, r, b}, versions).empty());
}

BOOST_AUTO_TEST_CASE(treats_parallel_edges_alike) {
  auto const declared = edge(EdgeType::derived_from, b, a);
  BOOST_TEST(implied(now(), {a, r, b}) == (Edges{version, declared}));
  auto const second_use = use(a, r, 0.5);
  BOOST_TEST(implied(now(), {a, r, b}) == (Edges{version, declared}));
  BOOST_TEST(number(second_use) != number(use_of_a));
}

BOOST_AUTO_TEST_CASE(is_as_of_the_snapshot) {
  auto const before = now();
  hide(r);
  BOOST_TEST(implied(now(), {a, b}).empty());
  BOOST_TEST(implied(before, {a, r, b}) == Edges{version});
  BOOST_TEST(implied(now().as_of(before.tx()), {a, r, b}) == Edges{version});
}

BOOST_AUTO_TEST_CASE(is_made_of_so_many_vertices_and_no_more) {
  World world;
  world.begin();
  Vertices chain;
  for (std::uint32_t i = 0; i <= schema::limits::reduction_vertices_max; ++i) {
    chain.push_back(world.graph.add_vertex(RecordType::context_unit, std::to_string(i), {}));
    if (i > 0) (void)world.graph.add_edge(EdgeType::derived_from, chain[i], chain[i - 1], {});
  }
  world.end();
  auto const now = world.now();
  auto const refused = graph::implied_edges(now, chain, EdgeTypeSet::all(), NoInterrupt{});
  BOOST_REQUIRE(!refused);
  BOOST_CHECK(refused.error().code == Errc::limit_exceeded);
  BOOST_TEST(refused.error().message.find("10000") != std::string::npos);
  StopAtOnce const stop{schema::Stop::cancelled};
  chain.pop_back();
  BOOST_CHECK(graph::implied_edges(now, chain, EdgeTypeSet::all(), stop).error().code == Errc::cancelled);
}

BOOST_AUTO_TEST_CASE(equals_the_definition) {
  for_random_histories(100, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    auto const last_tx = number(now.tx());
    auto vertices = visible_vertices(now);
    std::erase_if(vertices, [&](VertexId) { return history.number_below(5) == 0; });
    std::set<std::uint32_t> members;
    for (auto const v : vertices) members.insert(number(v));

    // Inside the part: who reaches whom over one edge or more.
    auto const steps = history.oracle().steps(last_tx, graph::Direction::descendants, EdgeTypeSet::all());
    std::map<std::uint32_t, std::set<std::uint32_t>> closure;
    for (auto const start : members) {
      std::vector<std::uint32_t> waiting{start};
      while (!waiting.empty()) {
        auto const v = waiting.back();
        waiting.pop_back();
        if (!steps.contains(v)) continue;
        for (auto const& [next, edge] : steps.at(v)) {
          if (members.contains(next) && closure[start].insert(next).second) waiting.push_back(next);
        }
      }
    }
    std::set<std::uint32_t> expected;
    for (auto const v : members) {
      if (!steps.contains(v)) continue;
      for (auto const& [effect, edge] : steps.at(v)) {
        if (!members.contains(effect)) continue;
        for (auto const& [middle, other] : steps.at(v)) {
          if (middle != effect && members.contains(middle) && closure[middle].contains(effect)) expected.insert(edge);
        }
      }
    }
    std::set<std::uint32_t> found;
    for (auto const e : implied(now, vertices)) found.insert(number(e));
    BOOST_TEST(found == expected, boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
