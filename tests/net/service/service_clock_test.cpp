// Clocks that are set while the service runs. Claim: a clock that is far ahead costs no content, the log says so once,
// and whoever asks for a run gets it. Method: a settable clock, runs a few milliseconds apart.

#include "net/retention/retention.hpp"
#include "net/work/clock_watch.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/wait_until.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

using namespace std::chrono_literals;
using test::at_second;

constexpr std::int64_t hour = 3'600;
constexpr std::int64_t day = 24 * hour;

/// Begins where the records' time is, an hour later; contents are kept for 12 hours.
struct ClockCase : test::EngineFixture {
  std::mutex mutex;
  std::vector<LogEvent> events;
  LogSink const log = [this](LogEvent const& event) {
    std::scoped_lock const lock{mutex};
    events.push_back(event);
  };
  queries::RetentionRules rules;
  RetentionTimes times{.between_runs = 2ms};

  ClockCase() {
    queries::RetentionParser parser;
    BOOST_REQUIRE(parser.take("12h").has_value());
    rules = parser.finish();
    BOOST_REQUIRE(write({test::unit("cu_a")}).has_value());
  }

  [[nodiscard]] bool is_gone() const {
    auto const snapshot = engine->snapshot();
    return snapshot.gone(snapshot.find(schema::RecordType::context_unit, "cu_a").value()).has_value();
  }
  [[nodiscard]] std::size_t count(std::string_view name) {
    std::scoped_lock const lock{mutex};
    return static_cast<std::size_t>(std::ranges::count(events, name, &LogEvent::event));
  }
};

BOOST_FIXTURE_TEST_SUITE(clocks, ClockCase)

BOOST_AUTO_TEST_CASE(what_is_old_expires_by_a_clock_that_goes_on) {
  Retention const retention{*engine, clock, rules, log, times};
  clock.set(at_second(3600 + day - 60));
  BOOST_TEST(test::wait_until([&] { return is_gone(); }));
  BOOST_TEST(count("held") == 0U);
}

BOOST_AUTO_TEST_CASE(a_clock_that_jumps_far_ahead_expires_nothing_until_asked) {
  Retention retention{*engine, clock, rules, log, times};
  clock.set(at_second(3650 * day));
  BOOST_TEST(test::wait_until([&] { return retention.is_held(); }));
  BOOST_TEST(retention.run(true).value().found.old.size() == 1U);
  BOOST_TEST(retention.is_held());
  BOOST_TEST(!is_gone());
  BOOST_TEST(count("held") == 1U);
  BOOST_TEST(retention.run(false).value().found.old.size() == 1U);
  BOOST_TEST(is_gone());
  BOOST_TEST(!retention.is_held());
}

BOOST_AUTO_TEST_CASE(a_clock_that_comes_back_ends_the_doubt) {
  Retention const retention{*engine, clock, rules, log, times};
  clock.set(at_second(3650 * day));
  BOOST_TEST(test::wait_until([&] { return retention.is_held(); }));
  clock.set(at_second(7200));
  BOOST_TEST(test::wait_until([&] { return !retention.is_held(); }));
  BOOST_TEST(!is_gone());
}

BOOST_AUTO_TEST_CASE(a_start_long_after_the_last_commit_waits_too) {
  clock.set(at_second(400 * day));
  reopen();
  Retention const retention{*engine, clock, rules, log, times};
  BOOST_TEST(test::wait_until([&] { return retention.is_held(); }));
  BOOST_TEST(!is_gone());
}

BOOST_AUTO_TEST_CASE(a_long_rule_bears_a_longer_pause) {
  queries::RetentionParser parser;
  BOOST_REQUIRE(parser.take("8d").has_value());
  BOOST_REQUIRE(write({test::topic("t")}).has_value());
  clock.set(at_second(3600 + 7 * day));
  BOOST_REQUIRE(write({test::topic("later")}).has_value());
  clock.set(at_second(3600 + 7 * day + 47 * hour));
  Retention const retention{*engine, clock, parser.finish(), log, times};
  BOOST_TEST(test::wait_until([&] { return is_gone(); }));
}

BOOST_AUTO_TEST_CASE(commit_times_stand_still_behind_a_clock_that_was_ahead) {
  clock.set(at_second(10 * day));
  BOOST_REQUIRE(write({test::topic("ahead")}).has_value());
  auto const ahead = engine->snapshot().at();
  clock.set(at_second(2 * day));
  BOOST_REQUIRE(write({test::topic("back")}).has_value());
  BOOST_CHECK(engine->snapshot().at() == ahead);
  ClockWatch const watch{*engine, clock, log};
  BOOST_TEST(watch.behind_s() == static_cast<std::uint64_t>(8 * day));
  clock.set(at_second(11 * day));
  BOOST_REQUIRE(write({test::topic("on")}).has_value());
  BOOST_CHECK(engine->snapshot().at() == at_second(11 * day));
  BOOST_TEST(watch.behind_s() == 0U);
}

BOOST_AUTO_TEST_CASE(the_log_says_where_the_clock_was_set) {
  ClockWatch watch{*engine, clock, log};
  auto const begin = ClockWatch::Steady::now();
  watch.look(begin);
  clock.set(at_second(3600 + 30));
  watch.look(begin + 30s);  // as time goes
  BOOST_TEST(events.empty());
  clock.set(at_second(3600 + 31 + day));
  watch.look(begin + 30s + 10ms);  // too soon
  BOOST_TEST(events.empty());
  watch.look(begin + 31s);
  BOOST_REQUIRE(events.size() == 1U);
  BOOST_TEST(events[0].event == "clock_jumped");
  BOOST_TEST(events[0].data.find(R"("by_s":86400)") != std::string::npos);
  BOOST_TEST(events[0].error.empty());
  clock.set(at_second(0));
  watch.look(begin + 33s);
  BOOST_REQUIRE(events.size() == 2U);
  BOOST_TEST(!events[1].error.empty());  // behind the last commit
}

BOOST_AUTO_TEST_CASE(a_start_with_a_clock_behind_the_store_is_told) {
  clock.set(at_second(0));
  ClockWatch watch{*engine, clock, log};
  watch.look();
  BOOST_REQUIRE(events.size() == 1U);
  BOOST_TEST(events[0].event == "clock_behind");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::net
