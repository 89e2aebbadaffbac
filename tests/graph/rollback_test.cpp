// Taking back what was not published.
#include "tests/graph/world.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::StateCause;
using graph::UnitState;
using graph::UnitStatus;

using Vertices = std::vector<VertexId>;

namespace {

/// A published unit used in one response, and a transaction of every kind of change that was ended, not published.
struct Unpublished : World {
  VertexId unit_a = unit("cu_a");
  VertexId response_a = response("resp_a");
  EdgeId first = use(unit_a, response_a, 0.5);
  VertexId dropped{};

  Unpublished() {
    begin();
    dropped = graph.add_vertex(RecordType::response, "resp_dropped", {});
    graph.reserve_causes(dropped, 3);
    for (int i = 0; i < 3; ++i) (void)graph.add_edge(EdgeType::used_in, unit_a, dropped, 0.1);
    graph.set_state(unit_a, StateCause::deprecated, {UnitStatus::deprecated, -1, 1});
    graph.end();
  }
  void roll_back() {
    graph.rollback();
    tx = schema::number(now().tx());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rollback, Unpublished)

BOOST_AUTO_TEST_CASE(forgets_everything_above_the_watermark) {
  roll_back();
  for (auto const& snapshot : {graph.pending(), graph.snapshot()}) {
    BOOST_TEST(snapshot.tx() == TxId{3});
    BOOST_TEST(snapshot.vertex_count() == 2U);
    BOOST_TEST(snapshot.edge_count() == 1U);
    BOOST_TEST(snapshot.edge_count(EdgeType::used_in) == 1U);
    BOOST_TEST(snapshot.vertex_count(RecordType::response) == 1U);
    BOOST_TEST(!snapshot.find(RecordType::response, "resp_dropped").has_value());
    BOOST_TEST(to_vector(snapshot.effects(unit_a).vertices) == Vertices{response_a});
    BOOST_CHECK(snapshot.state(unit_a) == UnitState{});
  }
}

BOOST_AUTO_TEST_CASE(forgets_an_open_transaction_too) {
  begin();
  (void)graph.add_edge(EdgeType::used_in, unit_a, dropped, 0.2);
  roll_back();
  BOOST_TEST(graph.pending().edge_count() == 1U);
  (void)use(unit_a, response_a, 0.3);
  BOOST_TEST(now().tx() == TxId{4});
}

BOOST_AUTO_TEST_CASE(gives_the_numbers_again_to_other_things) {
  auto const before = now();
  roll_back();
  auto const other = vertex(RecordType::topic, "other");
  auto const third = response("resp_c");
  auto const again = use(unit_a, third, 0.25);
  BOOST_TEST(other == dropped);
  BOOST_TEST(schema::number(again) == 1U);
  BOOST_CHECK(now().find(RecordType::topic, "other") == other);
  BOOST_TEST(!now().find(RecordType::response, "resp_dropped").has_value());
  BOOST_TEST(to_vector(now().effects(unit_a).vertices) == (Vertices{response_a, third}));
  BOOST_TEST(now().causes(other).empty());
  BOOST_TEST(to_vector(before.effects(unit_a).vertices) == Vertices{response_a});
}

BOOST_AUTO_TEST_CASE(of_a_list_then_reserved_larger_shows_no_stale_slot) {
  // The list of causes holds dropped slots when it is replaced by a larger block.
  begin();
  for (int i = 0; i < 5; ++i) (void)graph.add_edge(EdgeType::used_in, unit_a, response_a, 0.1);
  roll_back();
  begin();
  graph.reserve_causes(response_a, 40);
  (void)graph.add_edge(EdgeType::used_in, unit_a, response_a, 0.2);
  end();
  BOOST_TEST(now().causes(response_a).size() == 2U);
  BOOST_TEST(now().as_of(TxId{3}).causes(response_a).size() == 1U);
}

BOOST_AUTO_TEST_CASE(keeps_the_history_of_states_right) {
  roll_back();
  begin();
  graph.set_state(unit_a, StateCause::feedback, {UnitStatus::active, 0.5, 1});
  end();
  BOOST_TEST(now().state_changes(unit_a).size() == 1U);
  BOOST_TEST(now().state(unit_a).score == 0.5);
}

BOOST_AUTO_TEST_CASE(takes_ranks_back) {
  roll_back();
  begin();
  (void)graph.add_edge(EdgeType::retrieved_for, unit_a, response_a, 0.5, 7);
  (void)graph.add_edge(EdgeType::retrieved_for, unit_a, response_a, 0.5, 8);
  roll_back();
  auto const plain = use(unit_a, response_a, 0.5);
  BOOST_TEST(now().rank(plain) == 0U);
  begin();
  auto const other = graph.add_edge(EdgeType::retrieved_for, unit_a, response_a, 0.5, 9);
  end();
  BOOST_TEST(now().rank(other) == 9U);
  BOOST_TEST(now().rank(plain) == 0U);
  BOOST_TEST(now().rank(first) == 0U);
}

BOOST_AUTO_TEST_CASE(gives_the_memory_back) {
  roll_back();
  auto const before = graph.memory();
  begin();
  auto const v = graph.add_vertex(RecordType::response, "resp_large", {});
  graph.reserve_causes(v, 100'000);
  roll_back();
  BOOST_TEST(graph.memory().adjacency == before.adjacency);
}

/// The number of a vertex keeps what it was given for relations, states and contents; the next vertex has none of it.
BOOST_AUTO_TEST_CASE(gives_the_number_to_a_vertex_without_relations_states_or_contents) {
  roll_back();
  begin();
  auto const gone = graph.add_vertex(RecordType::feedback_record, "fb_dropped", {});
  (void)graph.add_edge(EdgeType::evaluates, gone, response_a, 0.25);
  graph.set_state(gone, StateCause::feedback, {UnitStatus::active, 0.5, 1});
  (void)graph.revise(gone, graph::RevisionKind::whole);
  graph.end();
  roll_back();
  BOOST_TEST(now().relations_to(response_a).empty());
  auto const next = unit("cu_next");
  BOOST_REQUIRE((next == gone));
  BOOST_TEST(now().relations_from(next).empty());
  BOOST_TEST(now().state_changes(next).empty());
  BOOST_TEST(now().contents_count(next) == 1U);
  auto const other = vertex(RecordType::feedback_record, "fb_next");
  auto const evaluation = edge(EdgeType::evaluates, other, response_a, 0.75);
  BOOST_REQUIRE(now().relations_to(response_a).size() == 1U);
  BOOST_TEST((now().relations_to(response_a).edges[0] == evaluation));
}

BOOST_AUTO_TEST_CASE(takes_deletions_back) {
  auto const before = now();
  begin();
  graph.hide(response_a);
  graph.hide(dropped);  // ended before, not published
  auto const again = graph.add_vertex(RecordType::response, "resp_a", {});
  (void)graph.add_edge(EdgeType::used_in, unit_a, again, 1);
  graph.hide(unit_a);
  graph.end();
  BOOST_TEST(graph.pending().edge_count(EdgeType::used_in) == 0U);
  roll_back();
  for (auto const& snapshot : {graph.pending(), graph.snapshot(), before}) {
    BOOST_CHECK(snapshot.find(RecordType::response, "resp_a") == response_a);
    BOOST_TEST(!snapshot.find_deleted(RecordType::response, "resp_a").has_value());
    BOOST_TEST(!snapshot.is_deleted(unit_a));
    BOOST_TEST(snapshot.vertex_count(RecordType::response) == 1U);
    BOOST_TEST(snapshot.edge_count(EdgeType::used_in) == 1U);
    BOOST_TEST(snapshot.deleted_vertices(RecordType::context_unit).empty());
    BOOST_TEST(to_vector(snapshot.effects(unit_a).vertices) == Vertices{response_a});
    BOOST_TEST(reach_of(snapshot, {unit_a}, graph::Direction::descendants).vertices == Vertices{response_a});
  }
}

BOOST_AUTO_TEST_CASE(lets_what_was_taken_back_be_deleted_again) {
  graph.rollback();
  tx = schema::number(now().tx());
  begin();
  graph.hide(response_a);
  roll_back();
  hide(response_a);
  BOOST_TEST(now().is_deleted(response_a));
  BOOST_TEST(now().edge_count(EdgeType::used_in) == 0U);
  BOOST_TEST(now().effects(unit_a).empty());
  BOOST_TEST(now().as_of(TxId{3}).edge_count(EdgeType::used_in) == 1U);
}

BOOST_AUTO_TEST_CASE(gives_the_number_of_a_deleted_vertex_to_a_visible_one) {
  begin();
  graph.hide(dropped);
  (void)graph.revise(unit_a, graph::RevisionKind::whole);
  graph.end();
  roll_back();
  auto const other = response("resp_b");
  BOOST_TEST(other == dropped);
  BOOST_TEST(!now().is_deleted(other));
  BOOST_TEST(now().vertex_count(RecordType::response) == 2U);
}

BOOST_AUTO_TEST_CASE(takes_revisions_back) {
  using Numbers = std::vector<std::uint32_t>;
  roll_back();
  BOOST_TEST(revise(unit_a, graph::RevisionKind::addition) == 1U);
  begin();
  (void)graph.revise(unit_a, graph::RevisionKind::whole);
  (void)graph.revise(unit_a, graph::RevisionKind::update);
  graph.end();
  begin();
  (void)graph.revise(unit_a, graph::RevisionKind::addition);
  auto const fresh = graph.add_vertex(RecordType::keyword, "k", {});
  (void)graph.revise(fresh, graph::RevisionKind::whole);
  roll_back();
  BOOST_TEST(now().contents(unit_a) == (Numbers{0, 1}));
  BOOST_TEST(graph.pending().revisions(unit_a).size() == 1U);
  BOOST_TEST(revise(unit_a, graph::RevisionKind::update) == 2U);
  BOOST_TEST(now().contents(unit_a) == (Numbers{0, 1, 2}));
  auto const other = vertex(RecordType::keyword, "other");
  BOOST_TEST(other == fresh);
  BOOST_TEST(now().contents(other) == Numbers{0});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
