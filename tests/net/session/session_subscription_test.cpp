// Subscriptions over a scripted connection: what is sent when, and what a reader that does not read costs.

#include "tests/net/session/session_fixture.hpp"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct SubscriptionFixture : SessionFixture {
  std::string subscribe(std::string const& params) {
    return std::string(result("subscribe", params).at("sub").as_string());
  }

  /// Every event sent so far.
  std::vector<json::value> events() const {
    std::vector<json::value> all;
    for (json::value const& message : notifications("event")) {
      for (json::value const& event : message.at("events").as_array()) all.push_back(event);
    }
    return all;
  }

  /// "TX<PREV OP REF", one after the other.
  std::string received() const {
    std::string text;
    for (json::value const& event : events()) {
      if (!text.empty()) text += ", ";
      text += json::serialize(event.at("tx")) + '<' + json::serialize(event.at("prev")) + ' ' +
              std::string(event.at("op").as_string()) + ' ' + std::string(event.at("ref").as_string());
    }
    return text;
  }

  void wait_for_events(std::size_t count) {
    host.run_until([&] { return events().size() >= count; });
  }
  void wait_for(std::string_view method, std::size_t count = 1) {
    host.run_until([&] { return notifications(method).size() >= count; });
  }
};

BOOST_FIXTURE_TEST_SUITE(session_subscription, SubscriptionFixture)

BOOST_AUTO_TEST_CASE(later_writes_come_after_the_answer_and_caught_up) {
  put({unit("cu_0")});
  subscribe("{}");
  wait_for("$/caught_up");
  put({unit("cu_1")});
  put({unit("cu_2"), unit("cu_3")});
  wait_for_events(3);
  BOOST_TEST(received() == "2<0 put ContextUnit:cu_1, 3<2 put ContextUnit:cu_2, 3<2 put ContextUnit:cu_3");
  BOOST_TEST(notifications("$/caught_up").at(0).at("tx").as_int64() == 1);
  BOOST_TEST(notifications("$/caught_up").size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_replay_equals_the_live_events) {
  subscribe(R"({"include":["record","edges"]})");
  wait_for("$/caught_up");
  put({unit("cu_1"), response("resp_1", {"cu_1"})});
  put({next_version("cu_2", "cu_1", 2), feedback("fb_1", "resp_1", -1.0)});
  wait_for_events(5);
  auto const live = events();
  host.sent.clear();
  subscribe(R"({"include":["record","edges"],"since":0})");
  wait_for("$/caught_up");
  auto const replayed = events();
  BOOST_TEST(json::serialize(json::array(live.begin(), live.end())) ==
             json::serialize(json::array(replayed.begin(), replayed.end())));
}

BOOST_AUTO_TEST_CASE(a_snapshot_comes_before_later_events) {
  put({unit("cu_1"), response("resp_1", {"cu_1"})});
  put({next_version("cu_2", "cu_1", 2)});
  subscribe(R"({"snapshot":true})");
  wait_for("$/caught_up");
  BOOST_TEST(received() == "2<0 put ContextUnit:cu_1, 2<0 put Response:resp_1, 2<0 put ContextUnit:cu_2");
  BOOST_TEST(events().at(0).at("status").as_string() == "updated");
  BOOST_TEST(!events().at(2).as_object().contains("status"));
  for (json::value const& event : events()) BOOST_TEST(event.at("snapshot").as_bool());
  put({unit("cu_3")});
  wait_for_events(4);
  BOOST_TEST(received().ends_with(", 3<2 put ContextUnit:cu_3"));
}

BOOST_AUTO_TEST_CASE(a_walk_follows_the_graph) {
  put({unit("cu_1"), unit("cu_x")});
  subscribe(R"({"match":{"downstream_of":"ContextUnit:cu_1"}})");
  wait_for("$/caught_up");
  put({derived("cu_y", {"cu_x"})});
  put({derived("cu_2", {"cu_1"})});
  put({response("resp_1", {"cu_2"}), response("resp_2", {"cu_y"})});
  wait_for_events(2);
  BOOST_TEST(received() == "3<0 put ContextUnit:cu_2, 4<3 put Response:resp_1");
}

BOOST_AUTO_TEST_CASE(a_member_added_by_the_last_replayed_transaction_is_not_sent_again) {
  put({unit("cu_1")});
  put({derived("cu_2", {"cu_1"})});
  subscribe(R"({"match":{"downstream_of":"ContextUnit:cu_1"},"since":0})");
  wait_for("$/caught_up");
  put({unit("cu_x")});
  put({derived("cu_3", {"cu_1"})});
  wait_for_events(2);
  BOOST_TEST(received() == "2<0 put ContextUnit:cu_2, 4<2 put ContextUnit:cu_3");
}

BOOST_AUTO_TEST_CASE(credit_bounds_events_and_may_be_overdrawn_by_a_transaction) {
  subscribe(R"({"credit":1,"since":0})");
  wait_for("$/caught_up");
  put({unit("cu_1"), unit("cu_2")});
  put({unit("cu_3")});
  wait_for_events(2);
  host.run_posted();
  BOOST_TEST(events().size() == 2U);
  notify("$/credit", R"({"sub":"s1","n":1})");  // pays for what was sent beyond the credit
  host.run_posted();
  BOOST_TEST(events().size() == 2U);
  notify("$/credit", R"({"sub":"s1","n":1})");
  wait_for_events(3);
}

BOOST_AUTO_TEST_CASE(without_credit_nothing_but_caught_up_comes) {
  put({unit("cu_1")});
  subscribe(R"({"credit":0})");
  wait_for("$/caught_up");
  put({unit("cu_2")});
  host.run_posted();
  BOOST_TEST(events().empty());
  notify("$/credit", R"({"sub":"s1","n":5})");
  wait_for_events(1);
}

/// Claim: a reader that stops makes the queue overflow once; it gets `$/lagged`, and then everything there is, in
/// order.
BOOST_AUTO_TEST_CASE(a_reader_that_falls_behind_is_notified_and_misses_nothing) {
  subscribe(R"({"include":["record"]})");
  wait_for("$/caught_up");
  host.congested = true;
  for (int tx = 0; tx < 40; ++tx) put_units(1000, "cu_" + std::to_string(tx) + "_");
  wait_for("$/lagged");
  host.congested = false;
  session->on_drained();
  wait_for("$/caught_up", 2);
  host.run_until([&] { return events().size() >= 40'000; });
  std::int64_t tx = 0;
  std::int64_t prev = 0;
  std::size_t count = 0;
  for (json::value const& event : events()) {
    auto const at = event.at("tx").as_int64();
    if (at != tx) {
      BOOST_TEST(at == tx + 1);
      prev = std::exchange(tx, at);
    }
    BOOST_TEST(event.at("prev").as_int64() == prev);
    ++count;
  }
  BOOST_TEST(count == 40'000U);
  BOOST_TEST(notifications("$/lagged").size() == 1U);
}

/// Claim: what is read ahead of a reader that does not read is bounded over all subscriptions and counted, none of them
/// is kept back for ever by others that have no credit, and none misses anything.
BOOST_AUTO_TEST_CASE(what_is_read_ahead_is_bounded_over_all_subscriptions) {
  constexpr int count = 20;
  constexpr std::size_t bound =
      (std::size_t{1} << 20) + (std::size_t{200} << 10);  // four slices, each of a transaction more
  for (int tx = 0; tx < count; ++tx) {
    auto one = unit("cu_" + std::to_string(tx));
    one.content = std::string(20'000, 'x');
    put({std::move(one)});
  }
  std::size_t const before = service->memory()->used();
  for (int i = 0; i < count; ++i) subscribe(R"({"since":0,"include":["record"],"credit":0})");
  auto const used = [&] { return service->memory()->used() - before; };
  host.run_until([&] { return used() > 800'000; });
  host.run_posted();
  BOOST_TEST(used() <= bound);
  subscribe(R"({"since":0,"include":["record"]})");
  wait_for_events(count);
  BOOST_TEST(used() <= bound + (std::size_t{128} << 10));
  for (int i = 1; i <= count; ++i) notify("$/credit", R"({"sub":"s)" + std::to_string(i) + R"(","n":100})");
  wait_for_events(count * (count + 1));
  wait_for("$/caught_up", count + 1);
  BOOST_TEST(events().size() == static_cast<std::size_t>(count * (count + 1)));
  BOOST_TEST(used() == 0U);
}

/// Claim: where there is no memory to read ahead, events still come, a little at a time.
BOOST_AUTO_TEST_CASE(without_memory_to_read_ahead_events_come_all_the_same) {
  for (int tx = 0; tx < 40; ++tx) put_units(100, "cu_" + std::to_string(tx) + "_");
  net::MemoryClaim all(std::make_shared<net::PeerMemory>(service->memory()));
  all.set(service->memory()->bytes_max());
  for (int i = 0; i < 3; ++i) subscribe(R"({"since":0,"include":["record"]})");
  wait_for("$/caught_up", 3);
  BOOST_TEST(events().size() == 12'000U);
}

BOOST_AUTO_TEST_CASE(nothing_follows_the_answer_to_unsubscribe) {
  auto const sub = subscribe("{}");
  wait_for("$/caught_up");
  put({unit("cu_1")});
  wait_for_events(1);
  BOOST_TEST(result("unsubscribe", R"({"sub":")" + sub + R"("})").at("tx").as_int64() == 1);
  put({unit("cu_2")});
  host.run_posted();
  BOOST_TEST(events().size() == 1U);
  BOOST_TEST(notifications("$/ended").empty());
  BOOST_TEST(error_code("unsubscribe", R"({"sub":")" + sub + R"("})") == -32020);
}

BOOST_AUTO_TEST_CASE(an_answer_in_a_batch_precedes_the_events_too) {
  put_units(10);
  say(R"([{"jsonrpc":"2.0","id":7,"method":"subscribe","params":{"since":0}},)"
      R"({"jsonrpc":"2.0","id":8,"method":"records.write","params":{"records":[{"$type$":"Topic","id":"t"}]}}])");
  wait_for_events(11);
  BOOST_TEST(host.sent.front().is_array());
}

BOOST_AUTO_TEST_CASE(finishing_delivers_then_ends_then_closes) {
  subscribe("{}");
  subscribe(R"({"match":{"types":["Topic"]}})");
  wait_for("$/caught_up", 2);
  put({unit("cu_1")});
  session->drain();
  session->abort_running();
  session->finish(1001, "the end");
  host.run_until([&] { return host.closed_with != 0; });
  BOOST_TEST(host.closed_with == 1001);
  BOOST_TEST(events().size() == 1U);
  auto const ended = notifications("$/ended");
  BOOST_TEST(ended.size() == 2U);
  for (json::value const& each : ended) {
    BOOST_TEST(each.at("reason").as_string() == "shutdown");
    BOOST_TEST(each.at("tx").as_int64() == 1);
  }
}

BOOST_AUTO_TEST_CASE(subscribe_params_are_validated) {
  put({unit("cu_1")});
  struct {
    char const* params;
    int code;
  } const cases[] = {{R"({"match":{"types":[]}})", -32602},
                     {R"({"match":{"types":["Unit"]}})", -32602},
                     {R"({"match":{"ops":["remove"]}})", -32602},
                     {R"({"match":{"depth":1}})", -32602},
                     {R"({"match":{"depth":0,"downstream_of":"ContextUnit:cu_1"}})", -32602},
                     {R"({"match":{"colour":"red"}})", -32602},
                     {R"({"match":{"downstream_of":"ContextUnit:cu_2"},"since":0})", -32020},
                     {R"({"since":2})", -32061},
                     {R"({"since":-1})", -32602},
                     {R"({"since":0.5})", -32602},
                     {R"({"since":"then"})", -32602},
                     {R"({"include":["status"]})", -32602},
                     {R"({"credit":-1})", -32602},
                     {R"({"since":1,"epoch":"another"})", -32061}};
  for (auto const& each : cases) {
    BOOST_TEST_CONTEXT(each.params) BOOST_TEST(error_code("subscribe", each.params) == each.code);
  }
}

BOOST_AUTO_TEST_CASE(one_message_has_no_room_for_a_subscription) {
  auto const answer =
      json::parse(service->call(R"({"jsonrpc":"2.0","id":1,"method":"subscribe","params":{}})", net::Role::admin));
  BOOST_TEST(answer.at("error").at("code").as_int64() == -32600);
  BOOST_TEST(answer.at("error").at("data").at("rule").as_string() == "websocket_only");
}

BOOST_AUTO_TEST_SUITE_END()

struct ShortHeartbeat : ServiceWorld, Connection {
  ShortHeartbeat()
      : Connection(static_cast<ServiceWorld&>(*this),
                   {.subscriptions_max = 2, .heartbeat = std::chrono::milliseconds{20}}) {}
};

BOOST_FIXTURE_TEST_CASE(a_heartbeat_moves_past_transactions_that_did_not_match, ShortHeartbeat) {
  result("subscribe", R"({"match":{"types":["Topic"]}})");
  put({unit("cu_1")});
  host.run_until([&] {
    auto const beats = notifications("$/heartbeat");
    return !beats.empty() && beats.back().at("tx").as_int64() == 1;
  });
  BOOST_TEST(notifications("event").empty());
}

BOOST_FIXTURE_TEST_CASE(a_connection_has_so_many_subscriptions_and_no_more, ShortHeartbeat) {
  result("subscribe");
  result("subscribe");
  BOOST_TEST(error_code("subscribe") == -32050);
}

}  // namespace
}  // namespace whence::test
