// Resuming a stream: the params after a lost connection, and which events are new.

#include "schema/json/json.hpp"
#include "tools/cli/watch/stream.hpp"

#include <string_view>

#include <boost/test/unit_test.hpp>

using namespace whence;
using tools::Fit;
using tools::WatchStream;

namespace {

tools::WatchEvent event(std::uint64_t tx, std::uint64_t prev) {
  return {.tx = tx, .prev = prev};
}

tools::WatchEvent snapshot(std::uint64_t tx, std::string_view ref) {
  return {.tx = tx, .is_snapshot = true, .value = {{"ref", ref}}};
}

void begin(WatchStream& stream, std::uint64_t from_tx) {
  stream.begin({{"sub", "s1"}, {"from_tx", from_tx}}, "e1");
}

/// The params of the next subscription, members by name.
std::string asked(WatchStream const& stream) {
  return schema::json::to_canonical_text(stream.params());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(watch_stream)

BOOST_AUTO_TEST_CASE(asks_first_as_it_was_told) {
  WatchStream const stream{{{"since", 3}, {"snapshot", true}}};
  BOOST_TEST(asked(stream) == R"({"since":3,"snapshot":true})");
  BOOST_TEST(!stream.has_begun());
}

BOOST_AUTO_TEST_CASE(resumes_at_the_last_transaction_on_the_same_log) {
  WatchStream stream{{}};
  begin(stream, 4);
  BOOST_TEST((stream.take(event(5, 0)) == Fit::news));
  BOOST_TEST((stream.take(event(5, 0)) == Fit::news));
  BOOST_TEST((stream.take(event(7, 5)) == Fit::news));
  BOOST_TEST(asked(stream) == R"({"epoch":"e1","since":7})");
}

BOOST_AUTO_TEST_CASE(resumes_past_what_did_not_match) {
  WatchStream stream{{}};
  begin(stream, 4);
  stream.pass(9);
  stream.pass(8);
  BOOST_TEST(stream.tx() == 9);
}

BOOST_AUTO_TEST_CASE(a_resumed_subscription_begins_with_no_transaction_before) {
  WatchStream stream{{}};
  begin(stream, 4);
  BOOST_TEST((stream.take(event(5, 0)) == Fit::news));
  begin(stream, 5);
  BOOST_TEST((stream.take(event(6, 0)) == Fit::news));
}

BOOST_AUTO_TEST_CASE(sees_a_gap_and_stays_before_it) {
  WatchStream stream{{}};
  begin(stream, 4);
  BOOST_TEST((stream.take(event(5, 0)) == Fit::news));
  BOOST_TEST((stream.take(event(9, 8)) == Fit::gap));
  BOOST_TEST(stream.tx() == 5);
}

BOOST_AUTO_TEST_CASE(asks_again_for_an_interrupted_snapshot_and_knows_what_it_brought) {
  WatchStream stream{{{"snapshot", true}}};
  begin(stream, 5);
  BOOST_TEST((stream.take(snapshot(5, "Topic:a")) == Fit::news));
  stream.pass(8);  // does not concern a snapshot under way
  BOOST_TEST(asked(stream) == R"({"epoch":"e1","since":5,"snapshot":true})");
  begin(stream, 5);
  BOOST_TEST((stream.take(snapshot(5, "Topic:a")) == Fit::known));
  BOOST_TEST((stream.take(snapshot(5, "Topic:b")) == Fit::news));
  BOOST_TEST((stream.take(event(6, 5)) == Fit::news));
  BOOST_TEST(asked(stream) == R"({"epoch":"e1","since":6})");
}

BOOST_AUTO_TEST_CASE(a_snapshot_is_over_when_caught_up) {
  WatchStream stream{{{"snapshot", true}}};
  begin(stream, 5);
  stream.catch_up(8);
  BOOST_TEST(asked(stream) == R"({"epoch":"e1","since":8})");
}

BOOST_AUTO_TEST_SUITE_END()
