// Claim: at every transaction, a snapshot taken then, the same moment seen from the end (`as_of`), and the naive oracle
// agree about everything: names, counts, contents, neighbours, reach, weights, influence, paths.
// Method: random histories with deletions, revisions and rollbacks; the oracle enumerates. Weights are powers of two,
// so sums and products are exact and compared for equality.
#include "tests/graph/random_history.hpp"

#include <cmath>
#include <map>
#include <set>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using graph::PathKind;
using graph::WalkLimits;
using schema::NoInterrupt;
using schema::number;

namespace {

constexpr Direction directions[] = {Direction::ancestors, Direction::descendants};

/// Calls `check(snapshot, tx)` for every transaction's snapshot as taken then and as seen from the end.
template <class Check>
void at_every_transaction(RandomHistory const& history, Check const& check) {
  auto const last = history.graph().snapshot();
  for (std::uint64_t tx = 0; tx < history.snapshots().size(); ++tx) {
    BOOST_TEST_CONTEXT("as of " << tx) {
      BOOST_TEST(history.snapshots()[tx].tx() == TxId{tx});
      check(history.snapshots()[tx], tx);
      check(last.as_of(TxId{tx}), tx);
    }
  }
}

WalkLimits random_limits(RandomHistory const& history) {
  WalkLimits limits;
  if (history.number_below(2) == 0) limits.depth = history.number_below(6);
  if (history.number_below(3) == 0) {
    limits.edge_types = {};
    for (auto const& rule : schema::edge_rules()) {
      if (history.number_below(2) == 0) limits.edge_types.insert(rule.type);
    }
  }
  return limits;
}

std::vector<std::uint32_t> numbers_of(std::vector<VertexId> const& vertices) {
  std::vector<std::uint32_t> numbers;
  for (auto const v : vertices) numbers.push_back(number(v));
  return numbers;
}

std::optional<std::uint32_t> number_of(std::optional<VertexId> v) {
  if (!v) return {};
  return number(*v);
}

using Steps = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Steps steps_in(graph::Neighbours const& list) {
  Steps steps;
  for (std::size_t i = 0; i < list.size(); ++i) steps.emplace_back(number(list.vertices[i]), number(list.edges[i]));
  return steps;
}

void check_names_and_counts(Snapshot const& snapshot, std::uint64_t tx, GraphOracle const& oracle) {
  BOOST_TEST(snapshot.vertex_count() == oracle.vertex_count(tx));
  std::map<RecordType, std::vector<std::uint32_t>> deleted;
  for (std::uint32_t v = 0; v < oracle.vertices().size(); ++v) {
    auto const& vertex = oracle.vertices()[v];
    BOOST_CHECK(number_of(snapshot.find(vertex.type, vertex.id)) == oracle.find(tx, vertex.type, vertex.id));
    BOOST_CHECK(number_of(snapshot.find_deleted(vertex.type, vertex.id)) ==
                oracle.find_deleted(tx, vertex.type, vertex.id));
    BOOST_TEST(snapshot.contains(VertexId{v}) == (vertex.tx <= tx));
    if (vertex.tx > tx) continue;
    BOOST_TEST(number(snapshot.created(VertexId{v})) == vertex.tx);
    BOOST_TEST(snapshot.is_deleted(VertexId{v}) == !oracle.is_visible(tx, v));
    if (snapshot.is_deleted(VertexId{v})) deleted[vertex.type].push_back(v);
  }
  for (auto const& info : schema::record_types()) {
    auto const type = info.type;
    auto const expected = oracle.visible_vertices(tx, type);
    BOOST_TEST(numbers_of(snapshot.vertices(type)) == expected);
    BOOST_TEST(snapshot.vertex_count(type) == expected.size());
    BOOST_TEST(numbers_of(snapshot.deleted_vertices(type)) == deleted[type]);
  }
}

void check_contents(Snapshot const& snapshot, std::uint64_t tx, GraphOracle const& oracle) {
  for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) {
    BOOST_TEST(snapshot.contents(VertexId{v}) == oracle.contents(tx, v));
    auto const expected = oracle.revisions(tx, v);
    auto const revisions = snapshot.revisions(VertexId{v});
    BOOST_REQUIRE(revisions.size() == expected.size());
    for (std::uint32_t i = 0; i < revisions.size(); ++i) {
      BOOST_CHECK((revisions[i] == graph::Revision{TxId{expected[i].tx}, i + 1, expected[i].kind}));
    }
  }
}

/// The lists of all vertices, visible or not, by the edges stored: shown ones, and all that ever were.
struct ExpectedLists {
  std::map<std::uint32_t, Steps> causes;
  std::map<std::uint32_t, Steps> effects;
  std::map<std::uint32_t, Steps> relations_from;
  std::map<std::uint32_t, Steps> relations_to;

  ExpectedLists(GraphOracle const& oracle, std::uint64_t tx, bool is_ever) {
    for (std::uint32_t e = 0; e < oracle.edges().size(); ++e) {
      auto const& edge = oracle.edges()[e];
      if (edge.tx > tx || (!is_ever && !oracle.is_edge_visible(tx, e))) continue;
      auto const influence = influence_of(edge.type, oracle.vertices()[edge.from].type);
      auto const is_against = influence == schema::Influence::against;
      auto const cause = is_against ? edge.to : edge.from;
      auto const effect = is_against ? edge.from : edge.to;
      auto const is_relation = influence == schema::Influence::none;
      (is_relation ? relations_from : effects)[cause].emplace_back(effect, e);
      (is_relation ? relations_to : causes)[effect].emplace_back(cause, e);
    }
  }
};

void check_lists(Snapshot const& snapshot, std::uint64_t tx, GraphOracle const& oracle) {
  ExpectedLists shown{oracle, tx, false};
  ExpectedLists ever{oracle, tx, true};
  for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) {
    VertexId const id{v};
    BOOST_CHECK(steps_in(snapshot.causes(id)) == shown.causes[v]);
    BOOST_CHECK(steps_in(snapshot.effects(id)) == shown.effects[v]);
    BOOST_CHECK(steps_in(snapshot.relations_from(id)) == shown.relations_from[v]);
    BOOST_CHECK(steps_in(snapshot.relations_to(id)) == shown.relations_to[v]);
    BOOST_CHECK(steps_in(snapshot.causes_ever(id)) == ever.causes[v]);
    BOOST_CHECK(steps_in(snapshot.effects_ever(id)) == ever.effects[v]);
    BOOST_CHECK(steps_in(snapshot.relations_from_ever(id)) == ever.relations_from[v]);
    BOOST_CHECK(steps_in(snapshot.relations_to_ever(id)) == ever.relations_to[v]);
  }
}

void check_edges(Snapshot const& snapshot, std::uint64_t tx, GraphOracle const& oracle) {
  std::map<EdgeType, std::uint64_t> counts;
  for (std::uint32_t e = 0; e < oracle.edges().size(); ++e) {
    auto const& edge = oracle.edges()[e];
    if (edge.tx > tx) continue;
    counts[edge.type] += oracle.is_edge_visible(tx, e) ? 1 : 0;
    EdgeId const id{e};
    BOOST_TEST(number(snapshot.tx(id)) == edge.tx);
    BOOST_CHECK(snapshot.value(id) == edge.value);
    BOOST_TEST(snapshot.path_weight(id) == oracle.path_weight(e));
    auto const influence = influence_of(edge.type, oracle.vertices()[edge.from].type);
    VertexId const from{edge.from};
    VertexId const to{edge.to};
    auto const view =
        influence == schema::Influence::against ? snapshot.edge(to, from, id) : snapshot.edge(from, to, id);
    BOOST_TEST(view.from == from);
    BOOST_TEST(view.to == to);
  }
  for (auto const& rule : schema::edge_rules()) BOOST_TEST(snapshot.edge_count(rule.type) == counts[rule.type]);
}

void check_reach(Snapshot const& snapshot, std::uint64_t tx, RandomHistory const& history) {
  if (snapshot.vertex_count() == 0) return;
  std::vector<std::uint32_t> starts;
  for (auto count = history.number_below(3) + 1; count > 0; --count) {
    starts.push_back(history.number_below(snapshot.vertex_count()));
  }
  std::vector<VertexId> ids;
  for (auto const start : starts) ids.push_back(VertexId{start});
  for (auto const direction : directions) {
    auto const limits = random_limits(history);
    auto const expected = history.oracle().reach(tx, starts, direction, limits);
    auto const reach = graph::reach(snapshot, ids, direction, limits, NoInterrupt{}).value();
    std::map<std::uint32_t, std::uint32_t> seen;
    for (std::size_t i = 0; i < reach.vertices.size(); ++i) seen[number(reach.vertices[i])] = reach.depth_of(i);
    BOOST_CHECK(seen == expected);
    BOOST_TEST(reach.vertices.size() == expected.size());
    WalkLimits const unbounded{.edge_types = limits.edge_types};
    auto const all = history.oracle().reach(tx, starts, direction, unbounded).size();
    BOOST_TEST(reach.is_cut_by_depth == (expected.size() < all));
  }
}

void check_weights(Snapshot const& snapshot, std::uint64_t tx, RandomHistory const& history) {
  if (snapshot.vertex_count() == 0) return;
  auto const start = history.number_below(snapshot.vertex_count());
  VertexId const id{start};
  for (auto const direction : directions) {
    auto limits = random_limits(history);
    auto const reach = graph::reach(snapshot, {&id, 1}, direction, limits, NoInterrupt{}).value();
    auto const strongest = graph::strongest_weights(snapshot, id, direction, limits, reach, NoInterrupt{}).value();
    auto const expected = history.oracle().weights(tx, start, direction, limits).strongest;
    BOOST_REQUIRE(strongest.size() == expected.size());
    for (std::size_t i = 0; i < strongest.size(); ++i) {
      BOOST_TEST(strongest[i] == expected.at(number(reach.vertices[i])));
    }
  }
}

// Shares are no powers of two: compared within rounding.
void check_shares(Snapshot const& snapshot, std::uint64_t tx, RandomHistory const& history) {
  if (snapshot.vertex_count() == 0) return;
  std::set<std::uint32_t> starts;
  for (auto count = history.number_below(3) + 1; count > 0; --count) {
    auto const start = history.number_below(snapshot.vertex_count());
    if (!snapshot.is_deleted(VertexId{start})) starts.insert(start);
  }
  std::vector<VertexId> ids;
  for (auto const start : starts) ids.push_back(VertexId{start});
  if (!ids.empty()) ids.push_back(ids.front());  // counts once
  for (auto const direction : directions) {
    WalkLimits const limits{.edge_types = random_limits(history).edge_types};
    auto const reach = graph::reach(snapshot, ids, direction, limits, NoInterrupt{}).value();
    auto const shares = graph::path_shares(snapshot, ids, direction, limits, reach, NoInterrupt{}).value();
    std::map<std::uint32_t, double> expected;
    for (auto const start : starts) {
      for (auto const& [v, share] : history.oracle().shares(tx, start, direction, limits.edge_types)) {
        expected[v] += share / static_cast<double>(starts.size());
      }
    }
    BOOST_REQUIRE(shares.size() == expected.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      BOOST_TEST(shares[i] >= 0.0);
      BOOST_TEST(shares[i] <= 1.0);
      BOOST_TEST(std::abs(shares[i] - expected.at(number(reach.vertices[i]))) <= 1e-12);
    }
  }
}

void check_paths(Snapshot const& snapshot, std::uint64_t tx, RandomHistory const& history) {
  if (snapshot.vertex_count() < 2) return;
  for (int pair = 0; pair < 8; ++pair) {
    auto const from = history.number_below(snapshot.vertex_count());
    auto const to = history.number_below(snapshot.vertex_count());
    auto const limit = std::size_t{history.number_below(7)};
    for (auto const kind : {PathKind::strongest, PathKind::shortest, PathKind::all}) {
      auto const all = history.oracle().paths(tx, from, to, kind);
      auto const found = graph::find_paths(snapshot, VertexId{from}, VertexId{to}, kind, limit, NoInterrupt{}).value();
      BOOST_REQUIRE(found.paths.size() == std::min(limit, all.size()));
      BOOST_TEST(found.is_cut == (all.size() > limit));
      for (std::size_t i = 0; i < found.paths.size(); ++i) {
        std::vector<std::uint32_t> vertices;
        for (auto const v : found.paths[i].vertices) vertices.push_back(number(v));
        std::vector<std::uint32_t> edges;
        for (auto const e : found.paths[i].edges) edges.push_back(number(e));
        BOOST_TEST(vertices == all[i].vertices);
        BOOST_TEST(edges == all[i].edges);
        BOOST_TEST(found.paths[i].weight == all[i].weight);
      }
    }
    BOOST_TEST(graph::influences(snapshot, VertexId{from}, VertexId{to}) ==
               (from == to || !history.oracle().paths(tx, from, to, PathKind::all).empty()));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(snapshot_equals_as_of_equals_oracle) {
  for_random_histories(60, [](RandomHistory const& history) {
    at_every_transaction(history, [&](Snapshot const& snapshot, std::uint64_t tx) {
      check_names_and_counts(snapshot, tx, history.oracle());
      check_contents(snapshot, tx, history.oracle());
      check_lists(snapshot, tx, history.oracle());
      check_edges(snapshot, tx, history.oracle());
    });
  });
}

BOOST_AUTO_TEST_CASE(shares_are_between_0_and_1_and_equal_the_oracle_on_1000_graphs) {
  for_random_histories(1000, [](RandomHistory const& history) {
    auto const last = history.snapshots().size() - 1;
    for (std::uint64_t const tx : {last, last / 2}) {
      BOOST_TEST_CONTEXT("as of " << tx) {
        check_shares(history.graph().snapshot().as_of(TxId{tx}), tx, history);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(reach_equals_oracle) {
  for_random_histories(200, [](RandomHistory const& history) {
    at_every_transaction(history,
                         [&](Snapshot const& snapshot, std::uint64_t tx) { check_reach(snapshot, tx, history); });
  });
}

BOOST_AUTO_TEST_CASE(weights_and_influence_equal_oracle) {
  for_random_histories(200, [](RandomHistory const& history) {
    at_every_transaction(history,
                         [&](Snapshot const& snapshot, std::uint64_t tx) { check_weights(snapshot, tx, history); });
  });
}

BOOST_AUTO_TEST_CASE(paths_equal_oracle_in_order) {
  for_random_histories(100, [](RandomHistory const& history) {
    at_every_transaction(history,
                         [&](Snapshot const& snapshot, std::uint64_t tx) { check_paths(snapshot, tx, history); });
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
