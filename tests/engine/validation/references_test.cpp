// References resolve, in the graph or anywhere in the batch, and never into a cycle of influence.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

BOOST_FIXTURE_TEST_SUITE(references, EngineFixture)

BOOST_AUTO_TEST_CASE(unknown_references_are_reported_at_their_paths) {
  auto revised = next_version("cu_v2", "cu_v1", 2);
  revised.updated_by_response_id = "resp_no";
  revised.derived_from = {"cu_no", "cu_known"};
  BOOST_TEST(outcome(write({revised, response("resp_a", {"cu_known", "cu_no"}), feedback("fb_a", "resp_no", 0),
                            message("m", "no"), unit("cu_known")})) ==
             "0 /derived_from/0 invalid_record unknown_reference\n"
             "0 /previous_version_id invalid_record unknown_reference\n"
             "0 /updated_by_response_id invalid_record unknown_reference\n"
             "1 /context_units/1/context_unit_id invalid_record unknown_reference\n"
             "2 /response_id invalid_record unknown_reference\n"
             "3 /topicId invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(may_lead_to_later_records_of_the_batch) {
  BOOST_TEST(outcome(write({feedback("fb_a", "resp_a", 0.5), message("m", "t"), response("resp_a", {"cu_b"}),
                            next_version("cu_b", "cu_a", 2), unit("cu_a"), topic("t")})) == "ok 1");
  // The feedback reached the unit although the use comes after it.
  BOOST_TEST(state_of(engine->snapshot(), "cu_b").count == 1);
  BOOST_CHECK(state_of(engine->snapshot(), "cu_a").status == graph::UnitStatus::updated);
}

BOOST_AUTO_TEST_CASE(an_id_of_another_type_does_not_resolve) {
  write({topic("cu_a")}).value();
  BOOST_TEST(outcome(write({derived("cu_b", {"cu_a"})})) == "0 /derived_from/0 invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(an_invalid_record_still_counts_as_known) {
  BOOST_TEST(outcome(write({unit("cu_a", ""), response("resp_a", {"cu_a"})})) == "0 /source invalid_record length");
}

BOOST_AUTO_TEST_CASE(field_errors_and_errors_of_state_are_reported_together) {
  write({unit("cu_a"), response("resp_a", {"cu_a"})}).value();
  auto late = next_version("cu_c", "cu_a", 3);
  late.source = "";
  BOOST_TEST(outcome(write({feedback("fb_a", "resp_no", 2), unit("cu_a", "web"), late})) ==
             "0 /response_id invalid_record unknown_reference\n"
             "0 /score invalid_record range\n"
             "1 /id conflict conflict\n"
             "2 /source invalid_record length\n"
             "2 /version precondition version");
}

BOOST_AUTO_TEST_CASE(derived_from_itself_is_a_cycle) {
  BOOST_TEST(outcome(write({derived("cu_a", {"cu_a"})})) == "0 /derived_from/0 cycle cycle");
}

BOOST_AUTO_TEST_CASE(previous_version_itself_is_a_cycle) {
  BOOST_TEST(outcome(write({next_version("cu_a", "cu_a", 2)})) == "0 /previous_version_id cycle cycle");
}

schema::ContextReference use(std::string ref, double weight) {
  return {.weight = weight, .ref = std::move(ref)};
}

BOOST_AUTO_TEST_CASE(a_response_uses_chunks_documents_responses_messages_and_answers) {
  write({topic("t"), message("m", "t"), unit("cu_a"), response("resp_a", {"cu_a"}), query("r"),
         retrieved("r", chunk("c", "d"), 0.75), answer("r", "Gloves [d].")})
      .value();
  auto const used =
      response("resp_b", Uses{use("RetrievedChunk:c", 0.25), use("Document:d", 0.25), use("Response:resp_a", 0.25),
                              use("Message:m", 0.125), use("Answer:r", 0.125)});
  BOOST_TEST(outcome(write({used})) == "ok 2");
  BOOST_TEST(outcome(write({used})) == "unchanged 2");
  auto const now = engine->snapshot();
  auto const uses = graph::uses_of(now, now.find(schema::RecordType::response, "resp_b").value());
  BOOST_CHECK(uses == used.context_units);
}

BOOST_AUTO_TEST_CASE(an_unknown_source_is_reported_at_its_ref) {
  BOOST_TEST(outcome(write({response("resp_a", Uses{use("RetrievedChunk:c", 1)})})) ==
             "0 /context_units/0/ref invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(responses_that_use_each_other_are_a_cycle) {
  BOOST_TEST(outcome(write(
                 {response("resp_a", Uses{use("Response:resp_b", 1)}), response("resp_b", Uses{use("resp_a", 1)})})) ==
             "0 /context_units/0/ref cycle cycle\n"
             "1 /context_units/0/ref cycle cycle");
  BOOST_TEST(outcome(write({response("resp_a", Uses{use("resp_a", 1)})})) == "0 /context_units/0/ref cycle cycle");
}

BOOST_AUTO_TEST_CASE(a_manifest_names_other_sources_by_ref) {
  write({chunk("c", "d")}).value();
  auto const given = manifest("resp_a", {manifest_node("cu_a", 0.75), manifest_node("RetrievedChunk:c", 0.25)});
  BOOST_TEST(outcome(write({given})) == "ok 2");
  auto const same = response("resp_a", Uses{{"cu_a", 0.75}, use("RetrievedChunk:c", 0.25)});
  BOOST_TEST(outcome(write({same})) == "unchanged 2");
}

BOOST_AUTO_TEST_CASE(a_cycle_through_the_batch_is_reported_on_each_of_its_records) {
  BOOST_TEST(outcome(write({unit("cu_0"), derived("cu_a", {"cu_0", "cu_c"}), derived("cu_b", {"cu_a"}),
                            derived("cu_c", {"cu_0", "cu_b"}), derived("cu_after", {"cu_c"})})) ==
             "1 /derived_from/1 cycle cycle\n"
             "2 /derived_from/0 cycle cycle\n"
             "3 /derived_from/1 cycle cycle");
}

BOOST_AUTO_TEST_CASE(a_cycle_through_a_response_is_found) {
  auto updated = unit("cu_a");
  updated.updated_by_response_id = "resp_a";
  BOOST_TEST(outcome(write({response("resp_a", {"cu_a"}), updated})) ==
             "0 /context_units/0/context_unit_id cycle cycle\n"
             "1 /updated_by_response_id cycle cycle");
  BOOST_TEST(outcome(write({manifest("resp_a", {manifest_node("cu_a", 1)}), updated})) ==
             "0 /context_tree/0/id cycle cycle\n"
             "1 /updated_by_response_id cycle cycle");
}

BOOST_AUTO_TEST_CASE(feedback_and_its_response_are_no_cycle) {
  BOOST_TEST(outcome(write({feedback("fb_a", "resp_a", 0.5), unit("cu_a"), response("resp_a", {"cu_a"})})) == "ok 1");
}

BOOST_AUTO_TEST_CASE(the_previous_version_named_as_source_too_is_one_edge) {
  auto revised = next_version("cu_b", "cu_a", 2);
  revised.derived_from = {"cu_a", "cu_c"};
  BOOST_TEST(outcome(write({unit("cu_a"), unit("cu_c"), revised})) == "ok 1");
  std::vector<std::string> const edges = {"cu_b DERIVED_FROM cu_a", "cu_b DERIVED_FROM cu_c"};
  BOOST_TEST(edges_of(engine->snapshot()) == edges, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_source_named_twice_is_refused) {
  write({unit("cu_a")}).value();
  BOOST_TEST(outcome(write({derived("cu_b", {"cu_a", "cu_a"})})) ==
             "0 /derived_from/1 invalid_record duplicate_source");
}

BOOST_AUTO_TEST_CASE(a_declared_source_does_not_become_updated) {
  write({unit("cu_a"), derived("cu_b", {"cu_a"})}).value();
  BOOST_CHECK(state_of(engine->snapshot(), "cu_a") == graph::UnitState{});
}

BOOST_AUTO_TEST_CASE(ensure_makes_the_topic_right_before_its_message) {
  auto const answer =
      write_batch(ensured({message("m1", "new"), message("m2", "new"), message("m3", "later"), topic("later")}));
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(answer->refs.size() == 4);
  auto const snapshot = engine->snapshot();
  BOOST_TEST(snapshot.vertex_count() == 5);
  BOOST_TEST(snapshot.id(graph::VertexId{0}) == "new");
  BOOST_TEST(outcome(write({topic("new")})) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(a_use_of_a_unit_deprecated_before_is_taken_with_a_warning) {
  write({unit("cu_a"), unit("cu_b"), response("resp_a", {"cu_a"}), feedback("fb_a", "resp_a", -1)}).value();
  auto const answer = write({unit("cu_c"), response("resp_b", {"cu_b", "cu_a"})});
  BOOST_TEST(outcome(answer) == "ok 2");
  BOOST_TEST(warnings(answer) == "1 /context_units/1 deprecated_context");
  BOOST_TEST(warnings(write({manifest("resp_m", {manifest_node("cu_a", 1)})})) ==
             "0 /context_tree/0 deprecated_context");
}

BOOST_AUTO_TEST_CASE(a_superseded_unit_is_used_without_a_warning_and_no_order_of_times_is_asked) {
  auto old_response = response("resp_a", {"cu_a"});
  old_response.timestamp = at_second(-1000);
  auto const answer = write({unit("cu_a"), next_version("cu_b", "cu_a", 2), old_response});
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(warnings(answer) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
