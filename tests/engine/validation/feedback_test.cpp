// Running scores and deprecation.

#include "tests/engine/answers.hpp"

#include <cmath>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::StateCause;
using graph::UnitStatus;
using schema::TxId;

struct RatedUnits : EngineFixture {
  RatedUnits() {
    write({unit("cu_a"), unit("cu_b"), response("resp_a", Uses{{"cu_a", 0.7}, {"cu_b", 0.3}}),
           response("resp_full", {"cu_a"})})
        .value();
  }
  graph::UnitState state(std::string_view id) const { return state_of(engine->snapshot(), id); }
  std::vector<graph::StateChange> changes(std::string_view id) const {
    auto const snapshot = engine->snapshot();
    return snapshot.state_changes(snapshot.find(schema::RecordType::context_unit, id).value());
  }
};

BOOST_FIXTURE_TEST_SUITE(feedback_rules, RatedUnits)

BOOST_AUTO_TEST_CASE(the_running_score_is_computed_exactly_as_written) {
  double const scores[] = {0.1, -0.3, 1, 0.7};
  double old = 0;
  for (int count = 0; count < 4; ++count) {
    write({feedback("", "resp_a", scores[count])}).value();
    old = (old * count + scores[count] * 0.7) / (count + 1);
    BOOST_TEST(state("cu_a").score == old);  // equal, not close
    BOOST_TEST(state("cu_a").count == static_cast<unsigned>(count + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_batch_of_feedback_counts_in_record_order) {
  write({feedback("fb_2", "resp_a", 0.1), feedback("fb_1", "resp_full", -0.2), feedback("fb_3", "resp_a", 0.3)})
      .value();
  double score = 0.1 * 0.7;
  score = (score * 1 + -0.2 * 1.0) / 2;
  score = (score * 2 + 0.3 * 0.7) / 3;
  BOOST_TEST(state("cu_a").score == score);
  BOOST_TEST(state("cu_b").count == 2);
}

BOOST_AUTO_TEST_CASE(only_the_units_used_directly_are_touched) {
  write({next_version("cu_a2", "cu_a", 2), derived("cu_d", {"cu_a"}), response("resp_new", {"cu_a2", "cu_d"})}).value();
  write({feedback("fb", "resp_new", -0.4)}).value();
  BOOST_TEST(state("cu_a2").count == 1);
  BOOST_TEST(state("cu_d").count == 1);
  BOOST_TEST(state("cu_a").count == 0);
}

BOOST_AUTO_TEST_CASE(the_feedbacks_own_time_does_not_order_it) {
  auto late = feedback("fb_late", "resp_full", 0.5);
  late.timestamp = at_second(100);
  write({late}).value();
  write({feedback("fb_early", "resp_full", -0.25)}).value();
  BOOST_TEST(state("cu_a").score == (0.5 * 1 + -0.25) / 2);
}

BOOST_AUTO_TEST_CASE(the_same_feedback_again_counts_once) {
  write({feedback("fb", "resp_full", 0.5)}).value();
  write({feedback("fb", "resp_full", 0.5)}).value();
  BOOST_TEST(state("cu_a").count == 1);
}

BOOST_AUTO_TEST_CASE(feedback_as_old_as_its_response_is_taken_and_an_older_one_is_not) {
  BOOST_TEST(outcome(write({feedback("fb_same", "resp_a", 0)})) == "ok 2");
  auto early = feedback("fb_early", "resp_a", 0);
  early.timestamp = {noon.seconds - 1, 999'999'999};
  BOOST_TEST(outcome(write({early})) == "0 /timestamp invalid_record before_response");
}

BOOST_AUTO_TEST_CASE(feedback_older_than_a_response_of_its_batch_is_refused) {
  auto newer = response("resp_new", {"cu_a"});
  newer.timestamp = at_second(1);
  BOOST_TEST(outcome(write({feedback("fb", "resp_new", 0), newer})) == "0 /timestamp invalid_record before_response");
}

struct Threshold {
  char const* name;
  double score;
  UnitStatus status;
};
std::ostream& operator<<(std::ostream& out, Threshold const& sample) {
  return out << sample.name;
}

std::vector<Threshold> const thresholds = {{"at_the_threshold", -0.5, UnitStatus::active},
                                           {"just_below", std::nextafter(-0.5, -1.0), UnitStatus::deprecated},
                                           {"just_above", std::nextafter(-0.5, 0.0), UnitStatus::active}};

BOOST_DATA_TEST_CASE_F(RatedUnits, a_score_below_the_threshold_deprecates, boost::unit_test::data::make(thresholds)) {
  write({feedback("fb", "resp_full", sample.score)}).value();
  BOOST_CHECK(state("cu_a").status == sample.status);
  BOOST_TEST(state("cu_a").score == sample.score);
}

BOOST_AUTO_TEST_CASE(deprecation_happens_in_the_feedbacks_transaction_and_is_an_event_of_its_own) {
  write({feedback("fb", "resp_full", -0.75)}).value();
  std::vector<graph::StateChange> const expected = {
      {TxId{2}, StateCause::feedback, {UnitStatus::active, -0.75, 1}},
      {TxId{2}, StateCause::deprecated, {UnitStatus::deprecated, -0.75, 1}}};
  BOOST_CHECK(changes("cu_a") == expected);
  BOOST_CHECK(state_of(engine->snapshot().as_of(TxId{1}), "cu_a").status == UnitStatus::active);
  reopen();
  BOOST_CHECK(changes("cu_a") == expected);
}

BOOST_AUTO_TEST_CASE(deprecated_is_final_while_score_and_count_go_on) {
  write({feedback("fb_1", "resp_full", -1)}).value();
  write({feedback("fb_2", "resp_full", 1), feedback("fb_3", "resp_full", 1)}).value();
  BOOST_TEST(state("cu_a").score > 0);
  BOOST_TEST(state("cu_a").count == 3);
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
}

BOOST_AUTO_TEST_CASE(deprecated_wins_over_updated_in_either_order) {
  write({next_version("cu_a2", "cu_a", 2), response("resp_b", {"cu_b"})}).value();
  write({feedback("fb_a", "resp_full", -1), feedback("fb_b", "resp_b", -1)}).value();
  write({next_version("cu_b2", "cu_b", 2)}).value();
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
  BOOST_CHECK(state("cu_b").status == UnitStatus::deprecated);
}

BOOST_AUTO_TEST_CASE(falling_and_rising_within_a_transaction_deprecates_live_and_after_a_restart) {
  write({feedback("fb_1", "resp_full", -1), feedback("fb_2", "resp_full", 1), next_version("cu_a2", "cu_a", 2)})
      .value();
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
  auto const live = changes("cu_a");
  reopen();
  BOOST_CHECK(changes("cu_a") == live);
}

BOOST_AUTO_TEST_CASE(a_changed_threshold_does_not_rewrite_history) {
  write({feedback("fb_1", "resp_full", -0.6)}).value();
  config.deprecate_below = -0.9;
  reopen();
  BOOST_CHECK(state("cu_a").status == UnitStatus::deprecated);
  config.deprecate_below = 1;
  reopen();
  BOOST_CHECK(state("cu_b").status == UnitStatus::active);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
