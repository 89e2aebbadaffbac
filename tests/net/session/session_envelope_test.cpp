#include "tests/net/session/session_fixture.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;

struct BadMessage {
  char const* name;
  char const* text;
  int code;
  char const* id;  ///< as JSON
};
std::ostream& operator<<(std::ostream& out, BadMessage const& message) {
  return out << message.name;
}

BadMessage const bad_messages[] = {
    {"no json", "{", -32700, "null"},
    {"empty", "", -32700, "null"},
    {"lone surrogate", R"({"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":"\ud800"}})", -32700, "null"},
    {"number beyond binary64", R"({"jsonrpc":"2.0","id":1e999,"method":"server.info"})", -32700, "null"},
    {"scalar", "1", -32600, "null"},
    {"empty batch", "[]", -32600, "null"},
    {"null id", R"({"jsonrpc":"2.0","id":null,"method":"server.info"})", -32600, "null"},
    {"fractional id", R"({"jsonrpc":"2.0","id":1.5,"method":"server.info"})", -32600, "null"},
    {"object id", R"({"jsonrpc":"2.0","id":{},"method":"server.info"})", -32600, "null"},
    {"no version", R"({"id":1,"method":"server.info"})", -32600, "1"},
    {"other version", R"({"jsonrpc":"1.0","id":1,"method":"server.info"})", -32600, "1"},
    {"no method", R"({"jsonrpc":"2.0","id":1})", -32600, "1"},
    {"method no text", R"({"jsonrpc":"2.0","id":1,"method":3})", -32600, "1"},
    {"positional params", R"({"jsonrpc":"2.0","id":1,"method":"node.get","params":["cu_a"]})", -32602, "1"},
    {"scalar params", R"({"jsonrpc":"2.0","id":1,"method":"node.get","params":3})", -32602, "1"},
    {"unknown method", R"({"jsonrpc":"2.0","id":"x","method":"node.got"})", -32601, "\"x\""},
    {"method of a later version", R"({"jsonrpc":"2.0","id":1,"method":"admin.later","params":{}})", -32601, "1"},
    {"notification as request", R"({"jsonrpc":"2.0","id":1,"method":"$/cancel","params":{"id":1}})", -32601, "1"},
};

BOOST_DATA_TEST_CASE(answers_a_message_that_is_no_request_with_its_error, data::make(bad_messages), bad) {
  SessionFixture f;
  f.say(bad.text);
  BOOST_REQUIRE(f.host.sent.size() == 1U);
  json::value const& answer = f.host.sent.front();
  BOOST_TEST(answer.at("jsonrpc").as_string() == "2.0");
  BOOST_TEST(answer.at("error").at("code").as_int64() == bad.code);
  BOOST_TEST(answer.at("id") == json::parse(bad.id));
  BOOST_TEST(!answer.at("error").at("message").as_string().empty());
}

BOOST_FIXTURE_TEST_CASE(refuses_integers_that_no_number_holds_at_their_place, SessionFixture) {
  int topics = 0;
  auto const record = [&topics](std::string const& number) {
    return R"({"records":[{"$type$":"Topic","id":"t)" + std::to_string(++topics) +
           R"(","name":"n","attributes":{"n":[1,)" + number + "]}}]}";
  };
  json::value const refused = call("records.write", record("18446744073709551617")).at("error");
  BOOST_TEST(refused.at("code").as_int64() == -32602);
  BOOST_TEST(refused.at("data").at("path").as_string() == "/records/0/attributes/n/1");
  BOOST_TEST(refused.at("data").at("rule").as_string() == "integer");
  BOOST_TEST(call("records.write", record("18446744073709552000")).as_object().contains("error"));  // a double's digits
  for (char const* const number : {"18446744073709551615", "-9223372036854775808", "18446744073709552e3", "1e300"}) {
    BOOST_TEST(call("records.write", record(number)).as_object().contains("result"), number);
  }
  host.sent.clear();
  say(R"([{"jsonrpc":"2.0","id":1,"method":"server.info"},)"
      R"({"jsonrpc":"2.0","id":2,"method":"server.info","params":{"x":-99999999999999999999}}])");
  host.run_until([&] { return !host.sent.empty(); });
  auto const& answers = host.sent.at(0).as_array();
  BOOST_TEST(answers.at(0).as_object().contains("result"));
  BOOST_TEST(answers.at(1).at("error").at("data").at("path").as_string() == "/x");
  say(R"({"jsonrpc":"2.0","id":18446744073709551617,"method":"server.info"})");
  BOOST_TEST(host.sent.back().at("error").at("code").as_int64() == -32600);
}

struct NamedTwice {
  char const* text;
  char const* path;
  char const* id;  ///< as JSON
};
std::ostream& operator<<(std::ostream& out, NamedTwice const& named) {
  return out << named.text;
}

NamedTwice const named_twice[] = {
    {R"({"jsonrpc":"2.0","id":1,"method":"node.count","method":"server.info"})", "/method", "1"},
    {R"({"jsonrpc":"2.0","method":"node.count","method":"server.info"})", "/method", "null"},
    {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"server.info"})", "/id", "null"},
    {R"({"jsonrpc":"2.0","id":1,"method":"node.count","params":{"type":"Topic"},"params":{"type":"Response"}})",
     "/params", "1"},
    {R"({"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"server.info"})", "/jsonrpc", "1"},
    {R"({"jsonrpc":"2.0","id":1,"method":"server.info","x":{"a":1,"a":2}})", "/x/a", "1"},
};

void check_named_twice(json::value const& answer, NamedTwice const& named) {
  json::value const& error = answer.at("error");
  BOOST_TEST(error.at("code").as_int64() == -32600);
  BOOST_TEST(error.at("data").at("rule").as_string() == "duplicate_member");
  BOOST_TEST(error.at("data").at("path").as_string() == named.path);
  BOOST_TEST(answer.at("id") == json::parse(named.id));
}

BOOST_DATA_TEST_CASE(refuses_a_request_whose_own_member_is_named_twice, data::make(named_twice), named) {
  SessionFixture f;
  f.say(named.text);
  BOOST_REQUIRE(f.host.sent.size() == 1U);
  check_named_twice(f.host.sent[0], named);
  f.say("[" + std::string(named.text) + R"(,{"jsonrpc":"2.0","id":7,"method":"server.info"}])");
  f.host.run_until([&] { return f.host.sent.size() == 2; });
  json::array const& answers = f.host.sent[1].as_array();
  BOOST_REQUIRE(answers.size() == 2U);
  check_named_twice(answers[0], named);
  BOOST_TEST(answers[1].as_object().contains("result"));
}

BOOST_FIXTURE_TEST_CASE(gives_ids_back_as_they_came, SessionFixture) {
  for (char const* const id : {"0", "-7", "\"\"", R"("a\"b")", "9007199254740993", "18446744073709551615"}) {
    host.sent.clear();
    say(std::string(R"({"jsonrpc":"2.0","method":"server.info","id":)") + id + "}");
    BOOST_TEST(host.sent.at(0).at("id") == json::parse(id));
  }
}

BOOST_FIXTURE_TEST_CASE(takes_missing_and_null_params_as_empty, SessionFixture) {
  say(R"({"jsonrpc":"2.0","id":1,"method":"server.info"})");
  say(R"({"jsonrpc":"2.0","id":2,"method":"server.info","params":null})");
  BOOST_REQUIRE(host.sent.size() == 2U);
  for (json::value const& answer : host.sent) BOOST_TEST(answer.as_object().contains("result"));
}

BOOST_FIXTURE_TEST_CASE(refuses_json_deeper_than_64, SessionFixture) {
  say(std::string(65, '[') + std::string(65, ']'));
  BOOST_TEST(host.sent.at(0).at("error").at("code").as_int64() == -32700);
}

BOOST_FIXTURE_TEST_CASE(does_not_answer_notifications_and_responses, SessionFixture) {
  say(R"({"jsonrpc":"2.0","method":"server.info"})");
  say(R"({"jsonrpc":"2.0","method":"no.such"})");
  say(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  say(R"([{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}])");
  BOOST_TEST(host.sent.empty());
  BOOST_TEST(session->is_idle());
}

BOOST_FIXTURE_TEST_CASE(answers_a_batch_in_one_array_in_order, SessionFixture) {
  put({unit("cu_a")});
  say(R"([{"jsonrpc":"2.0","id":1,"method":"node.get","params":{"ref":"cu_a"}},
          {"jsonrpc":"2.0","method":"server.info"}, 7,
          {"jsonrpc":"2.0","id":2,"method":"node.get","params":{"ref":"cu_b"}}])");
  host.run_until([&] { return !host.sent.empty(); });
  json::array const& answers = host.sent.at(0).as_array();
  BOOST_REQUIRE(answers.size() == 3U);
  BOOST_TEST(answers[0].at("result").at("nodes").as_array().size() == 1U);
  BOOST_TEST(answers[1].at("error").at("code").as_int64() == -32600);
  BOOST_TEST(answers[2].at("error").at("code").as_int64() == -32020);
}

std::string batch_of(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"jsonrpc":"2.0","id":)") + std::to_string(i) +
            R"(,"method":"server.info"})";
  }
  return text + "]";
}

BOOST_FIXTURE_TEST_CASE(takes_batches_up_to_their_limit, SessionFixture) {
  say(batch_of(1000));
  host.run_until([&] { return host.sent.size() == 1; });
  BOOST_TEST(host.sent[0].as_array().size() == 1000U);
  say(batch_of(1001));
  host.run_until([&] { return host.sent.size() == 2; });
  BOOST_TEST(host.sent[1].at("error").at("code").as_int64() == -32600);
}

BOOST_FIXTURE_TEST_CASE(says_busy_beyond_the_requests_in_flight, ServiceWorld) {
  Connection c(*this, {.inflight_max = 2});
  std::string const waits = R"({"ref":"cu_a","min_tx":1})";
  int const first = c.ask("node.get", waits);
  int const second = c.ask("node.get", waits);
  json::value const refused = c.call("node.get", waits);
  BOOST_TEST(refused.at("error").at("code").as_int64() == -32051);
  BOOST_TEST(refused.at("error").at("data").at("retry_after_ms").as_int64() > 0);
  put({unit("cu_a")});
  BOOST_TEST(c.answer(first).as_object().contains("result"));
  BOOST_TEST(c.answer(second).as_object().contains("result"));
  BOOST_TEST(c.call("server.info").as_object().contains("result"));
}

BOOST_FIXTURE_TEST_CASE(call_answers_one_message_and_knows_no_session, ServiceWorld) {
  auto const answer = [&](char const* text) { return json::parse(service->call(text, net::Role::read)); };
  BOOST_TEST(answer(R"({"jsonrpc":"2.0","id":1,"method":"server.info"})").as_object().contains("result"));
  BOOST_TEST(answer(R"({"jsonrpc":"2.0","id":1,"method":"session.hello"})").at("error").at("code").as_int64() ==
             -32601);
  BOOST_TEST(answer(R"({"jsonrpc":"2.0","id":1,"method":"node.find","params":{"type":"Topic","stream":{"credit":1}}})")
                 .at("error")
                 .at("code")
                 .as_int64() == -32602);
  BOOST_TEST(service->call(R"({"jsonrpc":"2.0","method":"server.info"})", net::Role::read).empty());
}

}  // namespace
}  // namespace whence::test
