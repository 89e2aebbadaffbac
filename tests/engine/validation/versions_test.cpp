// Versions form a line: each the successor of one, none with two.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"

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
