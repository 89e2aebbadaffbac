// Claim: dominators are the vertices without which nothing is reached any more. Method: by hand at the corners; random
// histories against the definition (each vertex is left out in turn) and against Boost.Graph's Lengauer-Tarjan.
#include "graph/walks/dominators.hpp"

#include "graph/boost/adapter.hpp"
#include "tests/graph/random_history.hpp"

#include <set>

#include <boost/graph/dominator_tree.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using schema::EdgeTypeSet;
using schema::NoInterrupt;
using schema::number;

using Vertices = std::vector<VertexId>;
using Nearest = std::vector<std::optional<VertexId>>;

namespace {

Vertices between(Snapshot const& snapshot, VertexId from, VertexId to) {
  return graph::dominators_between(snapshot, from, to, NoInterrupt{}).value();
}

Nearest nearest(Snapshot const& snapshot, Vertices const& starts, Direction direction,
                graph::WalkLimits const& limits = {}) {
  auto const reach = reach_of(snapshot, starts, direction, limits);
  return graph::nearest_dominators(snapshot, starts, direction, limits, reach, NoInterrupt{}).value();
}

/// start -> (left | right) -> waist -> (near | far -> further) -> end.
struct Hourglass : World {
  VertexId start = unit("cu_start");
  VertexId left = unit("cu_left");
  VertexId right = unit("cu_right");
  VertexId waist = unit("cu_waist");
  VertexId near = unit("cu_near");
  VertexId far = unit("cu_far");
  VertexId further = unit("cu_further");
  VertexId end_unit = unit("cu_end");

  Hourglass() {
    for (auto const& [cause, effect] : {std::pair{start, left},
                                        {start, right},
                                        {left, waist},
                                        {right, waist},
                                        {waist, near},
                                        {waist, far},
                                        {far, further},
                                        {near, end_unit},
                                        {further, end_unit}}) {
      derive(cause, effect);
    }
  }
  void derive(VertexId cause, VertexId effect) { (void)edge(EdgeType::derived_from, effect, cause); }
};

/// What `start` no longer reaches once `without` is left out of the steps.
std::set<std::uint32_t> reached_without(GraphOracle::Steps const& steps, std::vector<std::uint32_t> const& starts,
                                        std::optional<std::uint32_t> without) {
  std::set<std::uint32_t> reached;
  auto waiting = starts;
  while (!waiting.empty()) {
    auto const v = waiting.back();
    waiting.pop_back();
    if (v == without || !reached.insert(v).second || !steps.contains(v)) continue;
    for (auto const& [next, edge] : steps.at(v)) waiting.push_back(next);
  }
  return reached;
}

/// Lengauer-Tarjan on the part reached from one start: the nearest dominators by local number, the start being 0.
std::vector<std::uint32_t> by_boost(graph::PartGraph const& graph) {
  std::vector<std::uint32_t> nearest(graph.size(), graph::PartGraph::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      graph, 0U, boost::make_iterator_property_map(nearest.begin(), get(boost::vertex_index, graph)));
  return nearest;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dominators, Hourglass)

BOOST_AUTO_TEST_CASE(are_passed_by_every_path_in_its_order) {
  BOOST_TEST(between(now(), start, end_unit) == Vertices{waist});
  BOOST_TEST(between(now(), left, further) == (Vertices{waist, far}));
}

BOOST_AUTO_TEST_CASE(are_none_where_no_vertex_is_on_all_paths) {
  BOOST_TEST(between(now(), start, waist).empty());
  BOOST_TEST(between(now(), start, left).empty());
  BOOST_TEST(between(now(), left, right).empty());
  BOOST_TEST(between(now(), end_unit, start).empty());
  BOOST_TEST(between(now(), start, start).empty());
  derive(left, near);
  BOOST_TEST(between(now(), start, end_unit).empty());
}

BOOST_AUTO_TEST_CASE(do_not_change_with_parallel_edges) {
  (void)edge(EdgeType::derived_from, waist, left, 2);
  BOOST_TEST(between(now(), start, end_unit) == Vertices{waist});
}

BOOST_AUTO_TEST_CASE(are_as_of_the_snapshot) {
  auto const before = now();
  hide(left);
  BOOST_TEST(between(now(), start, end_unit) == (Vertices{right, waist}));
  BOOST_TEST(between(before, start, end_unit) == Vertices{waist});
  BOOST_TEST(between(now().as_of(before.tx()), start, end_unit) == Vertices{waist});
  hide(waist);
  BOOST_TEST(between(now(), start, end_unit).empty());
}

BOOST_AUTO_TEST_CASE(of_many_starts_are_on_the_paths_from_all_of_them) {
  auto const reach = reach_of(now(), {left, right}, Direction::descendants);
  BOOST_TEST(reach.vertices == (Vertices{waist, near, far, end_unit, further}));
  BOOST_CHECK(nearest(now(), {left, right}, Direction::descendants) == (Nearest{{}, waist, waist, waist, far}));
  BOOST_CHECK(nearest(now(), {left, right, near}, Direction::descendants) ==
              (Nearest{{}, {}, {}, waist, far}));  // waist, end, near (a start), far, further
}

BOOST_AUTO_TEST_CASE(go_against_influence_too) {
  // further, near, far, waist, left, right, start in order of the walk from the end.
  auto const reach = reach_of(now(), {end_unit}, Direction::ancestors);
  auto const found = nearest(now(), {end_unit}, Direction::ancestors);
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const v = reach.vertices[i];
    std::optional<VertexId> expected;
    if (v == far) expected = further;
    if (v == left || v == right || v == start) expected = waist;
    BOOST_CHECK(found[i] == expected);
  }
}

// Two chains that meet: a search for common ancestors, or a compression of paths, that descends by recursion would
// overflow the stack.
BOOST_AUTO_TEST_CASE(of_a_million_vertices_in_two_chains_that_meet) {
  World world;
  world.begin();
  auto add = [&, i = 0](VertexId cause) mutable {
    auto const v = world.graph.add_vertex(RecordType::context_unit, std::to_string(i++), {});
    (void)world.graph.add_edge(EdgeType::derived_from, v, cause, {});
    return v;
  };
  auto const first = world.graph.add_vertex(RecordType::context_unit, "first", {});
  auto one = add(first);
  auto other = add(first);
  for (int i = 0; i < 500'000; ++i) {
    one = add(one);
    other = add(other);
  }
  auto const meeting = add(one);
  (void)world.graph.add_edge(EdgeType::derived_from, meeting, other, {});
  auto const last = add(meeting);
  world.end();
  BOOST_TEST(between(world.now(), first, last) == Vertices{meeting});
  BOOST_TEST(between(world.now(), first, one).size() == 500'000U);
  StopAtOnce const stop{schema::Stop::timeout};
  BOOST_CHECK(graph::dominators_between(world.now(), first, last, stop).error().code == Errc::deadline_exceeded);
  auto const reach = reach_of(world.now(), {first}, Direction::descendants);
  BOOST_CHECK(
      graph::nearest_dominators(world.now(), {&first, 1}, Direction::descendants, {}, reach, stop).error().code ==
      Errc::deadline_exceeded);
}

BOOST_AUTO_TEST_CASE(equal_the_definition) {
  for_random_histories(100, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    if (now.vertex_count() == 0) return;
    auto const last_tx = number(now.tx());
    auto const steps = history.oracle().steps(last_tx, Direction::descendants, EdgeTypeSet::all());
    for (int i = 0; i < 20; ++i) {
      auto const from = history.number_below(now.vertex_count());
      auto const to = history.number_below(now.vertex_count());
      bool const leads =
          from != to && history.oracle().is_visible(last_tx, from) && reached_without(steps, {from}, {}).contains(to);
      std::set<std::uint32_t> expected;
      for (std::uint32_t v = 0; v < now.vertex_count() && leads; ++v) {
        if (v != from && v != to && !reached_without(steps, {from}, v).contains(to)) expected.insert(v);
      }
      auto const found = between(now, VertexId{from}, VertexId{to});
      std::set<std::uint32_t> numbers;
      for (auto const v : found) numbers.insert(number(v));
      BOOST_TEST(numbers == expected, boost::test_tools::per_element());
      for (std::size_t k = 1; k < found.size(); ++k) BOOST_TEST(graph::influences(now, found[k - 1], found[k]));
    }
  });
}

BOOST_AUTO_TEST_CASE(of_several_starts_equal_the_definition) {
  for_random_histories(100, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    if (now.vertex_count() == 0) return;
    auto const last_tx = number(now.tx());
    auto const steps = history.oracle().steps(last_tx, Direction::descendants, EdgeTypeSet::all());
    for (int i = 0; i < 10; ++i) {
      std::set<std::uint32_t> starts;
      for (auto count = history.number_below(3) + 1; count > 0; --count) {
        auto const v = history.number_below(now.vertex_count());
        if (history.oracle().is_visible(last_tx, v)) starts.insert(v);
      }
      Vertices start_ids;
      for (auto const v : starts) start_ids.push_back(VertexId{v});
      auto const reach = reach_of(now, start_ids, Direction::descendants);
      auto const found = nearest(now, start_ids, Direction::descendants);
      for (std::size_t k = 0; k < found.size(); ++k) {
        auto const v = number(reach.vertices[k]);
        // The dominator that is itself dominated by all others: the one that the most others are needed for.
        std::vector<std::uint32_t> dominators;
        for (std::uint32_t without = 0; without < now.vertex_count() && !starts.contains(v); ++without) {
          if (starts.contains(without) || without == v) continue;
          if (!reached_without(steps, {starts.begin(), starts.end()}, without).contains(v))
            dominators.push_back(without);
        }
        std::optional<VertexId> expected;
        for (auto const each : dominators) {
          if (!expected || graph::influences(now, *expected, VertexId{each})) expected = VertexId{each};
        }
        BOOST_CHECK(found[k] == expected);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(equal_those_of_boost_graph) {
  for_random_histories(100, [](RandomHistory const& history) {
    auto const now = history.graph().snapshot();
    if (now.vertex_count() == 0) return;
    VertexId const from{history.number_below(now.vertex_count())};
    auto const reach = reach_of(now, {from}, Direction::descendants);
    auto const found = nearest(now, {from}, Direction::descendants);
    graph::impl::LocalNumbers part{now.vertex_count()};
    part.add(from);
    for (auto const v : reach.vertices) part.add(v);
    NoInterrupt const no_interrupt;
    schema::Poll poll{no_interrupt};
    auto const expected = by_boost({now, part, Direction::descendants, EdgeTypeSet::all(), poll});
    for (std::uint32_t v = 1; v < part.size(); ++v) {
      BOOST_TEST((found[v - 1] ? part.find(*found[v - 1]) : 0) == expected[v]);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
