// Messages of a subscription, taken apart.

#include "tools/cli/watch/message.hpp"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace whence;
using tools::WatchKind;

namespace {

struct KindCase {
  std::string_view text;
  WatchKind kind;
};
std::ostream& operator<<(std::ostream& out, KindCase const& each) {
  return out << each.text;
}
constexpr KindCase kind_cases[] = {
    {R"({"jsonrpc":"2.0","id":1,"result":{}})", WatchKind::answer},
    {R"({"jsonrpc":"2.0","method":"event","params":{"sub":"s","events":[]}})", WatchKind::event},
    {R"({"jsonrpc":"2.0","method":"$/caught_up","params":{"sub":"s","tx":1}})", WatchKind::caught_up},
    {R"({"jsonrpc":"2.0","method":"$/heartbeat","params":{"tx":1}})", WatchKind::heartbeat},
    {R"({"jsonrpc":"2.0","method":"$/lagged","params":{}})", WatchKind::lagged},
    {R"({"jsonrpc":"2.0","method":"$/ended","params":{}})", WatchKind::ended},
    {R"({"jsonrpc":"2.0","method":"$/news"})", WatchKind::other},
};

struct TextCase {
  std::string_view name;
  std::string_view event;    ///< the event's text in the message
  std::string_view printed;  ///< the same where empty
};
std::ostream& operator<<(std::ostream& out, TextCase const& each) {
  return out << each.name;
}
constexpr TextCase text_cases[] = {
    {"numbers_as_they_were_spelt", R"({"tx":1,"record":{"a":1.50,"b":1E2}})", ""},
    {"escapes_as_they_were_spelt", R"({"tx":1,"ref":"\u0054:\"]},{\\"})", ""},
    {"white_space_within_the_line", R"({ "tx" : 1, "edges" : [ { } , [ ] ] })", ""},
    {"a_line_break_is_written_anew", "{\"tx\":1,\n\"ref\":\"a\"}", R"({"tx":1,"ref":"a"})"},
};

constexpr std::string_view broken[] = {"", "{", "[]", R"({"method":"event","params":{}})",
                                       R"({"method":"event","params":{"events":[1]}})"};

}  // namespace

BOOST_AUTO_TEST_SUITE(watch_message)

BOOST_DATA_TEST_CASE(tells_what_a_message_is, boost::unit_test::data::make(kind_cases), sample) {
  auto const message = tools::parse_watch_message(sample.text);
  BOOST_REQUIRE(message);
  BOOST_TEST((message->kind == sample.kind));
}

BOOST_DATA_TEST_CASE(keeps_the_text_of_events, boost::unit_test::data::make(text_cases), sample) {
  std::string const text = R"({"method":"event","params" : {"sub":"s", "events":[ )" + std::string{sample.event} +
                           " ,\n" + std::string{sample.event} + R"( ]},"jsonrpc":"2.0"})";
  auto const message = tools::parse_watch_message(text);
  BOOST_REQUIRE(message);
  BOOST_REQUIRE(message->events.size() == 2);
  for (tools::WatchEvent const& event : message->events) {
    BOOST_TEST(event.text == (sample.printed.empty() ? sample.event : sample.printed));
    BOOST_TEST(event.tx == 1);
  }
}

BOOST_AUTO_TEST_CASE(reads_what_orders_events) {
  auto const message = tools::parse_watch_message(
      R"({"method":"event","params":{"events":[{"tx":7,"prev":5},{"tx":7,"prev":0,"snapshot":true}]}})");
  BOOST_REQUIRE(message);
  BOOST_REQUIRE(message->events.size() == 2);
  BOOST_TEST(message->events[0].prev == 5);
  BOOST_TEST(!message->events[0].is_snapshot);
  BOOST_TEST(message->events[1].is_snapshot);
}

BOOST_DATA_TEST_CASE(refuses_what_is_no_message, boost::unit_test::data::make(broken), sample) {
  BOOST_TEST(!tools::parse_watch_message(sample));
}

BOOST_AUTO_TEST_SUITE_END()
