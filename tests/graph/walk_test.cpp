// Reach, weights, influence and cycles on graphs small enough to check by eye.
#include "tests/graph/world.hpp"

#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using graph::ProposedEdge;
using graph::WalkLimits;
using schema::EdgeTypeSet;
using schema::NoInterrupt;

using Vertices = std::vector<VertexId>;
using Doubles = std::vector<double>;

namespace {

/// unit a -0.5-> r1 -> unit b (made by r1, next version of a) -0.8-> r2, and a -0.2-> r2.
struct Chain : World {
  VertexId a = unit("cu_a");
  VertexId r1 = response("resp_1");
  VertexId b = unit("cu_b");
  VertexId r2 = response("resp_2");

  Chain() {
    (void)use(a, r1, 0.5);
    (void)edge(EdgeType::updated_by, b, r1);
    (void)edge(EdgeType::derived_from, b, a, 2);
    (void)use(b, r2, 0.8);
    (void)use(a, r2, 0.2);
  }
  [[nodiscard]] Doubles strongest(VertexId start, Direction direction, WalkLimits const& limits = {}) const {
    auto const reach = reach_of(now(), {start}, direction, limits);
    return graph::strongest_weights(now(), start, direction, limits, reach, NoInterrupt{}).value();
  }
  [[nodiscard]] Doubles shares(Vertices const& starts, Direction direction) const {
    auto const reach = reach_of(now(), starts, direction);
    return graph::path_shares(now(), starts, direction, {}, reach, NoInterrupt{}).value();
  }
};

void check_close(Doubles const& found, Doubles const& expected) {
  BOOST_REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    BOOST_TEST(found[i] == expected[i], boost::test_tools::tolerance(1e-15));
  }
}

WalkLimits only(EdgeType type) {
  WalkLimits limits{.edge_types = {}};
  limits.edge_types.insert(type);
  return limits;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(walk, Chain)

BOOST_AUTO_TEST_CASE(reaches_each_vertex_once_at_its_least_depth) {
  auto const reach = reach_of(now(), {r2}, Direction::ancestors);
  BOOST_TEST(reach.vertices == (Vertices{b, a, r1}));
  BOOST_TEST(reach.layer_ends == (std::vector<std::uint32_t>{2, 3}));
  BOOST_TEST(reach.depth_of(0) == 1U);
  BOOST_TEST(reach.depth_of(1) == 1U);
  BOOST_TEST(reach.depth_of(2) == 2U);
  BOOST_TEST(!reach.is_cut_by_depth);
  BOOST_TEST(!reach.is_cut_by_vertices);
}

BOOST_AUTO_TEST_CASE(goes_the_other_way_to_descendants) {
  auto const reach = reach_of(now(), {a}, Direction::descendants);
  BOOST_TEST(reach.vertices == (Vertices{r1, b, r2}));
  BOOST_TEST(reach.layer_ends == std::vector<std::uint32_t>{3});
}

struct DepthCase {
  char const* name;
  std::uint32_t depth;
  std::size_t reached;
  bool is_cut;
  friend std::ostream& operator<<(std::ostream& out, DepthCase const& each) { return out << each.name; }
};
DepthCase const depths[] = {
    {"none", 0, 0, true}, {"one", 1, 2, true}, {"exactly all", 2, 3, false}, {"more than there is", 3, 3, false}};

BOOST_DATA_TEST_CASE(is_cut_by_depth_where_something_lies_beyond, depths, each) {
  Chain const chain;
  auto const reach = reach_of(chain.now(), {chain.r2}, Direction::ancestors, {.depth = each.depth});
  BOOST_TEST(reach.vertices.size() == each.reached);
  BOOST_TEST(reach.is_cut_by_depth == each.is_cut);
}

struct CountCase {
  char const* name;
  std::uint64_t vertices_max;
  std::size_t reached;
  bool is_cut;
  friend std::ostream& operator<<(std::ostream& out, CountCase const& each) { return out << each.name; }
};
CountCase const counts[] = {{"none", 0, 0, true},
                            {"inside a layer", 1, 1, true},
                            {"a whole layer", 2, 2, true},
                            {"exactly all", 3, 3, false},
                            {"more than there is", 4, 3, false}};

BOOST_DATA_TEST_CASE(is_cut_by_vertices_where_more_are_reached, counts, each) {
  Chain const chain;
  auto const reach = reach_of(chain.now(), {chain.r2}, Direction::ancestors, {.vertices_max = each.vertices_max});
  BOOST_TEST(reach.vertices.size() == each.reached);
  BOOST_TEST(reach.is_cut_by_vertices == each.is_cut);
}

BOOST_AUTO_TEST_CASE(walks_only_the_types_asked_for) {
  BOOST_TEST(reach_of(now(), {r2}, Direction::ancestors, only(EdgeType::used_in)).vertices == (Vertices{b, a}));
  auto limits = only(EdgeType::used_in);
  limits.depth = 1;
  BOOST_TEST(!reach_of(now(), {r2}, Direction::ancestors, limits).is_cut_by_depth);
}

BOOST_AUTO_TEST_CASE(lists_a_start_only_where_another_start_reaches_it) {
  BOOST_TEST(reach_of(now(), {r2, b}, Direction::ancestors).vertices == (Vertices{b, a, r1}));
  BOOST_TEST(reach_of(now(), {a, r1}, Direction::ancestors).vertices == Vertices{a});
  BOOST_TEST(reach_of(now(), {}, Direction::ancestors).vertices.empty());
}

BOOST_AUTO_TEST_CASE(leaves_nothing_behind_for_the_next_walk) {
  // The scratch is shared by all walks of a thread: one that was cut or stopped must clear it as well.
  (void)reach_of(now(), {r2}, Direction::ancestors, {.vertices_max = 1});
  (void)reach_of(now(), {r2}, Direction::ancestors, {.depth = 1});
  (void)graph::influences(now(), a, r2);
  BOOST_TEST(reach_of(now(), {r2}, Direction::ancestors).vertices.size() == 3U);
}

BOOST_AUTO_TEST_CASE(weighs_a_vertex_by_its_strongest_path) {
  // To b: 0.8; to a: over b 0.8, directly 0.2; to r1: over b 0.8.
  BOOST_TEST(strongest(r2, Direction::ancestors) == (Doubles{0.8, 0.8, 0.8}));
  BOOST_TEST(strongest(a, Direction::descendants) == (Doubles{0.5, 1, 0.8}));
}

BOOST_AUTO_TEST_CASE(weighs_only_paths_within_the_depth) {
  BOOST_TEST(strongest(r2, Direction::ancestors, {.depth = 1}) == (Doubles{0.8, 0.2}));
  BOOST_TEST(strongest(r2, Direction::ancestors, {.depth = 2}) == (Doubles{0.8, 0.8, 0.8}));
}

BOOST_AUTO_TEST_CASE(shares_of_all_causes_of_an_effect_add_up_to_1) {
  // r2: b 0.8, a 0.2. b: half of r1 (UPDATED_BY), half of a (DERIVED_FROM). r1: all of a, its only cause.
  auto const up = shares({r2}, Direction::ancestors);  // b, a, r1
  check_close(up, Doubles{0.8, 0.2 + 0.8 * 0.5 + 0.8 * 0.5, 0.8 * 0.5});
  auto const down = shares({a}, Direction::descendants);  // r1, b, r2
  check_close(down, Doubles{1, 1, 1});
}

BOOST_AUTO_TEST_CASE(a_share_of_several_starts_is_their_mean) {
  check_close(shares({r1, b}, Direction::descendants), Doubles{0.25, (0.8 + 0.4) / 2});  // b, r2
  check_close(shares({r1, b, b}, Direction::descendants), Doubles{0.25, (0.8 + 0.4) / 2});
}

BOOST_AUTO_TEST_CASE(edges_without_a_weight_take_an_equal_part_and_zeros_none) {
  auto const share_of = [](std::vector<std::optional<double>> const& weights) {
    World world;
    auto const response = world.response("resp_1");
    Vertices units;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      units.push_back(world.unit("cu_" + std::to_string(i)));
      (void)world.edge(EdgeType::used_in, units.back(), response, weights[i]);
    }
    auto const reach = reach_of(world.now(), {response}, Direction::ancestors);
    return graph::path_shares(world.now(), {&response, 1}, Direction::ancestors, {}, reach, NoInterrupt{}).value();
  };
  check_close(share_of({0.2, 0.6}), Doubles{0.25, 0.75});
  check_close(share_of({0.0, 0.5}), Doubles{0, 1});
  check_close(share_of({0.0, 0.0}), Doubles{0.5, 0.5});
  check_close(share_of({{}, {}}), Doubles{0.5, 0.5});
  check_close(share_of({{}, 0.3, 0.1, 0.0}), Doubles{0.25, 0.75 * 0.75, 0.75 * 0.25, 0});
  check_close(share_of({{}, 0.0}), Doubles{0.5, 0.5});
  check_close(share_of({5e-324, 5e-324}), Doubles{0.5, 0.5});
}

BOOST_AUTO_TEST_CASE(causes_that_are_not_walked_or_reached_keep_their_share) {
  auto const limits = only(EdgeType::used_in);
  auto const reach = reach_of(now(), {r2}, Direction::ancestors, limits);  // b, a
  auto const shares = graph::path_shares(now(), {&r2, 1}, Direction::ancestors, limits, reach, NoInterrupt{}).value();
  BOOST_TEST(shares[1] == 0.2, boost::test_tools::tolerance(1e-15));
  auto const cut = reach_of(now(), {r1}, Direction::descendants);  // b, r2
  auto const below = graph::path_shares(now(), {&r1, 1}, Direction::descendants, {}, cut, NoInterrupt{}).value();
  BOOST_TEST(below[0] == 0.5);
}

BOOST_AUTO_TEST_CASE(orders_effects_after_causes_also_where_numbers_do_not) {
  World world;
  auto const late = world.response("resp_effect");
  auto const middle = world.unit("cu_middle");
  auto const first = world.unit("cu_first");
  (void)world.edge(EdgeType::derived_from, middle, first, 1);
  (void)world.use(middle, late, 0.5);
  (void)world.use(first, late, 0.5);
  for (auto const direction : {Direction::ancestors, Direction::descendants}) {
    VertexId const start = direction == Direction::ancestors ? late : first;
    auto const reach = reach_of(world.now(), {start}, direction);
    auto const shares = graph::path_shares(world.now(), {&start, 1}, direction, {}, reach, NoInterrupt{}).value();
    auto const strongest = graph::strongest_weights(world.now(), start, direction, {}, reach, NoInterrupt{}).value();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      bool const is_middle = reach.vertices[i] == middle;
      BOOST_TEST(shares[i] == (is_middle && direction == Direction::ancestors ? 0.5 : 1.0));
      BOOST_TEST(strongest[i] == (is_middle && direction == Direction::descendants ? 1.0 : 0.5));
    }
  }
}

BOOST_AUTO_TEST_CASE(knows_what_influences_what) {
  BOOST_TEST(graph::influences(now(), a, r2));
  BOOST_TEST(graph::influences(now(), r1, r2));
  BOOST_TEST(!graph::influences(now(), r2, a));
  BOOST_TEST(graph::influences(now(), a, a));
}

struct StopCase {
  char const* name;
  schema::Stop stop;
  Errc code;
  friend std::ostream& operator<<(std::ostream& out, StopCase const& each) { return out << each.name; }
};
StopCase const stops[] = {{"cancelled", schema::Stop::cancelled, Errc::cancelled},
                          {"timeout", schema::Stop::timeout, Errc::deadline_exceeded},
                          {"too long", schema::Stop::too_long, Errc::busy}};

BOOST_DATA_TEST_CASE(stops_long_work_when_told_to, stops, each) {
  World world;
  auto const unit = world.unit("cu_a");
  world.begin();
  for (int i = 0; i < 5000; ++i) {
    auto const v = world.graph.add_vertex(RecordType::response, std::to_string(i), {});
    (void)world.graph.add_edge(EdgeType::used_in, unit, v, 1);
  }
  world.end();
  auto const now = world.now();
  Vertices const starts{unit};
  StopAtOnce const stop{each.stop};
  auto const all = reach_of(now, starts, Direction::descendants);
  auto const down = Direction::descendants;
  BOOST_TEST(graph::reach(now, starts, down, {}, stop).error().code == each.code);
  BOOST_TEST(graph::strongest_weights(now, unit, down, {}, all, stop).error().code == each.code);
  BOOST_TEST(graph::strongest_weights(now, unit, down, {.depth = 2}, all, stop).error().code == each.code);
  BOOST_TEST(graph::path_shares(now, starts, down, {}, all, stop).error().code == each.code);
  BOOST_TEST(graph::find_paths(now, unit, all.vertices[4999], graph::PathKind::all, 9, stop).error().code == each.code);
  BOOST_TEST(reach_of(now, starts, Direction::descendants).vertices.size() == 5000U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cycle)

using Numbers = std::vector<std::uint32_t>;

BOOST_AUTO_TEST_CASE(is_absent_from_a_diamond) {
  std::vector<ProposedEdge> const edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 1}};
  BOOST_TEST(graph::find_cycle(4, edges).empty());
  BOOST_TEST(graph::find_cycle(0, {}).empty());
}

BOOST_AUTO_TEST_CASE(names_those_on_cycles_only) {
  std::vector<ProposedEdge> const edges{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 4}};
  BOOST_TEST(graph::find_cycle(6, edges) == (Numbers{1, 2, 4}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
