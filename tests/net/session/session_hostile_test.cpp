#include "tests/net/session/session_fixture.hpp"
#include "tests/support/seed.hpp"

#include <random>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

// Once more the request with one byte changed, dropped, doubled or moved.
std::string mutated(std::string text, std::mt19937_64& random) {
  for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
    std::size_t const place = random() % text.size();
    switch (random() % 4) {
      case 0:
        text[place] = static_cast<char>(random());
        break;
      case 1:
        text.erase(place, 1 + random() % 4);
        break;
      case 2:
        text.insert(place, text.substr(place, 1 + random() % 8));
        break;
      default:
        std::swap(text[place], text[random() % text.size()]);
    }
  }
  return text;
}

char const* const messages[] = {
    R"({"jsonrpc":"2.0","id":1,"method":"node.find","params":{"type":"ContextUnit","limit":1,"where":{"id":{"in":["cu_1"]}}}})",
    R"({"jsonrpc":"2.0","id":"x","method":"lineage.ancestors","params":{"ref":"cu_1","depth":2,"form":"graph"}})",
    R"([{"jsonrpc":"2.0","id":2,"method":"server.info"},{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}])",
    R"({"jsonrpc":"2.0","id":3,"method":"records.write","params":{"records":[{"$type$":"Topic","id":"t"}]}})",
    R"({"jsonrpc":"2.0","id":4,"method":"node.find","params":{"type":"ContextUnit","stream":{"credit":2}}})",
    R"({"jsonrpc":"2.0","id":6,"method":"records.delete","params":{"refs":["Topic:t","ContextUnit:cu_1"]}})",
    R"({"jsonrpc":"2.0","id":7,"method":"attachment.list","params":{"topicId":"t","format":"llm-query","limit":1}})",
    R"({"jsonrpc":"2.0","id":8,"method":"trace","params":{"ref":"Subject:t/a","stream":{"credit":1}}})",
    R"({"jsonrpc":"2.0","id":9,"method":"xml.validate","params":{"xml":"<llmResponse><response>x</response></llmResponse>"}})",
    R"({"jsonrpc":"2.0","id":10,"method":"xml.build","params":{"format":"llm-response","response":"x","analysis":{"summaryUpdate":""}}})",
    R"({"jsonrpc":"2.0","id":5,"method":"session.hello","params":{"versions":[1],"token":"x"}})",
};

/// Claim: whatever bytes come, the session answers JSON or nothing, comes to rest and still serves. Method: random
/// bytes and mutated requests from a printed seed.
BOOST_FIXTURE_TEST_CASE(any_bytes_are_answered_or_ignored_and_the_session_goes_on, SessionFixture) {
  std::uint64_t const start = whence::test::seed_from_environment();
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << start) {
    std::mt19937_64 random(start);
    put_units(3);
    for (int i = 0; i < 3000; ++i) {
      std::string text = mutated(messages[random() % std::size(messages)], random);
      if (i % 10 == 0) {
        text.resize(random() % 64);
        for (char& c : text) c = static_cast<char>(random());
      }
      say(text);
      for (int id = 0; id < 6; ++id) notify("$/cancel", R"({"id":)" + std::to_string(id) + "}");
      notify("$/cancel", R"({"id":"x"})");
    }
    session->abort_running();
    host.sent.clear();
    last_id = 1000;
    result("server.info");
  }
}

BOOST_FIXTURE_TEST_CASE(a_message_of_a_million_members_named_twice_is_answered, SessionFixture) {
  std::string records;
  for (int i = 0; i < 20'000; ++i)
    records += std::string(i == 0 ? "" : ",") + R"({"$type$":"Topic","id":"a","id":"a"})";
  BOOST_TEST(error_code("records.write", R"({"records":[)" + records + "]}") == -32030);
}

BOOST_FIXTURE_TEST_CASE(a_batch_of_scalars_is_answered_element_by_element, SessionFixture) {
  std::string text = "[0";
  for (int i = 0; i < 999; ++i) text += ",0";
  say(text + "]");
  host.run_until([&] { return !host.sent.empty(); });
  BOOST_TEST(host.sent[0].as_array().size() == 1000U);
}

BOOST_FIXTURE_TEST_CASE(many_large_messages_make_the_session_ask_for_a_pause, SessionFixture) {
  std::string const large =
      R"({"jsonrpc":"2.0","id":1,"method":"server.info","params":{}})" + std::string(100'000, ' ');
  for (int i = 0; i < 8; ++i) say(large);
  BOOST_TEST(session->is_behind());
  host.run_until([&] { return host.sent.size() == 8; });
  BOOST_TEST(!session->is_behind());
}

}  // namespace
}  // namespace whence::test
