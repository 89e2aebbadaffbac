// A large message is read item by item and a small one as a tree: both are answered alike.
#include "tests/net/session/session_fixture.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// White space before a message that makes it a large one.
std::string const padding(std::size_t{66} << 10, ' ');

/// What was logged, without how long it took.
struct KeptLog {
  std::mutex mutex;
  std::vector<std::string> lines;

  net::LogSink sink() {
    return [this](net::LogEvent const& line) {
      auto data = json::parse(line.data.empty() ? "null" : line.data);
      if (auto* members = data.if_object()) members->erase("processing_time_ms");
      std::lock_guard const lock(mutex);
      lines.push_back(std::string(line.component) + " " + std::string(line.event) + " " + line.request_id + " " +
                      json::serialize(data) + " " + line.error);
    };
  }
};

/// A world of its own for one way of reading.
struct Reader {
  explicit Reader(bool reads_large) : padding_(reads_large ? padding : std::string{}) { world.put_units(3); }

  /// The answers to `text`, in the order of their texts.
  std::vector<std::string> ask(std::string const& text) {
    connection.host.sent.clear();
    connection.say(padding_ + text);
    connection.host.run_until([&] { return !connection.session->is_behind() && connection.session->is_idle(); });
    std::vector<std::string> answers;
    // A large text has its faults at other bytes.
    static std::regex const place(R"( at (line \d+, )?byte \d+)");
    for (auto const& each : connection.host.sent)
      answers.push_back(std::regex_replace(json::serialize(each), place, ""));
    std::ranges::sort(answers);
    return answers;
  }

  KeptLog log;
  ServiceWorld world{{.log = log.sink()}};
  Connection connection{world};
  std::string padding_;
};

struct BothWays {
  Reader tree{false};
  Reader text{true};
  int seconds = 0;  // the ids of requests tell them, and what else is in them repeats itself in a test

  void check(std::string const& message) {
    ++seconds;
    for (Reader* const each : {&tree, &text}) each->world.clock.set(at_second(3600 + seconds));
    auto const expected = tree.ask(message);
    BOOST_TEST_CONTEXT(message) {
      BOOST_TEST(text.ask(message) == expected, boost::test_tools::per_element());
      BOOST_TEST(text.log.lines == tree.log.lines, boost::test_tools::per_element());
    }
    tree.log.lines.clear();
    text.log.lines.clear();
  }
};

std::string write_of(std::string const& records, std::string const& more = "") {
  return R"({"jsonrpc":"2.0","id":7,"method":"records.write","params":{"records":[)" + records + "]" + more + "}}";
}

std::string const one_topic = R"({"$type$":"Topic","id":"t","name":"n"})";
std::string const one_query =
    R"({"$type$":"Query","question":"What is it?","request_id":"q1","timestamp":"2025-10-09T16:15:00Z"})";

std::vector<std::string> const whole_messages = {
    write_of(one_topic),
    write_of(one_topic + "," + one_query),
    write_of(""),
    write_of("7"),
    write_of("null"),
    write_of(one_topic + ",null"),
    write_of(one_topic + ",[" + one_topic + "]"),
    write_of(one_query + R"(,{"$type$":"Query","question":7})"),
    write_of(one_topic + R"(,{"$type$":"Topic","id":"u","name":"n","more":[1,{"a":2}]})", R"(,"mode":"capture")"),
    write_of(one_topic + R"(,{"$type$":"Topic","id":"u","name":"n","more":[1,{"a":2}]})", R"(,"mode":"strict")"),
    write_of(R"({"$type$":"Topic","id":"t","id":"u","name":"n"})"),
    write_of(R"({"$type$":"Topic","\u0069d":"t","id":"u","name":"n"})"),
    write_of(one_topic, R"(,"records":[7])"),
    write_of(one_topic, R"(,"records":[null])"),
    write_of(one_topic, R"(,"records":7)"),
    write_of(one_topic, R"(,"rec\u006frds":[null])"),
    write_of(one_topic, R"(,"rec\u006frds":[{"$type$":"Topic","id":"v"}])"),
    write_of(one_topic, R"(,"refs":[1,2],"events":[3])"),
    write_of(one_topic, R"(,"dry_run":true,"dry_run":false)"),
    write_of(one_topic, R"(,"idempotency_key":"k")"),
    write_of(one_topic, R"(,"expect_tx":77)"),
    write_of(R"({"$type$":"Topic","id":"t","name":"n","attributes":{"n":18446744073709551617}})"),
    write_of(R"({"$type$":"Topic","id":"t","name":"n","attributes":{"n":1e400}})"),
    write_of(R"({"$type$":"Topic","id":"t","name":"\ud800"})"),
    write_of("{\"$type$\":\"Topic\",\"id\":\"t\",\"name\":\"\xff\"}"),
    write_of(std::string(70, '[') + std::string(70, ']')),
    write_of(std::string(20, '[') + std::string(20, ']')),
    write_of(one_topic) + "x",
    write_of(one_topic + ","),
    R"({"params":{"records":[)" + one_topic + R"(]},"method":"records.write","id":1,"jsonrpc":"2.0"})",
    R"({"params":{"records":[{"a":1,"a":2},7]},"params":{"records":[)" + one_topic +
        R"(]},"method":"records.write","id":1,"jsonrpc":"2.0"})",
    R"({"params":{"records":[7]},"params":{"records":[)" + one_topic +
        R"(]},"method":"records.write","id":1,"jsonrpc":"2.0"})",
    R"({"params":{"records":[)" + one_topic +
        R"(]},"params":[{"records":[7]}],"method":"records.write","id":1,"jsonrpc":"2.0"})",
    R"({"par\u0061ms":{"records":[)" + one_topic +
        R"(]},"params":{"records":[7]},"method":"records.write","id":1,"jsonrpc":"2.0"})",
    R"({"params":{"records":[)" + one_topic + R"(]},"par\u0061ms":{},"method":"records.write","id":1,"jsonrpc":"2.0"})",
    R"({"jsonrpc":"2.0","id":1,"method":"records.write","params":[{"records":[7]}]})",
    R"({"jsonrpc":"2.0","id":1,"method":"records.write","params":{"records":{"records":[7]}}})",
    R"({"jsonrpc":"2.0","method":"records.write","params":{"records":[)" + one_topic + R"(]}})",
    R"({"jsonrpc":"2.0","id":1,"method":"no.such","params":{"records":[7,{"a":1,"a":2}]}})",
    R"({"jsonrpc":"2.0","id":1,"method":"node.get","params":{"refs":["cu_0"],"records":[7,{"a":1,"a":2}]}})",
    R"({"jsonrpc":"2.0","id":1,"method":"records.delete","params":{"refs":["cu_2"],"events":[7,{"a":1,"a":2}],"x":[{}]}})",
    R"({"jsonrpc":"2.0","id":1,"method":"admin.restore","params":{"events":[{"tx":1},{"tx":1,"tx":2}]}})",
    R"({"jsonrpc":"2.0","id":1,"method":"admin.restore","params":{"events":["{\"tx\":2,\"at\":\"x\"}"],"first_line":9}})",
    R"([)" + write_of(one_topic) + "," + write_of("7") + R"(,7,{"result":1},)" + write_of(one_query) +
        R"(,{"id":1,"jsonrpc":"2.0","method":"records.write"}])",
    R"([)" + write_of(R"({"$type$":"Topic","id":"t","id":"u"})") + "," + write_of(R"({"n":18446744073709551617})") +
        "," + write_of(one_topic) + "]",
    "[[" + write_of(one_topic) + "]]",
    R"({"records":[7]})",
    "[]",
    "7",
    "",
};

BOOST_AUTO_TEST_CASE(a_large_message_is_answered_as_a_small_one) {
  BothWays both;
  for (auto const& message : whole_messages) both.check(message);
}

std::string changed(std::string text, std::mt19937_64& random) {
  static constexpr std::array<std::string_view, 28> pieces = {"[",
                                                              "]",
                                                              "{",
                                                              "}",
                                                              ",",
                                                              ":",
                                                              "\"",
                                                              "null,",
                                                              "7,",
                                                              "[null],",
                                                              R"("records":[7],)",
                                                              R"("params":{},)",
                                                              R"("id":"x",)",
                                                              R"("$type$":"Topic",)",
                                                              R"("\u0069d":1,)",
                                                              "18446744073709551617",
                                                              "1e999",
                                                              "-0.0",
                                                              "\\",
                                                              R"(\ud800)",
                                                              "\xff",
                                                              " \n",
                                                              R"({"a":1,"a":2},)",
                                                              R"("records":)",
                                                              R"("events":[{}],)",
                                                              R"("mode":"capture",)",
                                                              R"("dry_run":true,)",
                                                              R"({"$type$":"Topic","id":"w","name":"n"},)"};
  for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
    std::size_t place = random() % text.size();
    // Often where a value or a member begins, so that the text stays JSON.
    if (random() % 4 != 0) place = std::min(text.find_first_of("[{,", place), text.size() - 1) + 1;
    switch (random() % 6) {
      case 0:
        if (place < text.size()) text[place] = static_cast<char>(random());
        break;
      case 1:
        text.erase(std::min(place, text.size()), 1 + random() % 12);
        break;
      default:
        text.insert(std::min(place, text.size()), pieces[random() % pieces.size()]);
    }
  }
  return text;
}

/// Claim: however a message is broken, it is answered the same, and the store is the same afterwards. Method: mutated
/// messages from a printed seed, sent as they are and with white space before them.
BOOST_AUTO_TEST_CASE(any_large_message_is_answered_as_a_small_one) {
  std::uint64_t const start = seed_from_environment();
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << start) {
    std::mt19937_64 random(start);
    BothWays both;
    for (int i = 0; i < 1500; ++i) {
      auto const& message = whole_messages[random() % whole_messages.size()];
      bool const has_queries = message.find("Query") != message.rfind("Query");  // which might lose their ids
      if (!has_queries) both.check(changed(message, random));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_large_batch_with_one_bad_record_at_its_end_writes_nothing, SessionFixture) {
  std::string records;
  for (int i = 0; i < 3000; ++i) records += R"({"$type$":"Topic","id":"t)" + std::to_string(i) + R"(","name":"n"},)";
  auto const before = result("node.count", R"({"type":"Topic"})");
  json::value const answer = call("records.write", R"({"records":[)" + records + "7]}");
  BOOST_TEST(answer.at("error").at("data").at("index").as_int64() == 3000);
  BOOST_TEST(result("node.count", R"({"type":"Topic"})") == before);
  BOOST_TEST(result("records.write", R"({"records":[)" + records.substr(0, records.size() - 1) + "]}")
                 .at("refs")
                 .as_array()
                 .size() == 3000U);
}

BOOST_AUTO_TEST_CASE(records_that_take_more_than_a_connection_may_hold_are_refused) {
  SessionFixture f({.request_memory_bytes = std::size_t{8} << 20});
  std::string records;
  for (int i = 0; i < 4000; ++i) records += R"({"$type$":"Topic","id":"t)" + std::to_string(i) + R"(","name":"n"},)";
  records.pop_back();
  BOOST_TEST(f.call("records.write", R"({"records":[)" + records + "]}").at("error").at("data").at("name") == "busy");
  BOOST_TEST(f.result("node.count", R"({"type":"Topic"})").at("count").as_int64() == 0);
  f.result("records.write", R"({"records":[)" + records.substr(0, records.find("},{", records.size() / 3)) + "}]}");
}

BOOST_FIXTURE_TEST_CASE(large_answers_of_a_batch_come_together_in_their_order, SessionFixture) {
  put_units(1000);
  std::string const find = R"("method":"node.find","params":{"type":"ContextUnit","limit":500,"include":["record"]}})";
  say(R"([{"jsonrpc":"2.0","id":1,)" + find + R"(,{"jsonrpc":"2.0","id":2,"method":"server.info"},)" +
      R"({"jsonrpc":"2.0","id":3,)" + find + "]");
  host.run_until([&] { return !host.sent.empty() && session->is_idle(); });
  BOOST_REQUIRE(host.sent.size() == 1U);
  auto const& answers = host.sent.front().as_array();
  BOOST_REQUIRE(answers.size() == 3U);
  for (std::size_t i = 0; i < answers.size(); ++i)
    BOOST_TEST(answers[i].at("id").as_int64() == static_cast<std::int64_t>(i + 1));
  BOOST_TEST(boost::json::serialize(answers[2]).size() > std::size_t{64} << 10);
  BOOST_TEST(boost::json::serialize(answers[0].at("result")) == boost::json::serialize(answers[2].at("result")));
  BOOST_TEST(answers[1].at("result").at("tx").as_int64() == 1);
}

BOOST_FIXTURE_TEST_CASE(a_message_of_too_many_values_is_refused_at_its_place, SessionFixture) {
  std::string zeros = "0";
  for (int i = 0; i < 700'000; ++i) zeros += ",0";
  json::value const beside = call("records.delete", R"({"refs":[)" + zeros + "]}").at("error");
  BOOST_TEST(beside.at("data").at("name").as_string() == "limit_exceeded");
  BOOST_TEST(beside.at("data").at("path").as_string().starts_with("/refs/"));
  json::value const named = call("records.delete", R"({"re\u0066s":[)" + zeros + "]}").at("error");
  BOOST_TEST(named.at("data").at("path").as_string().starts_with("/refs/"));
  json::value const inside =
      call("records.write",
           R"({"records":[{"$type$":"Topic","id":"t","name":"n","attributes":{"a":[)" + zeros + "]}}]}")
          .at("error");
  BOOST_TEST(inside.at("data").at("rule").as_string() == "size");
  BOOST_TEST(inside.at("data").at("path").as_string().starts_with("/attributes/a/"));
  result("server.info");
}

}  // namespace
}  // namespace whence::test
