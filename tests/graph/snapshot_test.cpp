// What a snapshot answers of vertices, edges, states and moments.
#include "tests/graph/world.hpp"

#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::StateCause;
using graph::StateChange;
using graph::UnitState;
using graph::UnitStatus;
using schema::Time;

using Vertices = std::vector<VertexId>;

BOOST_AUTO_TEST_SUITE(snapshot)

BOOST_AUTO_TEST_CASE(is_empty_at_transaction_0) {
  World const world;
  auto const now = world.now();
  BOOST_TEST(now.tx() == TxId{0});
  BOOST_TEST(now.at() == Time{});
  BOOST_TEST(now.vertex_count() == 0U);
  BOOST_TEST(now.edge_count() == 0U);
  BOOST_TEST(!now.find(RecordType::context_unit, "cu_a").has_value());
}

BOOST_AUTO_TEST_CASE(finds_a_vertex_by_type_and_id_from_its_transaction_on) {
  World world;
  auto const unit = world.unit("cu_a");
  auto const response = world.response("resp_a");
  auto const now = world.now();
  BOOST_CHECK(now.find(RecordType::context_unit, "cu_a") == unit);
  BOOST_CHECK(now.find(RecordType::response, "resp_a") == response);
  BOOST_TEST(!now.find(RecordType::response, "cu_a").has_value());
  BOOST_TEST(!now.find(RecordType::context_unit, "cu_").has_value());
  BOOST_TEST(!now.as_of(TxId{1}).find(RecordType::response, "resp_a").has_value());
  BOOST_TEST(now.id(response) == "resp_a");
  BOOST_TEST(now.type(response) == RecordType::response);
  BOOST_TEST(now.created(response) == TxId{2});
}

BOOST_AUTO_TEST_CASE(finds_every_one_of_many_ids) {
  World world;
  world.begin();
  for (int i = 0; i < 5000; ++i) (void)world.graph.add_vertex(RecordType::topic, std::to_string(i), {});
  world.end();
  auto const now = world.now();
  for (std::uint32_t i = 0; i < 5000; ++i) {
    BOOST_REQUIRE(now.find(RecordType::topic, std::to_string(i)) == VertexId{i});
  }
  BOOST_TEST(!now.find(RecordType::topic, "5000").has_value());
}

BOOST_AUTO_TEST_CASE(keeps_a_vertex_s_own_time_to_the_nanosecond_or_none) {
  World world;
  world.begin();
  auto const with = world.graph.add_vertex(RecordType::topic, "a", Time{-1, 999'999'999});
  auto const without = world.graph.add_vertex(RecordType::topic, "b", {});
  world.end();
  BOOST_CHECK((world.now().time(with) == Time{-1, 999'999'999}));
  BOOST_TEST(!world.now().time(without).has_value());
}

struct StoredEdge {
  char const* name;
  EdgeType type;
  RecordType from;
  RecordType to;
  bool is_from_cause;
  friend std::ostream& operator<<(std::ostream& out, StoredEdge const& stored) { return out << stored.name; }
};

StoredEdge const stored_edges[] = {
    {"use", EdgeType::used_in, RecordType::context_unit, RecordType::response, true},
    {"derivation", EdgeType::derived_from, RecordType::context_unit, RecordType::context_unit, false},
    {"update", EdgeType::updated_by, RecordType::context_unit, RecordType::response, false},
    {"chunk of a document", EdgeType::part_of, RecordType::retrieved_chunk, RecordType::document, false},
    {"citation", EdgeType::cites, RecordType::answer, RecordType::retrieved_chunk, false},
    {"use by others", EdgeType::prov_used, RecordType::prov_activity, RecordType::context_unit, false},
    {"association", EdgeType::prov_was_associated_with, RecordType::prov_activity, RecordType::prov_agent, false},
};

BOOST_DATA_TEST_CASE(puts_an_edge_between_cause_and_effect_and_returns_it_as_stored, stored_edges, stored) {
  World world;
  auto const from = world.vertex(stored.from, "from");
  auto const to = world.vertex(stored.to, "to");
  auto const edge = world.edge(stored.type, from, to, 0.5);
  auto const now = world.now();
  auto const cause = stored.is_from_cause ? from : to;
  auto const effect = stored.is_from_cause ? to : from;
  BOOST_TEST(to_vector(now.causes(effect).vertices) == Vertices{cause});
  BOOST_TEST(to_vector(now.effects(cause).vertices) == Vertices{effect});
  BOOST_TEST(now.causes(cause).empty());
  BOOST_TEST(now.effects(effect).empty());
  BOOST_TEST(now.relations_from(from).empty());
  auto const view = now.edge(cause, effect, now.causes(effect).edges[0]);
  BOOST_TEST(now.causes(effect).edges[0] == edge);
  BOOST_TEST(view.from == from);
  BOOST_TEST(view.to == to);
  BOOST_TEST(view.type == stored.type);
  BOOST_TEST(view.tx == TxId{3});
  BOOST_TEST(view.value.value() == 0.5);
}

// A relation of a PROV document that would have closed a cycle.
BOOST_AUTO_TEST_CASE(counts_variants_with_their_types_and_keeps_them_apart) {
  World world;
  auto const a = world.vertex(RecordType::prov_entity, "a");
  auto const b = world.vertex(RecordType::prov_entity, "b");
  auto const variant = schema::relation_variant_of(EdgeType::prov_was_derived_from).value();
  world.edge(EdgeType::prov_was_derived_from, a, b, 0);
  auto const back = world.edge(variant, b, a, 0);
  auto const now = world.now();
  BOOST_TEST(now.edge_count(EdgeType::prov_was_derived_from) == 2U);
  BOOST_TEST(now.edge_count(EdgeType::prov_used) == 0U);
  BOOST_TEST(now.edge_count(variant) == 1U);
  schema::for_each_variant(EdgeType::prov_was_derived_from, [&](EdgeType each) {
    if (each != variant) BOOST_TEST(now.edge_count(each) == 0U);  // how the others are known has no part in it
  });
  BOOST_TEST(to_vector(now.causes(a).vertices) == Vertices{b});
  BOOST_TEST(now.causes(b).empty());
  BOOST_TEST(to_vector(now.relations_from(b).vertices) == Vertices{a});
  auto const view = now.edge(b, a, back);
  BOOST_TEST(view.from == b);
  BOOST_TEST(view.to == a);
  BOOST_TEST(name_of(view.type) == "PROV_wasDerivedFrom");
}

BOOST_AUTO_TEST_CASE(keeps_edges_without_influence_apart) {
  World world;
  auto const message = world.vertex(RecordType::message, "m");
  auto const topic = world.vertex(RecordType::topic, "t");
  auto const edge = world.edge(EdgeType::part_of, message, topic);
  auto const now = world.now();
  BOOST_TEST(to_vector(now.relations_from(message).vertices) == Vertices{topic});
  BOOST_TEST(to_vector(now.relations_to(topic).vertices) == Vertices{message});
  BOOST_TEST(now.relations_to(message).empty());
  BOOST_TEST(now.causes(message).empty());
  BOOST_TEST(now.effects(message).empty());
  BOOST_TEST(now.edge(message, topic, edge).from == message);
  BOOST_TEST(!now.value(edge).has_value());
}

BOOST_AUTO_TEST_CASE(multiplies_paths_by_weights_only) {
  World world;
  auto const unit = world.unit("cu_a");
  auto const next = world.unit("cu_b");
  auto const response = world.response("resp_a");
  auto const chunk = world.vertex(RecordType::retrieved_chunk, "c");
  auto const query = world.vertex(RecordType::query, "q");
  auto const use = world.use(unit, response, 0.25);
  auto const version = world.edge(EdgeType::derived_from, next, unit, 2.0);
  auto const retrieval = world.edge(EdgeType::retrieved_for, chunk, query, 0.75);
  auto const now = world.now();
  BOOST_TEST(now.path_weight(use) == 0.25);
  BOOST_TEST(now.path_weight(version) == 1.0);
  BOOST_TEST(now.value(version).value() == 2.0);
  BOOST_TEST(now.path_weight(retrieval) == 1.0);
}

BOOST_AUTO_TEST_CASE(counts_by_type_as_of_any_transaction) {
  World world;
  auto const a = world.unit("cu_a");
  auto const b = world.unit("cu_b");
  auto const response = world.response("resp_a");
  world.begin();
  (void)world.graph.add_edge(EdgeType::used_in, a, response, 0.5);
  (void)world.graph.add_edge(EdgeType::used_in, b, response, 0.5);
  world.end();
  (void)world.use(a, world.response("resp_b"), 1);
  auto const now = world.now();
  BOOST_TEST(now.vertex_count(RecordType::context_unit) == 2U);
  BOOST_TEST(now.vertices(RecordType::context_unit) == (Vertices{a, b}));
  BOOST_TEST(now.as_of(TxId{1}).vertices(RecordType::context_unit) == Vertices{a});
  BOOST_TEST(now.vertex_count(RecordType::topic) == 0U);
  BOOST_TEST(now.edge_count(EdgeType::used_in) == 3U);
  BOOST_TEST(now.as_of(TxId{4}).edge_count(EdgeType::used_in) == 2U);
  BOOST_TEST(now.as_of(TxId{3}).edge_count(EdgeType::used_in) == 0U);
  BOOST_TEST(now.as_of(TxId{4}).edge_count() == 2U);
  BOOST_TEST(now.edge_count(EdgeType::evaluates) == 0U);
}

BOOST_AUTO_TEST_CASE(sees_only_the_neighbours_of_its_time) {
  World world;
  auto const unit = world.unit("cu_a");
  Vertices responses;
  std::vector<TxId> after;
  for (int i = 0; i < 9; ++i) {
    responses.push_back(world.response("resp_" + std::to_string(i)));
    (void)world.use(unit, responses.back(), 1);
    after.push_back(TxId{world.tx});
  }
  auto const now = world.now();
  for (std::size_t i = 0; i < responses.size(); ++i) {
    Vertices const expected{responses.begin(), responses.begin() + static_cast<std::ptrdiff_t>(i) + 1};
    BOOST_TEST(to_vector(now.as_of(after[i]).effects(unit).vertices) == expected);
  }
}

BOOST_AUTO_TEST_CASE(keeps_its_neighbours_while_the_graph_grows) {
  World world;
  auto const unit = world.unit("cu_a");
  (void)world.use(unit, world.response("resp_first"), 1);
  auto const then = world.now();
  auto const neighbours = then.effects(unit);
  for (int i = 0; i < 200; ++i) (void)world.use(unit, world.response("resp_" + std::to_string(i)), 1);
  BOOST_TEST(neighbours.vertices[0] == VertexId{1});
  BOOST_TEST(then.effects(unit).size() == 1U);
  BOOST_TEST(then.vertex_count() == 2U);
  BOOST_TEST(world.now().effects(unit).size() == 201U);
}

BOOST_AUTO_TEST_CASE(held_for_long_may_be_dropped_after_any_number_of_replacements) {
  World world;
  std::optional<Snapshot> const first = world.now();
  for (int i = 0; i < 50'000; ++i) {
    auto const unit = world.unit("cu_" + std::to_string(i));
    world.begin();
    world.graph.reserve_causes(unit, 1);
    world.graph.reserve_causes(unit, 2);
    world.end();
  }
  BOOST_TEST(first->vertex_count() == 0U);
}

BOOST_AUTO_TEST_CASE(tells_a_unit_s_state_and_changes_as_of_any_transaction) {
  World world;
  auto const unit = world.unit("cu_a");
  UnitState const rated{UnitStatus::active, -0.25, 1};
  UnitState const dropped{UnitStatus::deprecated, -0.6, 2};
  for (auto const& [cause, state] : {std::pair{StateCause::feedback, rated}, {StateCause::deprecated, dropped}}) {
    world.begin();
    world.graph.set_state(unit, cause, state);
    world.end();
  }
  auto const now = world.now();
  BOOST_CHECK(now.state(unit) == dropped);
  BOOST_CHECK(now.as_of(TxId{2}).state(unit) == rated);
  BOOST_CHECK(now.as_of(TxId{1}).state(unit) == UnitState{});
  std::vector<StateChange> const changes{{TxId{2}, StateCause::feedback, rated},
                                         {TxId{3}, StateCause::deprecated, dropped}};
  BOOST_CHECK(now.state_changes(unit) == changes);
  BOOST_TEST(now.as_of(TxId{2}).state_changes(unit).size() == 1U);
}

BOOST_AUTO_TEST_CASE(resolves_a_moment_to_the_last_transaction_at_or_before_it) {
  World world;
  for (int i = 0; i < 3; ++i) (void)world.unit("cu_" + std::to_string(i));
  auto const now = world.now();
  BOOST_TEST(now.last_tx_at({0, 999'999'999}) == TxId{0});
  BOOST_TEST(now.last_tx_at({1, 0}) == TxId{1});
  BOOST_TEST(now.last_tx_at({2, 999'999'999}) == TxId{2});
  BOOST_TEST(now.last_tx_at({9, 0}) == TxId{3});
  BOOST_TEST(now.as_of(TxId{2}).last_tx_at({9, 0}) == TxId{2});
  BOOST_TEST(now.committed_at(TxId{2}) == (Time{2, 0}));
}

BOOST_AUTO_TEST_CASE(pending_sees_an_open_transaction_that_published_ones_do_not) {
  World world;
  auto const unit = world.unit("cu_a");
  world.begin();
  auto const response = world.graph.add_vertex(RecordType::response, "resp_a", {});
  auto const edge = world.graph.add_edge(EdgeType::used_in, unit, response, 1);
  auto const pending = world.graph.pending();
  BOOST_CHECK(pending.find(RecordType::response, "resp_a") == response);
  BOOST_TEST(pending.effects(unit).size() == 1U);
  BOOST_TEST(pending.tx(edge) == TxId{2});
  BOOST_TEST(pending.edge_count(EdgeType::used_in) == 1U);
  BOOST_TEST(world.now().effects(unit).empty());
  BOOST_TEST(world.now().tx() == TxId{1});
  world.end();
  BOOST_TEST(world.now().tx() == TxId{2});
}

BOOST_AUTO_TEST_CASE(memory_stays_under_40_bytes_an_edge_for_responses_of_20_units) {
  World world;
  world.begin();
  Vertices units;
  for (int i = 0; i < 2000; ++i) {
    units.push_back(world.graph.add_vertex(RecordType::context_unit, "cu_" + std::to_string(i), {}));
  }
  for (std::uint32_t r = 0; r < 10'000; ++r) {
    auto const response = world.graph.add_vertex(RecordType::response, "resp_" + std::to_string(r), {});
    world.graph.reserve_causes(response, 20);
    for (std::uint32_t k = 0; k < 20; ++k) {
      (void)world.graph.add_edge(EdgeType::used_in, units[(r * 7919 + k * 613) % units.size()], response, 0.05);
    }
  }
  world.end();
  auto const memory = world.graph.memory();
  auto const per_edge = static_cast<double>(memory.adjacency) / static_cast<double>(world.now().edge_count());
  BOOST_TEST_MESSAGE("bytes an edge, both directions: " << per_edge);
  BOOST_TEST(per_edge < 40);
  BOOST_TEST(per_edge > 21);  // two entries of 8 bytes, a value of 4, a type of 1
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
