// The states of a connection, scripted: requests in, responses out, what the host is asked to do in between.

#include "net/bolt/bookmark.hpp"
#include "net/bolt/chunking.hpp"
#include "net/bolt/machine.hpp"
#include "net/bolt/packstream/reader.hpp"

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace bolt = whence::net::bolt;

BOOST_AUTO_TEST_SUITE(bolt_machine)

namespace {

/// Writes down what the machine sends and asks for; the test answers for it.
class ScriptedHost final : public bolt::MachineHost {
 public:
  void send(std::string chunks) override {
    bolt::Dechunker dechunker;
    std::string_view rest{chunks};
    while (!rest.empty()) {
      if (dechunker.take(rest, 1 << 20) == bolt::Dechunker::Step::message) said.push_back(shown(dechunker.message()));
    }
  }
  bolt::Map greet(bolt::Map const&) override { return {{"server", {std::string{"W"}}}}; }
  bolt::Outcome<void> log_on(bolt::Map const& token) override {
    if (bolt::find(token, "credentials") != nullptr) return {};
    return bolt::Failure{.kind = bolt::FailureKind::unauthorized, .message = "who?"};
  }
  void log_off() override { asked.emplace_back("log_off"); }
  bolt::Outcome<bolt::Map> route(bolt::Request const&) override { return bolt::Map{}; }
  void begin(bolt::TxSettings settings) override { asked.push_back("begin " + settings.database); }
  void run(std::int64_t qid, std::string statement, bolt::Map) override {
    asked.push_back("run " + std::to_string(qid) + " " + statement);
  }
  void pull(bolt::Pull pull) override {
    asked.push_back((pull.is_discard ? "discard " : "pull ") + std::to_string(pull.qid) + " " +
                    (pull.rows ? std::to_string(*pull.rows) : "all"));
  }
  void end_transaction() override { ++ended; }
  void interrupt() override { ++interrupted; }
  std::string bookmark() const override { return "b"; }
  std::string database() const override { return "d"; }
  void on_answered(bolt::Answered const& answered) override {
    std::ostringstream text;
    text << answered.kind << (answered.trace ? " of " + answered.trace->parent : "");
    if (answered.failure) text << ' ' << *answered.failure;
    noted.push_back(text.str());
  }
  void close() override { is_closed = true; }

  /// What was said since the last call.
  std::string heard() {
    std::string all;
    for (auto const& each : std::exchange(said, {})) all += (all.empty() ? "" : " | ") + each;
    return all;
  }
  std::string asked_for() {
    std::string all;
    for (auto const& each : std::exchange(asked, {})) all += (all.empty() ? "" : " | ") + each;
    return all;
  }

  std::vector<std::string> said;
  std::vector<std::string> asked;
  std::vector<std::string> noted;
  int ended = 0;
  int interrupted = 0;
  bool is_closed = false;

 private:
  static std::string shown(std::string_view message) {
    bolt::PackReader reader{message, {}};
    auto const head = reader.read_structure().value();
    std::string_view const name = head.tag == 0x70   ? "SUCCESS"
                                  : head.tag == 0x7F ? "FAILURE"
                                  : head.tag == 0x7E ? "IGNORED"
                                                     : "?";
    std::ostringstream out;
    out << name;
    if (head.fields == 1) out << ' ' << reader.read_value().value();
    return out.str();
  }
};

bolt::Request asking(bolt::RequestKind kind, bolt::Map extra = {}) {
  return {.kind = kind, .extra = std::move(extra)};
}

bolt::Map with_token() {
  return {{"scheme", {std::string{"basic"}}}, {"credentials", {std::string{"t"}}}};
}

bolt::Request running(std::string statement) {
  return {.kind = bolt::RequestKind::run, .statement = std::move(statement)};
}

bolt::Request pulling(std::int64_t rows, std::int64_t qid = -1) {
  return asking(bolt::RequestKind::pull, {{"n", {rows}}, {"qid", {qid}}});
}

/// A connection whose token was accepted.
struct ReadyMachine {
  ScriptedHost host;
  bolt::Machine machine{bolt::version_5_4, host};

  ReadyMachine() {
    machine.on_request(asking(bolt::RequestKind::hello));
    machine.on_request(asking(bolt::RequestKind::logon, with_token()));
    host.heard();
  }

  void stream() {
    machine.on_request(running("q"));
    machine.on_begun({});
    machine.on_started(bolt::Started{.fields = {"a"}});
    host.heard();
    host.asked_for();
  }
  void open_transaction() {
    machine.on_request(asking(bolt::RequestKind::begin));
    machine.on_begun({});
    host.heard();
    host.asked_for();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_takes_time_is_noted_once_with_its_trace_and_its_failure) {
  ReadyMachine ready;
  auto const span = [](char digit) { return std::string(16, digit); };
  auto const traced = [&](char digit) {
    return bolt::Map{
        {"tx_metadata", {bolt::Map{{"traceparent", {"00-" + std::string(32, '1') + "-" + span(digit) + "-01"}}}}}};
  };
  auto query = running("q");
  query.extra = traced('2');
  ready.machine.on_request(query);
  ready.machine.on_begun({});
  ready.machine.on_started(bolt::Started{.fields = {"a"}});
  ready.machine.on_request(pulling(-1));
  ready.machine.on_pulled(bolt::Pulled{});
  auto const expected = std::vector<std::string>{"RUN of " + span('2'), "PULL of " + span('2')};
  BOOST_TEST(std::exchange(ready.host.noted, {}) == expected, boost::test_tools::per_element());
  // The next one is of no trace, and what is malformed, too.
  ready.machine.on_request(
      asking(bolt::RequestKind::begin, {{"tx_metadata", {bolt::Map{{"traceparent", {std::string{"x"}}}}}}}));
  ready.machine.on_begun({});
  ready.machine.on_request(running("q"));
  ready.machine.on_started(bolt::Failure{.kind = bolt::FailureKind::out_of_memory, .message = "no room"});
  ready.machine.on_request(asking(bolt::RequestKind::reset));
  auto const failed = std::vector<std::string>{"BEGIN", "RUN Neo.TransientError.General.OutOfMemoryError"};
  BOOST_TEST(std::exchange(ready.host.noted, {}) == failed, boost::test_tools::per_element());
  // What RESET interrupts, and what is running when the peer goes.
  ready.machine.on_request(running("q"));
  ready.machine.on_request(asking(bolt::RequestKind::reset));
  ready.machine.on_begun({});
  ready.machine.on_request(running("q"));
  ready.machine.on_closed();
  ready.machine.on_closed();
  auto const ended = std::vector<std::string>(2, "RUN Neo.TransientError.Transaction.Terminated");
  BOOST_TEST(std::exchange(ready.host.noted, {}) == ended, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_token_comes_after_the_greeting) {
  ScriptedHost host;
  bolt::Machine machine{bolt::version_5_1, host};
  machine.on_request(asking(bolt::RequestKind::hello));
  BOOST_TEST(host.heard() == R"(SUCCESS {"server":"W"})");
  BOOST_TEST(machine.awaits_logon());
  machine.on_request(asking(bolt::RequestKind::logon, with_token()));
  BOOST_TEST(host.heard() == "SUCCESS {}");
  BOOST_TEST(!machine.awaits_logon());
  machine.on_request(asking(bolt::RequestKind::logoff));
  BOOST_TEST(machine.awaits_logon());
}

BOOST_AUTO_TEST_CASE(before_5_1_the_token_comes_with_the_greeting) {
  ScriptedHost host;
  bolt::Machine machine{bolt::version_4_4, host};
  auto extra = with_token();
  extra.push_back({"patch_bolt", {bolt::List{{std::string{"utc"}}}}});
  machine.on_request(asking(bolt::RequestKind::hello, extra));
  BOOST_TEST(host.heard() == R"(SUCCESS {"server":"W","patch_bolt":["utc"]})");
  BOOST_TEST(machine.state() == bolt::State::ready);
  BOOST_TEST(machine.dialect().is_utc);
  BOOST_TEST(!machine.dialect().has_element_ids);
}

BOOST_AUTO_TEST_CASE(a_wrong_token_ends_the_connection) {
  ScriptedHost host;
  bolt::Machine machine{bolt::version_5_4, host};
  machine.on_request(asking(bolt::RequestKind::hello));
  machine.on_request(asking(bolt::RequestKind::logon));
  BOOST_TEST(host.said.back() == R"(FAILURE {"code":"Neo.ClientError.Security.Unauthorized","message":"who?"})");
  BOOST_TEST(host.is_closed);
  machine.on_request(asking(bolt::RequestKind::logon, with_token()));
  BOOST_TEST(host.said.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_statement_is_begun_run_and_pulled_and_has_a_bookmark) {
  ReadyMachine world;
  world.machine.on_request(running("q"));
  world.machine.on_request(pulling(2));
  BOOST_TEST(world.host.asked_for() == "begin ");
  world.machine.on_begun({});
  BOOST_TEST(world.host.asked_for() == "run 0 q");
  world.machine.on_started(bolt::Started{.fields = {"a", "b"}, .millis = 3});
  BOOST_TEST(world.host.heard() == R"(SUCCESS {"fields":["a","b"],"t_first":3})");
  BOOST_TEST(world.host.asked_for() == "pull 0 2");
  world.machine.on_pulled(bolt::Pulled{.has_more = true});
  BOOST_TEST(world.host.heard() == R"(SUCCESS {"has_more":true})");
  BOOST_TEST(world.machine.state() == bolt::State::streaming);
  world.machine.on_request(pulling(-1));
  BOOST_TEST(world.host.asked_for() == "pull 0 all");
  world.machine.on_pulled(bolt::Pulled{});
  BOOST_TEST(world.host.heard() == R"(SUCCESS {"type":"r","t_last":0,"db":"d","bookmark":"b"})");
  BOOST_TEST(world.machine.state() == bolt::State::ready);
  BOOST_TEST(world.machine.is_idle());
}

BOOST_AUTO_TEST_CASE(results_of_a_transaction_have_numbers) {
  ReadyMachine world;
  world.open_transaction();
  world.machine.on_request(running("one"));
  world.machine.on_started(bolt::Started{.fields = {"a"}});
  world.machine.on_request(running("two"));
  world.machine.on_started(bolt::Started{.fields = {"b"}});
  BOOST_TEST(world.host.heard() ==
             R"(SUCCESS {"fields":["a"],"t_first":0,"qid":0} | SUCCESS {"fields":["b"],"t_first":0,"qid":1})");
  world.host.asked_for();
  world.machine.on_request(pulling(5, 0));
  BOOST_TEST(world.host.asked_for() == "pull 0 5");
  world.machine.on_pulled(bolt::Pulled{});
  BOOST_TEST(world.machine.state() == bolt::State::tx_streaming);
  world.machine.on_request(asking(bolt::RequestKind::discard, {{"n", {std::int64_t{-1}}}}));
  BOOST_TEST(world.host.asked_for() == "discard 1 all");
  world.machine.on_pulled(bolt::Pulled{});
  BOOST_TEST(world.machine.state() == bolt::State::tx_ready);
  world.host.heard();
  world.machine.on_request(asking(bolt::RequestKind::commit));
  BOOST_TEST(world.host.heard() == R"(SUCCESS {"bookmark":"b"})");
  BOOST_TEST(world.machine.state() == bolt::State::ready);
}

BOOST_AUTO_TEST_CASE(after_a_failure_everything_is_ignored_until_reset) {
  ReadyMachine world;
  world.machine.on_request(running("bad"));
  world.machine.on_request(pulling(1));
  world.machine.on_begun({});
  world.machine.on_started(bolt::Failure{.kind = bolt::FailureKind::syntax_error, .message = "bad"});
  BOOST_TEST(world.host.heard() ==
             R"(FAILURE {"code":"Neo.ClientError.Statement.SyntaxError","message":"bad"} | IGNORED)");
  world.machine.on_request(running("good"));
  BOOST_TEST(world.host.heard() == "IGNORED");
  world.machine.on_request(asking(bolt::RequestKind::reset));
  BOOST_TEST(world.host.heard() == "SUCCESS {}");
  BOOST_TEST(world.machine.state() == bolt::State::ready);
}

BOOST_AUTO_TEST_CASE(reset_interrupts_and_what_came_before_it_is_ignored) {
  ReadyMachine world;
  world.stream();
  world.machine.on_request(pulling(-1));
  world.machine.on_request(running("next"));
  world.machine.on_request(asking(bolt::RequestKind::reset));
  BOOST_TEST(world.host.interrupted == 1);
  BOOST_TEST(world.host.heard().empty());
  world.machine.on_pulled(bolt::Failure{.kind = bolt::FailureKind::transaction_terminated});
  BOOST_TEST(world.host.heard() == "IGNORED | IGNORED | SUCCESS {}");
  BOOST_TEST(world.machine.state() == bolt::State::ready);
}

BOOST_AUTO_TEST_CASE(a_request_that_the_state_does_not_have_ends_the_connection) {
  using enum bolt::RequestKind;
  for (auto const kind : {hello, logon, pull, discard, commit, rollback}) {
    ReadyMachine world;
    world.machine.on_request(asking(kind));
    BOOST_TEST(world.host.heard().find("Neo.ClientError.Request.Invalid") != std::string::npos);
    BOOST_TEST(world.host.is_closed);
  }
  for (auto const kind : {commit, rollback, logon, hello}) {
    ReadyMachine world;
    world.stream();
    world.machine.on_request(asking(kind));
    BOOST_TEST(world.host.is_closed);
  }
  for (auto const kind : {run, begin, reset, route, telemetry, pull}) {
    ScriptedHost host;
    bolt::Machine machine{bolt::version_5_4, host};
    machine.on_request(asking(kind));
    BOOST_TEST(host.is_closed);
  }
}

BOOST_AUTO_TEST_CASE(a_request_that_begins_anew_leaves_the_rows_of_a_single_statement) {
  using enum bolt::RequestKind;
  for (auto const kind : {begin, run, route, logoff}) {
    ReadyMachine world;
    world.stream();
    auto const ended = world.host.ended;
    world.host.asked_for();
    world.machine.on_request(asking(kind));
    BOOST_TEST(world.host.ended == ended + 1);
    BOOST_TEST(!world.host.is_closed);
    bool const is_begun = kind == begin || kind == run;
    BOOST_TEST(world.host.asked_for() == (is_begun ? "begin " : kind == logoff ? "log_off" : ""));
  }
  // Those of a transaction are not: what it has open is its own to end.
  ReadyMachine world;
  world.open_transaction();
  world.machine.on_request(asking(begin));
  BOOST_TEST(world.host.is_closed);
}

BOOST_AUTO_TEST_CASE(numbers_of_rows_and_results_are_checked) {
  for (auto const rows : {std::int64_t{0}, std::int64_t{-2}}) {
    ReadyMachine world;
    world.stream();
    world.machine.on_request(pulling(rows));
    BOOST_TEST(world.host.is_closed);
  }
  ReadyMachine world;
  world.stream();
  world.machine.on_request(pulling(1, 7));
  BOOST_TEST(world.machine.state() == bolt::State::failed);
}

BOOST_AUTO_TEST_CASE(open_results_are_bounded) {
  ReadyMachine world;
  world.open_transaction();
  for (int i = 0; i < 16; ++i) {
    world.machine.on_request(running("q"));
    world.machine.on_started(bolt::Started{});
  }
  world.host.heard();
  world.machine.on_request(running("one more"));
  BOOST_TEST(world.host.heard().find("ResourceExhausted") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(requests_that_wait_are_bounded) {
  ReadyMachine world;
  world.machine.on_request(running("long"));
  for (int i = 0; i < 63; ++i) world.machine.on_request(pulling(1));
  BOOST_TEST(!world.machine.is_behind());
  world.machine.on_request(pulling(1));
  BOOST_TEST(world.machine.is_behind());
}

BOOST_AUTO_TEST_CASE(settings_of_a_wrong_type_are_refused) {
  std::vector<bolt::Entry> const wrong = {
      {"db", {true}},
      {"mode", {std::string{"x"}}},
      {"tx_timeout", {std::int64_t{-1}}},
      {"tx_timeout", {std::string{"1"}}},
      {"bookmarks", {std::string{"b"}}},
      {"tx_metadata", {bolt::Map{{"as_of", {true}}}}},
      {"tx_metadata", {bolt::Map{{"as_of", {0.5}}}}},
      {"tx_metadata", {bolt::Map{{"as_of", {std::string{"yesterday"}}}}}},
      {"tx_metadata", {bolt::Map{{"as_of", {-1.0}}}}},
      {"tx_metadata", {bolt::Map{{"as_of", {bolt::Date{.days = 9'000'000'000'000'000}}}}}},
      {"tx_metadata", {bolt::Map{{"as_of", {bolt::DateTime{.seconds = 0, .nanos = -1}}}}}},
  };
  for (auto const& entry : wrong) {
    BOOST_TEST_CONTEXT(entry.key) {
      ReadyMachine world;
      world.machine.on_request(asking(bolt::RequestKind::begin, {entry}));
      BOOST_TEST(world.host.heard().find("ArgumentError") != std::string::npos);
      BOOST_TEST(world.machine.state() == bolt::State::failed);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_stops_begins_nothing_and_ends_what_runs) {
  ReadyMachine world;
  world.machine.drain();
  world.machine.on_request(running("q"));
  BOOST_TEST(world.host.heard().find("Neo.TransientError.General.DatabaseUnavailable") != std::string::npos);
  ReadyMachine busy;
  busy.stream();
  busy.machine.on_request(pulling(-1));
  busy.machine.finish();
  BOOST_TEST(busy.host.heard().find("Neo.TransientError.Transaction.Terminated") != std::string::npos);
  BOOST_TEST(busy.host.is_closed);
  BOOST_TEST(busy.host.interrupted == 1);
}

BOOST_AUTO_TEST_CASE(bookmarks_are_of_one_store) {
  auto const epoch = "0af1@team";
  bolt::List const ours = {
      {bolt::bookmark_of(epoch, 7)}, {bolt::bookmark_of(epoch, 12)}, {bolt::bookmark_of(epoch, 3)}};
  BOOST_TEST(bolt::newest_of(ours, epoch).value() == 12U);
  BOOST_TEST(bolt::newest_of({}, epoch).value() == 0U);
  for (auto const* const wrong : {"", "whence:", "whence:0af1@team:", "whence:0af1@team:-1", "whence:0af1@team:1x",
                                  "whence:other:1", "FB:1", "whence:0af1@team:99999999999999999999"}) {
    BOOST_TEST(bolt::newest_of({{std::string{wrong}}}, epoch).error().kind == bolt::FailureKind::bookmark_invalid);
  }
  BOOST_TEST(!bolt::newest_of({{true}}, epoch).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
