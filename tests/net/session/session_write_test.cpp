#include "tests/net/session/session_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

std::string topic_json(std::string const& id) {
  return R"({"$type$":"Topic","id":")" + id + "\"}";
}

BOOST_FIXTURE_TEST_CASE(a_write_answers_its_transaction_and_refs_and_can_be_read, SessionFixture) {
  json::value const answer = result("records.write", R"({"records":[)" + topic_json("t") + "]}");
  BOOST_TEST(answer.at("tx").as_int64() == 1);
  BOOST_TEST(answer.at("refs").at(0).as_string() == "Topic:t");
  BOOST_TEST(answer.at("warnings").as_array().empty());
  BOOST_TEST(!answer.as_object().contains("unchanged"));
  BOOST_TEST(result("node.get", R"({"ref":"Topic:t"})").at("nodes").as_array().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_write_of_nothing_new_answers_unchanged, SessionFixture) {
  result("records.write", R"({"records":[)" + topic_json("t") + "]}");
  json::value const again = result("records.write", R"({"records":[)" + topic_json("t") + "]}");
  BOOST_TEST(again.at("unchanged").as_bool());
  BOOST_TEST(again.at("tx").as_int64() == 1);
}

BOOST_FIXTURE_TEST_CASE(a_dry_run_writes_nothing, SessionFixture) {
  BOOST_TEST(result("records.write", R"({"dry_run":true,"records":[)" + topic_json("t") + "]}").at("tx").as_int64() ==
             0);
  BOOST_TEST(error_code("node.get", R"({"ref":"Topic:t"})") == -32020);
}

BOOST_FIXTURE_TEST_CASE(a_refused_batch_names_index_and_path_of_every_violation, SessionFixture) {
  json::value const error =
      call("records.write",
           R"({"records":[{"$type$":"Topic","id":"t"},{"$type$":"Message","id":"m","tpoicId":"t"},7]})")
          .at("error");
  BOOST_TEST(error.at("code").as_int64() == -32030);
  json::array const& errors = error.at("data").at("errors").as_array();
  BOOST_TEST(errors.size() >= 3U);
  BOOST_TEST(errors.at(0).at("index").as_int64() == 1);
  BOOST_TEST(error.at("data").at("index").as_int64() == 1);
  BOOST_TEST(errors.at(errors.size() - 1).at("index").as_int64() == 2);
}

BOOST_FIXTURE_TEST_CASE(a_member_named_twice_in_a_record_is_that_records_error, SessionFixture) {
  json::value const error =
      call("records.write", R"({"records":[{"$type$":"Topic","id":"a"},{"$type$":"Topic","id":"b","id":"c"}]})")
          .at("error");
  BOOST_TEST(error.at("code").as_int64() == -32030);
  BOOST_TEST(error.at("data").at("index").as_int64() == 1);
  BOOST_TEST(error.at("data").at("path").as_string() == "/id");
  BOOST_TEST(error_code("records.write", R"({"dry_run":true,"dry_run":false,"records":[{}]})") == -32602);
}

BOOST_FIXTURE_TEST_CASE(an_unmet_expectation_names_the_head, SessionFixture) {
  put({topic("t")});
  json::value const error = call("records.write", R"({"expect_tx":0,"records":[)" + topic_json("u") + "]}").at("error");
  BOOST_TEST(error.at("code").as_int64() == -32042);
  BOOST_TEST(error.at("data").at("tx").as_int64() == 1);
}

BOOST_FIXTURE_TEST_CASE(an_idempotency_key_of_256_bytes_is_too_long, SessionFixture) {
  auto const params = [](std::size_t length) {
    return R"({"idempotency_key":")" + std::string(length, 'k') + R"(","records":[)" + topic_json("t") + "]}";
  };
  BOOST_TEST(error_code("records.write", params(256)) == -32602);
  result("records.write", params(255));
}

BOOST_FIXTURE_TEST_CASE(a_write_in_its_time_answers_once_and_a_time_of_nothing_is_refused, SessionFixture) {
  std::string const records = R"("records":[)" + topic_json("t") + "]}";
  BOOST_TEST(result("records.write", R"({"timeout_ms":60000,)" + records).at("tx").as_int64() == 1);
  BOOST_TEST(error_code("records.write", R"({"timeout_ms":0,)" + records) == -32602);
  host.run_posted();
  BOOST_TEST(host.sent.size() == 2U);
}

/// Claim: a caller that stops waiting gets one answer, and the write is done all the same. Method: batches that take
/// longer than a millisecond, until the deadline of one comes before its answer.
BOOST_FIXTURE_TEST_CASE(a_write_whose_caller_stopped_waiting_goes_on, SessionFixture) {
  bool is_late = false;
  for (int batch = 1; !is_late; ++batch) {
    BOOST_REQUIRE(batch <= 10);
    auto const name = "t" + std::to_string(batch);
    std::string records = topic_json(name);
    for (int i = 0; i < 20'000; ++i) records += "," + topic_json(name + "_" + std::to_string(i));
    host.sent.clear();
    json::value const answer = call("records.write", R"({"timeout_ms":1,"records":[)" + records + "]}");
    is_late = answer.as_object().contains("error");
    if (is_late) BOOST_TEST(answer.at("error").at("code").as_int64() == -32801);
    BOOST_TEST(session->is_idle());
    auto const read = R"({"ref":"Topic:)" + name + R"(","min_tx":)" + std::to_string(batch) + "}";
    BOOST_TEST(result("node.get", read).at("nodes").as_array().size() == 1U);
    host.run_posted();
    BOOST_TEST(host.sent.size() == 2U);
  }
}

BOOST_FIXTURE_TEST_CASE(a_notification_writes_too, SessionFixture) {
  notify("records.write", R"({"records":[)" + topic_json("t") + "]}");
  host.run_until([&] { return session->is_idle(); });
  BOOST_TEST(host.sent.empty());
  result("node.get", R"({"ref":"Topic:t"})");
}

/// Claim: writes of one connection are applied in the order sent, large messages (parsed on a worker) among small ones.
BOOST_FIXTURE_TEST_CASE(writes_keep_the_order_in_which_they_were_sent, SessionFixture) {
  std::vector<int> asked;
  for (int i = 0; i < 20; ++i) {
    std::string records = topic_json("t" + std::to_string(i));
    if (i % 5 == 0) {
      for (int k = 0; k < 3000; ++k) records += "," + topic_json("t" + std::to_string(i) + "_" + std::to_string(k));
    }
    asked.push_back(ask("records.write", R"({"records":[)" + records + "]}"));
  }
  std::int64_t tx = 0;
  for (int const id : asked) BOOST_TEST(answer(id).at("result").at("tx").as_int64() == ++tx);
}

}  // namespace
}  // namespace whence::test
