// Which paths are found, in which order, and that their number does not matter.
#include "tests/graph/world.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Path;
using graph::PathKind;
using graph::Paths;

using Vertices = std::vector<VertexId>;

namespace {

Paths paths_of(Snapshot const& snapshot, VertexId from, VertexId to, PathKind kind, std::size_t limit = 100) {
  return graph::find_paths(snapshot, from, to, kind, limit, schema::NoInterrupt{}).value();
}

std::vector<Vertices> routes(Paths const& paths) {
  std::vector<Vertices> routes;
  for (auto const& path : paths.paths) routes.push_back(path.vertices);
  return routes;
}

/// Three ways from `start` to `finish`: direct (0.1), over b and over a (both 0.5 and one vertex more).
struct ThreeWays : World {
  VertexId start = unit("cu_start");
  VertexId b = response("resp_b");
  VertexId a = response("resp_a");
  VertexId over_b = unit("cu_over_b");
  VertexId over_a = unit("cu_over_a");
  VertexId finish = response("resp_finish");

  ThreeWays() {
    (void)use(start, b, 0.5);
    (void)use(start, a, 0.5);
    (void)edge(EdgeType::updated_by, over_b, b);
    (void)edge(EdgeType::updated_by, over_a, a);
    (void)use(over_b, finish, 1);
    (void)use(over_a, finish, 1);
    (void)use(start, finish, 0.1);
  }
  Vertices const direct{start, finish};
  Vertices const way_a{start, a, over_a, finish};
  Vertices const way_b{start, b, over_b, finish};
};

/// `layers` diamonds in a row: 2^layers paths of equal weight from `first` to `last`.
struct Diamonds : World {
  VertexId first = unit("cu_first");
  VertexId last = first;

  explicit Diamonds(int layers) {
    begin();
    for (int i = 0; i < layers; ++i) {
      auto const next = add("cu_" + std::to_string(i) + "_end");
      for (auto const* side : {"_left", "_right"}) {
        auto const middle = add("cu_" + std::to_string(i) + side);
        (void)graph.add_edge(EdgeType::derived_from, middle, last, {});
        (void)graph.add_edge(EdgeType::derived_from, next, middle, {});
      }
      last = next;
    }
    end();
  }
  VertexId add(std::string const& id) { return graph.add_vertex(RecordType::context_unit, id, {}); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(paths)

BOOST_FIXTURE_TEST_CASE(strongest_first_then_by_refs, ThreeWays) {
  auto const found = paths_of(now(), start, finish, PathKind::all);
  BOOST_CHECK(routes(found) == (std::vector{way_a, way_b, direct}));
  BOOST_TEST(found.paths[0].weight == 0.5);
  BOOST_TEST(found.paths[0].edges.size() == 3U);
  BOOST_TEST(!found.is_cut);
}

BOOST_FIXTURE_TEST_CASE(shortest_first_then_by_weight, ThreeWays) {
  BOOST_CHECK(routes(paths_of(now(), start, finish, PathKind::shortest)) == (std::vector{direct, way_a, way_b}));
}

BOOST_FIXTURE_TEST_CASE(one_where_one_is_asked_for, ThreeWays) {
  auto const found = paths_of(now(), start, finish, PathKind::strongest, 1);
  BOOST_CHECK(routes(found) == std::vector<Vertices>{way_a});
  BOOST_TEST(found.is_cut);
  BOOST_TEST(!paths_of(now(), start, finish, PathKind::all, 3).is_cut);
  BOOST_TEST(paths_of(now(), start, finish, PathKind::all, 2).is_cut);
}

BOOST_FIXTURE_TEST_CASE(none_against_influence_or_to_itself, ThreeWays) {
  BOOST_TEST(paths_of(now(), finish, start, PathKind::all).paths.empty());
  BOOST_TEST(paths_of(now(), start, start, PathKind::all).paths.empty());
  BOOST_TEST(paths_of(now(), a, b, PathKind::all).paths.empty());
}

BOOST_FIXTURE_TEST_CASE(only_those_of_the_snapshot_s_time, ThreeWays) {
  auto const before_direct = now().as_of(TxId{now().tx() == TxId{0} ? 0 : schema::number(now().tx()) - 1});
  BOOST_CHECK(routes(paths_of(before_direct, start, finish, PathKind::shortest)) == (std::vector{way_a, way_b}));
}

BOOST_AUTO_TEST_CASE(parallel_edges_make_different_paths) {
  World world;
  auto const a = world.unit("cu_a");
  auto const b = world.unit("cu_b");
  auto const declared = world.edge(EdgeType::derived_from, b, a);
  auto const version = world.edge(EdgeType::derived_from, b, a, 2);
  auto const found = paths_of(world.now(), a, b, PathKind::all);
  BOOST_REQUIRE(found.paths.size() == 2U);
  BOOST_TEST(found.paths[0].edges == std::vector{declared});
  BOOST_TEST(found.paths[1].edges == std::vector{version});
}

BOOST_AUTO_TEST_CASE(many_parallel_edges_come_in_the_order_of_their_ids) {
  World world;
  auto const a = world.unit("cu_a");
  auto const b = world.unit("cu_b");
  auto const c = world.unit("cu_c");
  std::vector<graph::EdgeId> to_b;
  std::vector<graph::EdgeId> to_c;
  for (int i = 0; i < 20; ++i) to_b.push_back(world.edge(EdgeType::derived_from, b, a));
  for (int i = 0; i < 20; ++i) to_c.push_back(world.edge(EdgeType::derived_from, c, b));
  for (auto const kind : {PathKind::strongest, PathKind::shortest, PathKind::all}) {
    auto const found = paths_of(world.now(), a, c, kind, 30);
    BOOST_REQUIRE(found.paths.size() == 30U);
    for (std::size_t i = 0; i < 30; ++i) BOOST_TEST(found.paths[i].edges == (std::vector{to_b[i / 20], to_c[i % 20]}));
    BOOST_TEST(paths_of(world.now(), a, c, kind, 1).paths[0].edges == (std::vector{to_b[0], to_c[0]}));
  }
}

BOOST_AUTO_TEST_CASE(of_weight_zero_are_ordered_by_length) {
  World world;
  auto const a = world.unit("cu_a");
  auto const r1 = world.response("resp_1");
  auto const b = world.unit("cu_b");
  auto const r2 = world.response("resp_2");
  (void)world.use(a, r1, 0);
  (void)world.edge(EdgeType::updated_by, b, r1);
  (void)world.use(b, r2, 1);
  (void)world.use(a, r2, 0);
  BOOST_CHECK(routes(paths_of(world.now(), a, r2, PathKind::all)) == (std::vector<Vertices>{{a, r2}, {a, r1, b, r2}}));
}

BOOST_AUTO_TEST_CASE(come_in_order_out_of_more_than_could_be_listed) {
  // Claim: the first paths of 2^200 are found in time and memory bounded by the limit, in the order of refs.
  Diamonds const diamonds{200};
  auto const found = paths_of(diamonds.now(), diamonds.first, diamonds.last, PathKind::all, 1000);
  BOOST_TEST(found.paths.size() == 1000U);
  BOOST_TEST(found.is_cut);
  auto const now = diamonds.now();
  auto const refs_of = [&](Path const& path) {
    std::vector<std::string_view> ids;
    for (auto const v : path.vertices) ids.push_back(now.id(v));
    return ids;
  };
  for (std::size_t i = 1; i < found.paths.size(); ++i) {
    BOOST_REQUIRE(refs_of(found.paths[i - 1]) < refs_of(found.paths[i]));
  }
}

BOOST_AUTO_TEST_CASE(over_many_middles_are_found_in_the_order_of_refs) {
  World world;
  auto const from = world.unit("cu_from");
  auto const to = world.unit("cu_to");
  world.begin();
  for (int i = 9999; i >= 1000; --i) {
    auto const middle = world.graph.add_vertex(RecordType::context_unit, "cu_" + std::to_string(i), {});
    (void)world.graph.add_edge(EdgeType::derived_from, middle, from, {});
    (void)world.graph.add_edge(EdgeType::derived_from, to, middle, {});
  }
  world.end();
  auto const now = world.now();
  auto const found = paths_of(now, from, to, PathKind::strongest, 3);
  BOOST_REQUIRE(found.paths.size() == 3U);
  BOOST_TEST(found.is_cut);
  BOOST_TEST(now.id(found.paths[0].vertices[1]) == "cu_1000");
  BOOST_TEST(now.id(found.paths[2].vertices[1]) == "cu_1002");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
