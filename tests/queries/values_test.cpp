// Results as values, without their JSON form: for callers in C++ and for exports.

#include "tests/queries/fixture.hpp"

#include <set>
#include <string>
#include <variant>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::VertexId;

// cu_a .25, cu_b .75 -> resp_1 -> cu_c (also made from cu_a); cu_c .5, cu_a .5 -> resp_2.
struct TwoHopsOfValues {
  TwoHopsOfValues() {
    world.commit({unit("cu_a"), unit("cu_b")});
    world.commit({response("resp_1", {{"cu_a", 0.25}, {"cu_b", 0.75}})});
    auto made = derived("cu_c", {"cu_a"});
    made.updated_by_response_id = "resp_1";
    world.commit({made, response("resp_2", {{"cu_c", 0.5}, {"cu_a", 0.5}})});
    world.commit({feedback("fb_1", "resp_2", 1)});
  }

  /// The distinct ids of `vertices`, sorted, separated by spaces.
  [[nodiscard]] std::string ids_of(std::vector<VertexId> const& vertices) const {
    auto const snapshot = world.view().snapshot;
    std::set<std::string> ids;
    for (auto const vertex : vertices) ids.emplace(snapshot.id(vertex));
    std::string all;
    for (auto const& id : ids) all.append(all.empty() ? "" : " ").append(id);
    return all;
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(values, TwoHopsOfValues)

BOOST_AUTO_TEST_CASE(a_lineage_has_vertices_with_depth_and_weight) {
  auto const found = queries::lineage_ancestors(world.view(), {.ref = ref("resp_2"), .depth = 1}, unlimited()).value();
  BOOST_REQUIRE(found.nodes.size() == 2U);
  BOOST_TEST(ids_of({found.nodes[0].vertex}) == "cu_a");
  BOOST_TEST(found.nodes[0].depth == 1U);
  BOOST_TEST(found.nodes[0].value == 0.5);
  BOOST_TEST(found.edges.empty());
  BOOST_CHECK(found.incomplete == queries::Incomplete::depth);
  BOOST_TEST(ids_of(shown_vertices(found)) == "cu_a cu_c resp_2");
}

BOOST_AUTO_TEST_CASE(an_edge_places_its_ends_among_the_nodes_and_the_start) {
  auto const found =
      queries::lineage_ancestors(world.view(), {.ref = ref("resp_2"), .form = queries::Form::graph}, unlimited())
          .value();
  std::vector<VertexId> members;
  for (auto const& node : found.nodes) members.push_back(node.vertex);
  members.push_back(found.start);
  BOOST_TEST(found.edges.size() == 6U);
  for (auto const& edge : found.edges) {
    BOOST_CHECK(members.at(edge.from_place) == edge.stored.from);
    BOOST_CHECK(members.at(edge.to_place) == edge.stored.to);
  }
}

BOOST_AUTO_TEST_CASE(all_paths_show_every_vertex_between_however_few_are_listed) {
  auto const view = world.view();
  auto const shown = [&](graph::PathKind kind) {
    auto const found = queries::lineage_path(view, {ref("cu_a"), ref("resp_2"), kind}, 1, unlimited()).value();
    BOOST_TEST(found.paths.size() == 1U);
    return ids_of(shown_vertices(found, view.snapshot, schema::NoInterrupt{}).value());
  };
  BOOST_TEST(shown(graph::PathKind::all) == "cu_a cu_c resp_1 resp_2");
  BOOST_TEST(shown(graph::PathKind::shortest) == "cu_a resp_2");
}

BOOST_AUTO_TEST_CASE(an_impact_shows_its_starts_too) {
  auto const found = queries::impact_analyze(world.view(), {.refs = refs({"resp_1", "resp_1"})}, unlimited()).value();
  BOOST_TEST(found.starts.size() == 1U);
  BOOST_TEST(found.counts.by_depth.at(2) == 1U);
  BOOST_TEST(ids_of(shown_vertices(found)) == "resp_1 resp_2");
}

BOOST_AUTO_TEST_CASE(a_manifest_is_a_record_with_its_size) {
  auto const whole = queries::lineage_manifest(world.view(), {"resp_2", {}}, unlimited()).value();
  BOOST_TEST(whole.manifest.context_tree.size() == 2U);
  BOOST_TEST(whole.bytes == schema::json::manifest_text(whole.manifest).size());
  BOOST_TEST(whole.omitted.empty());
  auto const short_form = queries::lineage_manifest(world.view(), {"resp_2", whole.bytes - 1}, unlimited()).value();
  BOOST_TEST(short_form.bytes < whole.bytes);  // without what is null
  auto fitted = short_form;
  while (fitted.omitted.empty()) {
    fitted = queries::lineage_manifest(world.view(), {"resp_2", fitted.bytes - 1}, unlimited()).value();
  }
  BOOST_TEST(fitted.bytes < short_form.bytes);
}

BOOST_AUTO_TEST_CASE(a_score_is_of_a_unit_or_of_a_response) {
  auto const of_response = queries::feedback_list(world.view(), {ref("resp_2")}, unlimited()).value();
  BOOST_TEST(std::get<queries::ScoreSum>(of_response.score).mean().value() == 1.0);
  auto const of_unit = queries::feedback_list(world.view(), {ref("cu_c")}, unlimited()).value();
  BOOST_TEST(std::get<graph::UnitState>(of_unit.score).score == 0.5);
  BOOST_TEST(ids_of(of_unit.records) == "fb_1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
