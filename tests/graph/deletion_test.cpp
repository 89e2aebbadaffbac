// What a deleted vertex leaves, and for whom.
#include "tests/graph/world.hpp"

#include <functional>
#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using graph::Neighbours;
using graph::PathKind;
using schema::NoInterrupt;

using Vertices = std::vector<VertexId>;
using Doubles = std::vector<double>;

namespace {

/// unit a -0.5-> r1 -> unit b (made by r1, next version of a) -0.8-> r2, a -0.2-> r2, and feedback on r1; then r1 is
/// deleted in the last transaction.
struct Deleted : World {
  VertexId a = unit("cu_a");
  VertexId r1 = response("resp_1");
  VertexId b = unit("cu_b");
  VertexId r2 = response("resp_2");
  VertexId feedback = vertex(RecordType::feedback_record, "fb_1");
  EdgeId a_r1 = use(a, r1, 0.5);
  EdgeId b_r1 = edge(EdgeType::updated_by, b, r1);
  EdgeId b_a = edge(EdgeType::derived_from, b, a, 2);
  EdgeId b_r2 = use(b, r2, 0.8);
  EdgeId a_r2 = use(a, r2, 0.2);
  EdgeId rating = edge(EdgeType::evaluates, feedback, r1, 0.1);

  Deleted() { hide(r1); }
  [[nodiscard]] Snapshot before() const { return now().as_of(TxId{tx - 1}); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(deletion, Deleted)

BOOST_AUTO_TEST_CASE(hides_the_name_from_its_transaction_on) {
  BOOST_TEST(!now().find(RecordType::response, "resp_1").has_value());
  BOOST_CHECK(now().find_deleted(RecordType::response, "resp_1") == r1);
  BOOST_TEST(now().is_deleted(r1));
  BOOST_TEST(!now().is_deleted(r2));
  BOOST_CHECK(before().find(RecordType::response, "resp_1") == r1);
  BOOST_TEST(!before().find_deleted(RecordType::response, "resp_1").has_value());
  BOOST_TEST(!before().is_deleted(r1));
  BOOST_TEST(!now().find_deleted(RecordType::response, "resp_2").has_value());
  BOOST_TEST(!now().find_deleted(RecordType::response, "resp_3").has_value());
  BOOST_TEST(!now().find_deleted(RecordType::context_unit, "resp_1").has_value());
}

BOOST_AUTO_TEST_CASE(keeps_what_the_vertex_was) {
  BOOST_TEST(now().contains(r1));
  BOOST_TEST(now().vertex_count() == 5U);
  BOOST_TEST(now().edge_count() == 6U);
  BOOST_TEST(now().id(r1) == "resp_1");
  BOOST_TEST(now().type(r1) == RecordType::response);
  BOOST_TEST(now().created(r1) == TxId{2});
}

BOOST_AUTO_TEST_CASE(lists_the_vertex_among_the_deleted_only) {
  BOOST_TEST(now().vertices(RecordType::response) == Vertices{r2});
  BOOST_TEST(now().deleted_vertices(RecordType::response) == Vertices{r1});
  BOOST_TEST(now().deleted_vertices(RecordType::context_unit).empty());
  BOOST_TEST(before().vertices(RecordType::response) == (Vertices{r1, r2}));
  BOOST_TEST(before().deleted_vertices(RecordType::response).empty());
}

struct Listed {
  char const* name;
  Neighbours (Snapshot::*shown)(VertexId) const;
  std::function<Neighbours(Snapshot const&, VertexId)> ever;
  VertexId Deleted::*at;
  Vertices left;
  Vertices all;
  friend std::ostream& operator<<(std::ostream& out, Listed const& each) { return out << each.name; }
};
// Vertices are numbered in the order of `Deleted`'s members: a, r1, b, r2, feedback.
constexpr VertexId n_a{0}, n_r1{1}, n_b{2}, n_r2{3}, n_feedback{4};
Listed const lists[] = {
    {"causes", &Snapshot::causes, &Snapshot::causes_ever, &Deleted::b, {n_a}, {n_r1, n_a}},
    {"effects", &Snapshot::effects, &Snapshot::effects_ever, &Deleted::a, {n_b, n_r2}, {n_r1, n_b, n_r2}},
    {"relations from", &Snapshot::relations_from, &Snapshot::relations_from_ever, &Deleted::feedback, {}, {n_r1}},
    {"causes of the deleted", &Snapshot::causes, &Snapshot::causes_ever, &Deleted::r1, {}, {n_a}},
    {"effects of the deleted", &Snapshot::effects, &Snapshot::effects_ever, &Deleted::r1, {}, {n_b}},
    {"relations to the deleted", &Snapshot::relations_to, &Snapshot::relations_to_ever, &Deleted::r1, {}, {n_feedback}},
    {"of one without deleted neighbours",
     &Snapshot::causes,
     &Snapshot::causes_ever,
     &Deleted::r2,
     {n_b, n_a},
     {n_b, n_a}},
};

BOOST_DATA_TEST_CASE(takes_the_vertex_out_of_all_lists_but_those_of_ever, lists, each) {
  Deleted const world;
  auto const v = world.*each.at;
  auto const now = world.now();
  auto const shown = (now.*each.shown)(v);
  BOOST_TEST(to_vector(shown.vertices) == each.left);
  BOOST_TEST(shown.edges.size() == each.left.size());
  BOOST_TEST(to_vector(each.ever(now, v).vertices) == each.all);
  auto const before = world.before();
  BOOST_TEST(to_vector((before.*each.shown)(v).vertices) == each.all);
}

BOOST_AUTO_TEST_CASE(leaves_edges_beside_their_neighbours) {
  auto const effects = now().effects(a);
  BOOST_TEST(std::vector(effects.edges.begin(), effects.edges.end()) == (std::vector{b_a, a_r2}));
}

BOOST_AUTO_TEST_CASE(is_not_counted_nor_are_its_edges) {
  BOOST_TEST(now().vertex_count(RecordType::response) == 1U);
  BOOST_TEST(now().edge_count(EdgeType::used_in) == 2U);
  BOOST_TEST(now().edge_count(EdgeType::updated_by) == 0U);
  BOOST_TEST(now().edge_count(EdgeType::derived_from) == 1U);
  BOOST_TEST(now().edge_count(EdgeType::evaluates) == 0U);
  BOOST_TEST(before().vertex_count(RecordType::response) == 2U);
  BOOST_TEST(before().edge_count(EdgeType::used_in) == 3U);
  BOOST_TEST(before().edge_count(EdgeType::updated_by) == 1U);
}

BOOST_AUTO_TEST_CASE(of_both_ends_takes_an_edge_out_once) {
  hide(a);
  BOOST_TEST(now().edge_count(EdgeType::used_in) == 1U);
  BOOST_TEST(now().edge_count(EdgeType::derived_from) == 0U);
  begin();
  graph.hide(b);
  graph.hide(r2);
  end();
  BOOST_TEST(now().edge_count(EdgeType::used_in) == 0U);
  BOOST_TEST(now().vertex_count(RecordType::context_unit) == 0U);
  BOOST_TEST(now().as_of(TxId{tx - 2}).edge_count(EdgeType::used_in) == 2U);
}

BOOST_AUTO_TEST_CASE(stops_walks_at_the_vertex) {
  BOOST_TEST(reach_of(now(), {r2}, Direction::ancestors).vertices == (Vertices{b, a}));
  BOOST_TEST(reach_of(now(), {a}, Direction::descendants).vertices == (Vertices{b, r2}));
  BOOST_TEST(reach_of(before(), {r2}, Direction::ancestors).vertices == (Vertices{b, a, r1}));
  graph::WalkLimits typed{.edge_types = {}};
  typed.edge_types.insert(EdgeType::updated_by);
  typed.edge_types.insert(EdgeType::used_in);
  BOOST_TEST(reach_of(now(), {a}, Direction::descendants, typed).vertices == Vertices{r2});
  BOOST_TEST(reach_of(before(), {a}, Direction::descendants, typed).vertices == (Vertices{r1, r2, b}));
}

BOOST_AUTO_TEST_CASE(lets_walks_from_the_vertex_go_nowhere) {
  for (auto const direction : {Direction::ancestors, Direction::descendants}) {
    BOOST_TEST(reach_of(now(), {r1}, direction).vertices.empty());
    BOOST_TEST(!reach_of(now(), {r1}, direction, {.depth = 0}).is_cut_by_depth);
  }
  BOOST_TEST(reach_of(now(), {r1, r2}, Direction::ancestors).vertices == (Vertices{b, a}));
}

BOOST_AUTO_TEST_CASE(is_nothing_beyond_the_depth) {
  BOOST_TEST(reach_of(before(), {r2}, Direction::ancestors, {.depth = 1}).is_cut_by_depth);
  BOOST_TEST(!reach_of(now(), {r2}, Direction::ancestors, {.depth = 1}).is_cut_by_depth);
}

BOOST_AUTO_TEST_CASE(does_not_use_up_the_vertices_asked_for) {
  auto const reach = reach_of(now(), {a}, Direction::descendants, {.vertices_max = 2});
  BOOST_TEST(reach.vertices == (Vertices{b, r2}));
  BOOST_TEST(!reach.is_cut_by_vertices);
}

BOOST_AUTO_TEST_CASE(leaves_nothing_behind_for_the_next_walk) {
  (void)reach_of(now(), {a}, Direction::descendants);
  BOOST_TEST(reach_of(before(), {a}, Direction::descendants).vertices == (Vertices{r1, b, r2}));
}

BOOST_AUTO_TEST_CASE(takes_its_paths_out_of_weights_and_shares) {
  Vertices const starts{r2, r1};
  auto const reach = reach_of(now(), starts, Direction::ancestors);
  auto const shares = graph::path_shares(now(), starts, Direction::ancestors, {}, reach, NoInterrupt{}).value();
  BOOST_TEST(reach.vertices == (Vertices{b, a}));
  BOOST_TEST(shares == (Doubles{0.8, 1.0}));  // r1, a deleted start, has no part in the mean

  // r1 is deleted: b's only cause that is left has all of it.
  VertexId const start = r2;
  auto const up = reach_of(now(), {start}, Direction::ancestors);
  auto const parts = graph::path_shares(now(), {&start, 1}, Direction::ancestors, {}, up, NoInterrupt{}).value();
  BOOST_TEST(parts[1] == 1.0);

  auto const down = reach_of(now(), {a}, Direction::descendants);
  auto const strongest = graph::strongest_weights(now(), a, Direction::descendants, {}, down, NoInterrupt{}).value();
  BOOST_TEST(strongest == (Doubles{1, 0.8}));
}

BOOST_AUTO_TEST_CASE(takes_its_paths_out) {
  auto const paths = [](Snapshot const& snapshot, VertexId from, VertexId to) {
    return graph::find_paths(snapshot, from, to, PathKind::all, 9, NoInterrupt{}).value().paths.size();
  };
  BOOST_TEST(paths(now(), a, r2) == 2U);
  BOOST_TEST(paths(before(), a, r2) == 3U);
  BOOST_TEST(paths(now(), a, r1) == 0U);
  BOOST_TEST(paths(now(), r1, r2) == 0U);
  BOOST_TEST(graph::influences(before(), r1, r2));
  BOOST_TEST(!graph::influences(now(), r1, r2));
  BOOST_TEST(!graph::influences(now(), a, r1));
  BOOST_TEST(graph::influences(now(), a, r2));
}

BOOST_AUTO_TEST_CASE(frees_the_name_for_another_vertex) {
  auto const again = response("resp_1");
  auto const last = use(a, again, 1);
  BOOST_TEST(again != r1);
  BOOST_CHECK(now().find(RecordType::response, "resp_1") == again);
  BOOST_TEST(!now().find_deleted(RecordType::response, "resp_1").has_value());
  BOOST_TEST(now().is_deleted(r1));
  BOOST_TEST(now().vertices(RecordType::response) == (Vertices{r2, again}));
  auto const effects = now().effects(a);
  BOOST_TEST(to_vector(effects.vertices) == (Vertices{b, r2, again}));
  BOOST_TEST(effects.edges.back() == last);
  BOOST_CHECK(before().as_of(TxId{11}).find(RecordType::response, "resp_1") == r1);
}

BOOST_AUTO_TEST_CASE(may_share_its_transaction_with_the_next_vertex_of_the_name) {
  begin();
  graph.hide(r2);
  auto const again = graph.add_vertex(RecordType::response, "resp_2", {});
  (void)graph.add_edge(EdgeType::used_in, a, again, 1);
  BOOST_CHECK(graph.pending().find(RecordType::response, "resp_2") == again);
  BOOST_CHECK(now().find(RecordType::response, "resp_2") == r2);
  end();
  BOOST_CHECK(now().find(RecordType::response, "resp_2") == again);
  BOOST_CHECK(before().find(RecordType::response, "resp_2") == r2);
  BOOST_TEST(to_vector(now().effects(a).vertices) == (Vertices{b, again}));
  BOOST_TEST(to_vector(before().effects(a).vertices) == (Vertices{b, r2}));
}

BOOST_AUTO_TEST_CASE(may_come_again_and_again_under_one_name) {
  Vertices all{r1};
  std::vector<TxId> alive;
  for (int i = 0; i < 20; ++i) {
    all.push_back(response("resp_1"));
    alive.push_back(TxId{tx});
    hide(all.back());
  }
  BOOST_TEST(now().deleted_vertices(RecordType::response) == all);
  BOOST_CHECK(now().find_deleted(RecordType::response, "resp_1") == all.back());
  for (std::size_t i = 0; i < alive.size(); ++i) {
    auto const then = now().as_of(alive[i]);
    BOOST_CHECK(then.find(RecordType::response, "resp_1") == all[i + 1]);
    BOOST_TEST(!then.find_deleted(RecordType::response, "resp_1").has_value());
    auto const after = now().as_of(TxId{schema::number(alive[i]) + 1});
    BOOST_CHECK(after.find_deleted(RecordType::response, "resp_1") == all[i + 1]);
  }
}

BOOST_AUTO_TEST_CASE(stays_hidden_in_a_list_that_grows) {
  for (int i = 0; i < 40; ++i) (void)use(a, response("resp_more" + std::to_string(i)), 1);
  BOOST_TEST(now().effects(a).size() == 42U);
  BOOST_TEST(now().effects_ever(a).size() == 43U);
  BOOST_TEST(reach_of(now(), {a}, Direction::descendants).vertices.size() == 42U);
}

BOOST_AUTO_TEST_CASE(leaves_lists_to_their_owner_while_they_are_kept) {
  auto neighbours = now().effects(a);
  auto const copy = neighbours;
  neighbours = {};
  for (int i = 0; i < 40; ++i) (void)use(a, response("resp_more" + std::to_string(i)), 1);
  BOOST_TEST(to_vector(copy.vertices) == (Vertices{b, r2}));
}

BOOST_AUTO_TEST_CASE(is_no_concern_of_lists_without_deleted_neighbours) {
  BOOST_CHECK(now().effects(a).kept != nullptr);
  BOOST_CHECK(now().causes(r2).kept == nullptr);
  BOOST_CHECK(before().effects(a).kept == nullptr);
}

BOOST_AUTO_TEST_CASE(is_seen_by_pending_before_it_is_published) {
  begin();
  graph.hide(b);
  BOOST_TEST(graph.pending().is_deleted(b));
  BOOST_TEST(graph.pending().edge_count(EdgeType::used_in) == 1U);
  BOOST_TEST(to_vector(graph.pending().causes(r2).vertices) == Vertices{a});
  BOOST_TEST(!now().is_deleted(b));
  BOOST_TEST(to_vector(now().causes(r2).vertices) == (Vertices{b, a}));
  end();
  BOOST_TEST(now().is_deleted(b));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
