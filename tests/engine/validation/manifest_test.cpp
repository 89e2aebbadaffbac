// A manifest as input: it becomes its response, and its units where they are not known.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

BOOST_FIXTURE_TEST_SUITE(manifest_input, EngineFixture)

BOOST_AUTO_TEST_CASE(makes_its_response_and_its_unknown_units) {
  auto const answer = write({manifest("resp_m", {manifest_node("cu_a", 0.75), manifest_node("cu_b", 0.25)})});
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(answer->refs == std::vector<std::string>{"Response:resp_m"}, boost::test_tools::per_element());
  std::vector<std::string> const edges = {"cu_a USED_IN resp_m", "cu_b USED_IN resp_m"};
  BOOST_TEST(edges_of(engine->snapshot()) == edges, boost::test_tools::per_element());
  // What the manifest implies is the same as recording it outright.
  BOOST_TEST(outcome(write({unit("cu_a"), unit("cu_b"), response("resp_m", Uses{{"cu_a", 0.75}, {"cu_b", 0.25}})})) ==
             "unchanged 1");
}

BOOST_AUTO_TEST_CASE(again_is_unchanged) {
  auto const given = manifest("resp_m", {manifest_node("cu_a", 1)});
  write({given}).value();
  BOOST_TEST(outcome(write({given})) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(may_give_fewer_members_of_a_known_unit) {
  auto known = unit("cu_a");
  known.summary = "a summary";
  write({known}).value();
  BOOST_TEST(outcome(write({manifest("resp_m", {manifest_node("cu_a", 1)})})) == "ok 2");
}

BOOST_AUTO_TEST_CASE(says_nothing_of_the_other_members_of_a_known_response) {
  auto made = response("resp_m", Uses{{"cu_a", 0.25}, {"cu_b", 0.75}});
  made.content = "It is so.";
  made.latency_ms = 12;
  write({unit("cu_a"), unit("cu_b"), made}).value();
  auto given = manifest("resp_m", {manifest_node("cu_b", 0.75), manifest_node("cu_a", 0.25)});
  BOOST_TEST(outcome(write({given})) == "unchanged 1");
  given.agent = "another";
  BOOST_TEST(outcome(write({given})) == "0 /response_id conflict conflict");
}

BOOST_AUTO_TEST_CASE(marks_units_that_are_deleted_where_the_response_is_known) {
  write({unit("cu_a"), unit("cu_b"), response("resp_m", Uses{{"cu_a", 0.25}, {"cu_b", 0.75}})}).value();
  auto forced = removing({"cu_a"});
  forced.force = true;
  engine->write(forced).value();
  schema::ManifestNode const gone{.id = "cu_a", .weight = 0.25, .deleted = true};
  BOOST_TEST(outcome(write({manifest("resp_m", {manifest_node("cu_b", 0.75), gone})})) == "unchanged 2");
  BOOST_TEST(outcome(write({manifest("resp_x", {manifest_node("cu_b", 0.75), gone})})) ==
             "0 /context_tree/1/id invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(contradicting_a_known_unit_is_a_conflict_at_each_member) {
  write({unit("cu_a")}).value();
  auto node = manifest_node("cu_a", 1, "web");
  node.type = schema::ContextType::system;
  node.summary = "more than is known";
  BOOST_TEST(outcome(write({manifest("resp_m", {node})})) ==
             "0 /context_tree/0/source conflict conflict\n"
             "0 /context_tree/0/summary conflict conflict\n"
             "0 /context_tree/0/type conflict conflict");
}

BOOST_AUTO_TEST_CASE(takes_a_unit_of_its_batch_for_known_whether_earlier_or_later) {
  auto const given = manifest("resp_m", {manifest_node("cu_a", 0.5), manifest_node("cu_b", 0.5, "web")});
  BOOST_TEST(outcome(write({unit("cu_a"), given, unit("cu_b")})) == "1 /context_tree/1/source conflict conflict");
  BOOST_TEST(outcome(write({unit("cu_a"), given, unit("cu_b", "web")})) == "ok 1");
  BOOST_TEST(engine->snapshot().vertex_count() == 3);
}

BOOST_AUTO_TEST_CASE(a_second_manifest_finds_the_units_of_the_first) {
  BOOST_TEST(outcome(write({manifest("resp_1", {manifest_node("cu_a", 1)}),
                            manifest("resp_2", {manifest_node("cu_a", 1, "web")})})) ==
             "1 /context_tree/0/source conflict conflict");
}

BOOST_AUTO_TEST_CASE(of_another_content_conflicts_with_its_response) {
  write({unit("cu_a"), response("resp_m", {"cu_a"})}).value();
  auto given = manifest("resp_m", {manifest_node("cu_a", 1)});
  given.model = "other";
  BOOST_TEST(outcome(write({given})) == "0 /response_id conflict conflict");
}

BOOST_AUTO_TEST_CASE(a_refused_manifest_leaves_no_units) {
  auto given = manifest("resp_m", {manifest_node("cu_a", 1)});
  given.agent = "";
  BOOST_TEST(outcome(write({given, response("resp_x", {"cu_a"})})) == "0 /agent invalid_record required");
  BOOST_TEST(engine->snapshot().vertex_count() == 0);
}

BOOST_AUTO_TEST_CASE(unknown_units_get_the_manifests_time_and_version_1) {
  auto given = manifest("resp_m", {manifest_node("cu_a", 1)});
  given.timestamp = at_second(7);
  write({given}).value();
  auto expected = unit("cu_a");
  expected.timestamp = at_second(7);
  BOOST_TEST(outcome(write({expected})) == "unchanged 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
