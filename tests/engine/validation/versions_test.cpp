// Versions form a line: each the successor of one, none with two.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

BOOST_FIXTURE_TEST_SUITE(versions, EngineFixture)

BOOST_AUTO_TEST_CASE(the_next_number_is_taken_and_marks_the_previous_updated) {
  write({unit("cu_1")}).value();
  BOOST_TEST(outcome(write({next_version("cu_2", "cu_1", 2)})) == "ok 2");
  BOOST_TEST(outcome(write({next_version("cu_3", "cu_2", 3)})) == "ok 3");
  auto const now = engine->snapshot();
  BOOST_CHECK(state_of(now, "cu_1").status == graph::UnitStatus::updated);
  BOOST_CHECK(state_of(now, "cu_3").status == graph::UnitStatus::active);
  BOOST_CHECK(state_of(now.as_of(schema::TxId{2}), "cu_2").status == graph::UnitStatus::active);
  BOOST_CHECK(state_of(now.as_of(schema::TxId{1}), "cu_1").status == graph::UnitStatus::active);
}

BOOST_AUTO_TEST_CASE(a_number_left_out_or_repeated_is_a_precondition) {
  write({unit("cu_1"), next_version("cu_2", "cu_1", 2)}).value();
  BOOST_TEST(outcome(write({next_version("cu_4", "cu_2", 4)})) == "0 /version precondition version");
  BOOST_TEST(outcome(write({next_version("cu_x", "cu_2", 2)})) == "0 /version precondition version");
}

BOOST_AUTO_TEST_CASE(numbers_are_checked_inside_a_batch_too) {
  BOOST_TEST(outcome(write({next_version("cu_3", "cu_2", 4), next_version("cu_2", "cu_1", 2), unit("cu_1")})) ==
             "0 /version precondition version");
}

BOOST_AUTO_TEST_CASE(version_1_with_and_version_2_without_a_predecessor_are_invalid) {
  write({unit("cu_1")}).value();
  auto orphan = unit("cu_o");
  orphan.version = 2;
  BOOST_TEST(outcome(write({next_version("cu_x", "cu_1", 1), orphan})) ==
             "0 /previous_version_id invalid_record version_link\n"
             "1 /previous_version_id invalid_record version_link");
}

BOOST_AUTO_TEST_CASE(a_second_successor_is_a_conflict) {
  write({unit("cu_1"), next_version("cu_2", "cu_1", 2)}).value();
  BOOST_TEST(outcome(write({next_version("cu_other", "cu_1", 2)})) == "0 /previous_version_id conflict successor");
}

BOOST_AUTO_TEST_CASE(a_second_successor_in_the_same_batch_is_a_conflict_of_the_later) {
  BOOST_TEST(outcome(write({unit("cu_1"), next_version("cu_2", "cu_1", 2), next_version("cu_other", "cu_1", 2)})) ==
             "2 /previous_version_id conflict successor");
}

BOOST_AUTO_TEST_CASE(a_deprecated_unit_may_have_one_successor_and_no_second) {
  write({unit("cu_1"), response("resp_a", {"cu_1"}), feedback("fb_a", "resp_a", -1)}).value();
  BOOST_TEST(outcome(write({next_version("cu_2", "cu_1", 2)})) == "ok 2");
  BOOST_CHECK(state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::deprecated);
  BOOST_TEST(outcome(write({next_version("cu_other", "cu_1", 2)})) == "0 /previous_version_id conflict successor");
}

BOOST_AUTO_TEST_CASE(the_same_successor_again_is_unchanged) {
  write({unit("cu_1"), next_version("cu_2", "cu_1", 2)}).value();
  BOOST_TEST(outcome(write({next_version("cu_2", "cu_1", 2)})) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(a_version_that_is_left_out_is_counted_whatever_the_order) {
  constexpr auto left_out = schema::version_left_out;
  write({unit("cu_1")}).value();
  BOOST_TEST(outcome(write({next_version("cu_4", "cu_3", left_out), next_version("cu_2", "cu_1", left_out),
                            next_version("cu_3", "cu_2", left_out)})) == "ok 2");
  BOOST_TEST(record_of<schema::ContextUnit>(*engine, "cu_4").version == 4);
  BOOST_TEST(record_of<schema::ContextUnit>(*engine, "cu_2").version == 2);
  BOOST_TEST(outcome(write({next_version("cu_4", "cu_3", left_out)})) == "unchanged 2");
  BOOST_TEST(outcome(write({next_version("cu_x", "cu_none", left_out)})) ==
             "0 /previous_version_id invalid_record unknown_reference");
  BOOST_TEST(outcome(write({next_version("cu_a", "cu_b", left_out), next_version("cu_b", "cu_a", left_out)})) ==
             "0 /previous_version_id cycle cycle\n1 /previous_version_id cycle cycle\n1 /version precondition version");
}

engine::WriteBatch updating(std::string const& id, schema::ContextUnit given, std::vector<std::string_view> members,
                            std::vector<std::string_view> cleared = {}) {
  engine::WriteBatch result;
  result.step = engine::UnitUpdate{.ref = {schema::RecordType::context_unit, id},
                                   .given = std::move(given),
                                   .members = std::move(members),
                                   .cleared = std::move(cleared)};
  return result;
}

BOOST_AUTO_TEST_CASE(an_update_keeps_what_is_left_out_and_clears_what_is_null) {
  auto first = unit("cu_1", "file:a");
  first.content = "old";
  first.summary = "about";
  first.embedding_id = "vec_1";
  first.attributes = schema::Attributes{R"({"k":1})"};
  write({first}).value();
  auto const answer = engine->write(updating("cu_1", {.id = "cu_2", .content = "new"}, {"id", "content"})).value();
  BOOST_TEST(answer.refs.front() == "ContextUnit:cu_2");
  auto const second = record_of<schema::ContextUnit>(*engine, "cu_2");
  BOOST_TEST(second.version == 2);
  BOOST_TEST(second.previous_version_id.value() == "cu_1");
  BOOST_TEST(second.content.value() == "new");
  BOOST_TEST(second.source == "file:a");
  BOOST_TEST(second.summary.value() == "about");
  BOOST_TEST(second.attributes.value().json == R"({"k":1})");
  BOOST_TEST(!second.embedding_id.has_value());  // that was of the other text
  engine->write(updating("cu_2", {.id = "cu_3"}, {"id"}, {"summary"})).value();
  auto const third = record_of<schema::ContextUnit>(*engine, "cu_3");
  BOOST_TEST(third.version == 3);
  BOOST_TEST(third.content.value() == "new");
  BOOST_TEST(!third.summary.has_value());
  BOOST_TEST(outcome(engine->write(updating("cu_1", {.summary = "s"}, {"summary"}))) == "- /ref conflict successor");
  BOOST_TEST(outcome(engine->write(updating("cu_none", {.summary = "s"}, {"summary"}))) ==
             "- /ref not_found unknown_reference");
  BOOST_TEST(outcome(engine->write(updating("cu_3", {.summary = std::string(501, 'x')}, {"summary"}))) ==
             "- /summary invalid_record length");
}

BOOST_AUTO_TEST_CASE(an_update_keeps_and_takes_long_texts) {
  auto first = unit("cu_1");
  first.content = std::string(200'000, 'a');
  write({first}).value();
  engine->write(updating("cu_1", {.id = "cu_2", .summary = "long"}, {"id", "summary"})).value();
  auto changed = std::string(200'000, 'b');
  engine->write(updating("cu_2", {.id = "cu_3", .content = changed}, {"id", "content"})).value();
  // Texts as long as these are kept apart.
  BOOST_TEST((record_of<schema::ContextUnit>(*engine, "cu_2").content_blob == schema::sha256(*first.content)));
  BOOST_TEST((record_of<schema::ContextUnit>(*engine, "cu_3").content_blob == schema::sha256(changed)));
}

BOOST_AUTO_TEST_CASE(the_version_before_a_deleted_newest_one_is_current_again) {
  write({unit("cu_1"), next_version("cu_2", "cu_1", 2)}).value();
  engine->write(removing({"cu_2"})).value();
  auto const is_current = [&] {
    return state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::active &&
           state_of(engine->snapshot().as_of(schema::TxId{1}), "cu_1").status == graph::UnitStatus::updated;
  };
  BOOST_TEST(is_current());
  reopen();
  BOOST_TEST(is_current());
  BOOST_TEST(outcome(write({next_version("cu_other", "cu_1", 2)})) == "ok 3");
  BOOST_CHECK(state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::updated);
  engine->write(removing({"cu_other"})).value();
  BOOST_TEST(outcome(write({next_version("cu_2", "cu_1", 2)})) == "ok 5");
}

BOOST_AUTO_TEST_CASE(a_version_that_a_later_one_names_is_in_use_and_force_leaves_the_line_whole) {
  write({unit("cu_1"), next_version("cu_2", "cu_1", 2), next_version("cu_3", "cu_2", 3)}).value();
  auto const refused = engine->write(removing({"cu_2"}));
  BOOST_TEST(outcome(refused) == "0 /refs/0 precondition in_use");
  BOOST_TEST(refused.error().violations[0].message ==
             "is replaced by ContextUnit:cu_3; `force` deletes it all the same");
  auto forced = removing({"cu_2"});
  forced.force = true;
  engine->write(forced).value();
  BOOST_CHECK(state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::updated);
  BOOST_TEST(outcome(write({next_version("cu_x", "cu_1", 2)})) == "0 /previous_version_id conflict successor");
  BOOST_TEST(outcome(engine->write(removing({"cu_3"}))) == "ok 3");
  BOOST_CHECK(state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::active);
  BOOST_TEST(outcome(write({next_version("cu_x", "cu_1", 2)})) == "ok 4");
}

BOOST_AUTO_TEST_CASE(versions_that_are_deleted_together_leave_the_nearest_one_current) {
  write({unit("cu_1"), next_version("cu_2", "cu_1", 2), next_version("cu_3", "cu_2", 3)}).value();
  BOOST_TEST(outcome(engine->write(removing({"cu_2", "cu_3"}))) == "ok 2");
  BOOST_CHECK(state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::active);
}

BOOST_AUTO_TEST_CASE(a_deprecated_unit_stays_so_when_its_successor_is_deleted) {
  write({unit("cu_1"), response("resp_a", {"cu_1"}), feedback("fb_a", "resp_a", -1)}).value();
  write({next_version("cu_2", "cu_1", 2)}).value();
  engine->write(removing({"cu_2"})).value();
  BOOST_CHECK(state_of(engine->snapshot(), "cu_1").status == graph::UnitStatus::deprecated);
  BOOST_TEST(outcome(write({next_version("cu_other", "cu_1", 2)})) == "ok 4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
