#include "tests/net/session/session_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct CancelFixture : SessionFixture {
  void cancel(int id) { notify("$/cancel", R"({"id":)" + std::to_string(id) + "}"); }
  std::int64_t code_of(int id) { return answer(id).at("error").at("code").as_int64(); }
};

/// Until the tree over events has reached what was written: before that a bundle is `busy`.
void wait_for_tree(Connection& connection) {
  for (;;) {
    auto const asked = connection.call("log.checkpoint");
    auto const* const error = asked.as_object().if_contains("error");
    if (error == nullptr) return;
    BOOST_REQUIRE(error->at("code").as_int64() == -32051);
  }
}

BOOST_FIXTURE_TEST_CASE(a_request_that_waits_for_a_transaction_is_cancelled_at_once, CancelFixture) {
  int const id = ask("node.get", R"({"ref":"cu_a","min_tx":1})");
  cancel(id);
  BOOST_TEST(code_of(id) == -32800);
  BOOST_TEST(session->is_idle());
  put({unit("cu_a")});
  host.run_posted();
  BOOST_TEST(host.sent.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_request_on_a_worker_is_cancelled_and_answers_once, CancelFixture) {
  put_fan(20'000);
  int const id = ask("lineage.descendants", R"({"ref":"cu_root","limit":10000})");
  cancel(id);
  BOOST_TEST(code_of(id) == -32800);
  result("lineage.descendants", R"({"ref":"cu_root","limit":10000})");
  host.run_posted();
  BOOST_TEST(host.sent.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_stream_that_waits_for_credit_is_cancelled, CancelFixture) {
  put_units(1200);  // more than one piece
  int const id = ask("node.find", R"({"type":"ContextUnit","limit":1200,"stream":{"credit":1}})");
  host.run_until([&] { return !notifications("$/partial").empty(); });
  BOOST_REQUIRE(find_answer(id) == nullptr);
  cancel(id);
  BOOST_TEST(code_of(id) == -32800);
  BOOST_TEST(session->is_idle());
}

BOOST_FIXTURE_TEST_CASE(a_stream_held_up_by_congestion_is_cancelled, CancelFixture) {
  put_units(10);
  host.congested = true;
  int const id = ask("node.find", R"({"type":"ContextUnit","stream":{"credit":1}})");
  cancel(id);
  BOOST_TEST(code_of(id) == -32800);
  host.congested = false;
  session->on_drained();
  BOOST_TEST(notifications("$/partial").empty());
}

BOOST_FIXTURE_TEST_CASE(a_bundle_is_cancelled, CancelFixture) {
  put_units(2000);
  wait_for_tree(*this);
  int const id = ask("log.bundle", R"({"first_tx":1,"last_tx":1})");
  cancel(id);
  BOOST_TEST(code_of(id) == -32800);
  BOOST_TEST(session->is_idle());
}

BOOST_AUTO_TEST_CASE(a_bundle_of_a_peer_that_is_gone_ends) {
  ServiceWorld world;
  world.put_units(2000);
  Connection connection(world, {.is_cancelled = std::make_shared<std::atomic<bool> const>(true)});
  wait_for_tree(connection);
  BOOST_TEST(connection.error_code("log.bundle", R"({"first_tx":1,"last_tx":1})") == -32800);
  connection.result("log.bundle", R"({"ref":"cu_1"})");
}

BOOST_AUTO_TEST_CASE(a_bundle_is_counted_while_it_is_made) {
  ServiceWorld world;
  world.put_units(2000);
  auto const budget = std::make_shared<net::MemoryBudget>(std::size_t{1} << 20);
  auto const memory = std::make_shared<net::PeerMemory>(budget);
  Connection connection(world, {.memory = memory});
  wait_for_tree(connection);
  BOOST_TEST(connection.error_code("log.bundle", R"({"first_tx":1,"last_tx":1})") ==
             -32050);  // it can never hold so much
  connection.result("log.bundle", R"({"ref":"cu_1"})");
  BOOST_TEST(budget->used() == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_write_in_the_writers_hands_answers_as_usual, CancelFixture) {
  int const id = ask("records.write", R"({"records":[{"$type$":"Topic","id":"t"}]})");
  cancel(id);
  BOOST_TEST(answer(id).at("result").at("tx").as_int64() == 1);
}

BOOST_FIXTURE_TEST_CASE(one_request_of_a_batch_is_cancelled_and_the_array_still_comes, CancelFixture) {
  say(R"([{"jsonrpc":"2.0","id":"a","method":"node.get","params":{"ref":"cu_a","min_tx":1}},
          {"jsonrpc":"2.0","id":"b","method":"server.info"}])");
  BOOST_TEST(host.sent.empty());
  notify("$/cancel", R"({"id":"a"})");
  host.run_until([&] { return !host.sent.empty(); });
  BOOST_TEST(host.sent[0].at(0).at("error").at("code").as_int64() == -32800);
  BOOST_TEST(host.sent[0].at(1).as_object().contains("result"));
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_finished_or_unknown_request_does_nothing, CancelFixture) {
  int const id = ask("server.info");
  cancel(id);
  cancel(77);
  notify("$/cancel", "{}");
  notify("$/cancel", R"({"id":{"a":[]}})");
  BOOST_TEST(host.sent.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(closing_cancels_everything_and_leaves_the_host_alone, ServiceWorld) {
  put_fan(20'000);
  FakeHost host;
  auto session = net::Session::make(*service, {}, host);
  session->on_text(
      R"({"jsonrpc":"2.0","id":1,"method":"lineage.descendants","params":{"ref":"cu_root","limit":10000}})");
  session->on_text(R"({"jsonrpc":"2.0","id":2,"method":"node.get","params":{"ref":"cu_root","min_tx":9}})");
  session->on_text(
      R"({"jsonrpc":"2.0","id":3,"method":"records.write","params":{"records":[{"$type$":"Topic","id":"t"}]}})");
  session->on_closed();
  BOOST_TEST(engine->write(batch({topic("u")})).value().tx == schema::TxId{3});
  host.run_posted();
  session->on_text("{}");
  BOOST_TEST(host.sent.empty());
}

}  // namespace
}  // namespace whence::test
