// Walks that are kept up to date: at every transaction they hold the nodes that a fresh walk finds.

#include "queries/live/standing.hpp"

#include "tests/graph/random_history.hpp"
#include "tests/support/seed.hpp"

#include <set>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::Delta;
using graph::DeltaEvent;
using graph::Direction;
using graph::EventOp;
using queries::Standing;
using queries::WalkSpec;

/// What transaction `tx` changed, found from the snapshots before and after it: new vertices, all new edges with some
/// event, deletions.
Delta naive_delta(Snapshot const& before, Snapshot const& after) {
  Delta delta{.tx = after.tx(), .vertices_before = before.vertex_count()};
  for (std::uint32_t v = 0; v < before.vertex_count(); ++v) {
    if (after.is_deleted(VertexId{v}) && !before.is_deleted(VertexId{v})) {
      delta.events.push_back({.op = EventOp::remove, .vertex = VertexId{v}});
    }
  }
  for (std::uint32_t v = 0; v < after.vertex_count(); ++v) {
    DeltaEvent event{.op = v < before.vertex_count() ? EventOp::version : EventOp::put, .vertex = VertexId{v}};
    event.edges_begin = static_cast<std::uint32_t>(delta.edges.size());
    auto const effects = after.effects_ever(VertexId{v});
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (schema::number(effects.edges[i]) < before.edge_count()) continue;
      auto const edge = after.edge(VertexId{v}, effects.vertices[i], effects.edges[i]);
      delta.edges.push_back({edge.from, edge.to, effects.edges[i]});
    }
    event.edges_end = static_cast<std::uint32_t>(delta.edges.size());
    bool const is_new = v >= before.vertex_count();
    if (is_new || event.edges_end > event.edges_begin) delta.events.push_back(event);
  }
  return delta;
}

std::set<VertexId> fresh(Snapshot const& snapshot, WalkSpec const& spec) {
  auto const start = snapshot.find(spec.ref.type, spec.ref.id);
  if (!start) return {};
  auto const reached = reach_of(snapshot, {*start}, spec.direction, {.depth = spec.depth});
  return {reached.vertices.begin(), reached.vertices.end()};
}

template <class Range>
std::set<VertexId> set_of(Range const& range) {
  return {range.begin(), range.end()};
}

std::set<VertexId> difference(std::set<VertexId> const& a, std::set<VertexId> const& b) {
  std::set<VertexId> result;
  std::ranges::set_difference(a, b, std::inserter(result, result.begin()));
  return result;
}

/// Claim: after each transaction a standing walk has the members that a fresh walk finds, reports new members as
/// entered and deleted ones as lost. Method: random histories with deletions and ids written again; walks of random
/// starts, some not there yet, both directions, several depths; those not touched are left out at random.
BOOST_AUTO_TEST_CASE(a_standing_walk_equals_a_fresh_one_at_every_transaction) {
  auto const seed = whence::test::seed_from_environment();
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    RandomHistory const history{seed, 60};
    auto const& snapshots = history.snapshots();
    auto const& last = snapshots.back();
    for (int walk = 0; walk < 40; ++walk) {
      VertexId const start{history.number_below(last.vertex_count())};
      WalkSpec const spec{{last.type(start), std::string(last.id(start))},
                          walk % 2 == 0 ? Direction::descendants : Direction::ancestors,
                          walk % 3 == 0 ? graph::depth_unbounded : 1 + history.number_below(3)};
      Standing standing(spec);
      auto const first = history.number_below(static_cast<std::uint32_t>(snapshots.size()));
      standing.start(snapshots[first]);
      BOOST_TEST((set_of(standing.members()) == fresh(snapshots[first], spec)));
      for (auto tx = first + 1; tx < snapshots.size(); ++tx) {
        auto const before = set_of(standing.members());
        standing.advance(snapshots[tx], naive_delta(snapshots[tx - 1], snapshots[tx]));
        auto const now = fresh(snapshots[tx], spec);
        BOOST_TEST_CONTEXT("walk " << walk << " transaction " << tx) {
          BOOST_TEST((set_of(standing.members()) == now));
          BOOST_TEST((set_of(standing.entered()) == difference(now, before)));
          for (auto const vertex : difference(before, now)) {
            BOOST_TEST(standing.has_lost(vertex) == snapshots[tx].is_deleted(vertex));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(entering_nodes_are_ordered_by_depth_then_ref) {
  World world;
  auto const start = world.unit("start");
  auto const b = world.unit("b");
  auto const a = world.unit("a");
  auto const far = world.unit("0");
  world.edge(EdgeType::derived_from, far, b);
  Standing standing({{RecordType::context_unit, "start"}, Direction::descendants});
  standing.start(world.now());
  auto const before = world.now();
  world.begin();
  world.graph.add_edge(EdgeType::derived_from, b, start, {});
  world.graph.add_edge(EdgeType::derived_from, a, start, {});
  world.end();
  standing.advance(world.now(), naive_delta(before, world.now()));
  BOOST_TEST((std::vector<VertexId>(standing.entered().begin(), standing.entered().end()) ==
              std::vector<VertexId>{a, b, far}));
}

}  // namespace
}  // namespace whence::test
