// Bolt over loopback, byte by byte: what no driver sends, time limits, tokens that go, stopping.

#include "net/bolt/chunking.hpp"
#include "net/bolt/handshake.hpp"
#include "net/bolt/packstream/reader.hpp"
#include "net/bolt/packstream/writer.hpp"
#include "net/work/memory_budget.hpp"
#include "tests/bolt/stand_in_runner.hpp"
#include "tests/net/server/server_fixture.hpp"
#include "tests/support/wait_until.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace bolt = whence::net::bolt;

BOOST_AUTO_TEST_SUITE(bolt_server)

namespace {

using whence::test::RawClient;

whence::net::ServerConfig with_bolt(whence::net::ServerConfig config = {}) {
  config.bolt.emplace().port = 0;
  config.make_runner = [](whence::net::Service&) { return std::make_shared<whence::test::StandInRunner>(); };
  return config;
}

struct BoltWorld : whence::test::ServerWorld {
  explicit BoltWorld(whence::net::ServerConfig settings = {}) : ServerWorld(with_bolt(std::move(settings))) {}
  [[nodiscard]] std::uint16_t bolt_port() const {
    auto const address = server->bolt_address();
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
};

std::string bolt_handshake() {
  return std::string{bolt::magic} + std::string{"\0\0\4\5", 4} + std::string(12, '\0');
}

/// A message of a tag and fields that are written already, in chunks.
std::string bolt_message(std::uint8_t tag, std::string_view fields = {}, std::uint8_t count = 0) {
  std::string out;
  auto const begin = bolt::begin_message(out);
  bolt::PackWriter{out, {}}.begin_structure(tag, count);
  out.append(fields);
  bolt::end_message(out, begin);
  return out;
}

std::string bolt_message(std::uint8_t tag, bolt::Map const& map) {
  std::string fields;
  bolt::PackWriter{fields, {}}.map(map);
  return bolt_message(tag, fields, 1);
}

std::string bolt_run(std::string_view statement, bolt::Map const& parameters = {}) {
  std::string fields;
  bolt::PackWriter writer{fields, {}};
  writer.text(statement);
  writer.map(parameters);
  writer.map({});
  return bolt_message(0x10, fields, 3);
}

std::string bolt_pull(std::int64_t rows) {
  return bolt_message(0x3F, bolt::Map{{"n", {rows}}});
}

std::string bolt_logon(std::string_view secret) {
  return bolt_message(0x01, bolt::Map{}) +
         bolt_message(0x6A, bolt::Map{{"scheme", {std::string{"bearer"}}}, {"credentials", {std::string{secret}}}});
}

std::string const bolt_reset = bolt_message(0x0F);
std::string const bolt_goodbye = bolt_message(0x02);

/// The next message: its tag, and what it holds.
struct BoltAnswer {
  int tag = -1;  ///< -1: the connection ended instead
  bolt::Value value;

  [[nodiscard]] std::string code() const {
    auto const* const map = std::get_if<bolt::Map>(&value.data);
    auto const* const found = map == nullptr ? nullptr : bolt::find_as<std::string>(*map, "code");
    return found == nullptr ? std::string{} : *found;
  }
};

constexpr int bolt_success = 0x70;
constexpr int bolt_record = 0x71;
constexpr int bolt_ignored = 0x7E;
constexpr int bolt_failure = 0x7F;

BoltAnswer read_bolt(RawClient& client) {
  bolt::Dechunker dechunker;
  while (true) {
    auto const head = client.read_bytes(2);
    if (head.size() < 2) return {};
    std::size_t const size = static_cast<unsigned char>(head[0]) << 8U | static_cast<unsigned char>(head[1]);
    auto const chunk = head + client.read_bytes(size);
    std::string_view rest{chunk};
    if (dechunker.take(rest, std::size_t{1} << 24) != bolt::Dechunker::Step::message) continue;
    bolt::PackReader reader{dechunker.message(), {}};
    auto const structure = reader.read_structure().value();
    BoltAnswer answer{.tag = structure.tag, .value = {}};
    if (structure.fields == 1) answer.value = reader.read_value().value();
    return answer;
  }
}

/// A client whose token was accepted.
RawClient& greeted(RawClient& client, std::string_view secret = "none") {
  client.send(bolt_handshake() + bolt_logon(secret));
  BOOST_TEST(client.read_bytes(4) == std::string_view("\0\0\4\5", 4));
  BOOST_TEST(read_bolt(client).tag == bolt_success);
  BOOST_TEST(read_bolt(client).tag == bolt_success);
  return client;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_statement_is_answered_whatever_the_parts_in_which_it_comes) {
  BoltWorld const world;
  RawClient client{world.bolt_port()};
  std::string const all = bolt_handshake() + bolt_logon("x") + std::string(100, '\0') +
                          bolt_run("UNWIND range(1, $n) AS i RETURN i", {{"n", {std::int64_t{3}}}}) + bolt_pull(-1) +
                          bolt_goodbye;
  for (auto const byte : all) client.send({&byte, 1});
  client.read_bytes(4);
  for (auto const tag :
       {bolt_success, bolt_success, bolt_success, bolt_record, bolt_record, bolt_record, bolt_success, -1}) {
    BOOST_TEST(read_bolt(client).tag == tag);
  }
}

BOOST_AUTO_TEST_CASE(foreign_bytes_end_the_connection) {
  BoltWorld const world;
  for (std::string const& bytes : {std::string(20, 'x'), std::string{bolt::magic} + std::string(16, '\0'),
                                   std::string{"\x16\x03\x01\x02\x00\x01", 6}}) {
    RawClient client{world.bolt_port()};
    client.send(bytes);
    auto const answer = client.read_all();
    BOOST_TEST(answer.size() <= 400U);
  }
}

BOOST_AUTO_TEST_CASE(http_on_this_port_has_bolt_alone) {
  BoltWorld const world;
  for (auto const* const path : {"/", "/bolt"}) {
    RawClient client{world.bolt_port()};
    BOOST_TEST(client.request("GET " + std::string{path} + " HTTP/1.1\r\n").starts_with("HTTP/1.1 426"));
  }
  for (auto const* const path : {"/metrics", "/rpc", "/ws", "/explorer/"}) {
    RawClient client{world.bolt_port()};
    BOOST_TEST(client.request("GET " + std::string{path} + " HTTP/1.1\r\n").starts_with("HTTP/1.1 404"));
  }
}

BOOST_AUTO_TEST_CASE(a_foreign_origin_is_refused) {
  BoltWorld const world;
  RawClient client{world.bolt_port()};
  auto const answer = client.request("GET / HTTP/1.1\r\nOrigin: http://example.org\r\n");
  BOOST_TEST(answer.starts_with("HTTP/1.1 403"));
}

BOOST_AUTO_TEST_CASE(where_nothing_runs_statements_there_is_no_bolt) {
  whence::test::ServerWorld const world;
  BOOST_TEST(world.server->bolt_address().empty());
  RawClient client{world.port()};
  BOOST_TEST(client.request("GET /bolt HTTP/1.1\r\n").starts_with("HTTP/1.1 404"));
}

BOOST_AUTO_TEST_CASE(before_a_token_messages_are_small) {
  BoltWorld const world;
  RawClient client{world.bolt_port()};
  client.send(bolt_handshake() + bolt_message(0x01, bolt::Map{{"user_agent", {std::string(70'000, 'a')}}}));
  client.read_bytes(4);
  BOOST_TEST(read_bolt(client).code() == "Neo.ClientError.Request.Invalid");
  BOOST_TEST(read_bolt(client).tag == -1);
}

BOOST_AUTO_TEST_CASE(what_is_refused_for_want_of_room_is_counted) {
  BoltWorld const world{{.connections_max = 3}};
  auto const peer = std::make_shared<whence::net::PeerMemory>(world.service->memory());
  RawClient watching{world.port()};
  auto const counted = [&](std::string_view what) {
    auto const page = watching.request("GET /metrics HTTP/1.1\r\n");
    auto const label = "whence_busy_total{what=\"" + std::string{what} + "\"} ";
    auto const at = page.find(label);
    BOOST_TEST_REQUIRE(at != std::string::npos);
    return std::stoi(page.substr(at + label.size()));
  };
  auto const large = bolt_run("RETURN $x", {{"x", {std::string(500'000, 'a')}}});
  RawClient fine{world.bolt_port()};
  RawClient broken{world.bolt_port()};
  greeted(fine);
  greeted(broken);
  BOOST_TEST(counted("connection") == 0);
  RawClient fourth{world.bolt_port()};
  BOOST_TEST(fourth.read_all().empty());
  BOOST_TEST(counted("connection") == 1);
  BOOST_TEST(counted("bolt") == 0);
  {
    whence::net::MemoryClaim all{peer};  // others hold everything
    all.set(world.service->memory()->bytes_max());
    broken.try_send(large);
    auto const refused = read_bolt(broken);
    BOOST_TEST(refused.tag == bolt_failure);
    BOOST_TEST(counted("bolt") == 1);
  }
  fine.send(large + bolt_pull(-1));
  for (auto const tag : {bolt_success, bolt_record, bolt_success}) BOOST_TEST(read_bolt(fine).tag == tag);
  BOOST_TEST(counted("bolt") == 1);
}

BOOST_AUTO_TEST_CASE(large_parameters_are_taken_and_larger_ones_refused) {
  BoltWorld const world{{.message_bytes_max = std::size_t{1} << 20}};
  RawClient client{world.bolt_port()};
  greeted(client);
  std::string const large(500'000, 'a');
  client.send(bolt_run("RETURN $x", {{"x", {large}}}) + bolt_pull(-1));
  BOOST_TEST(read_bolt(client).tag == bolt_success);
  auto const row = read_bolt(client);
  BOOST_TEST((row.value == bolt::Value{bolt::List{{large}}}));
  BOOST_TEST(read_bolt(client).tag == bolt_success);
  client.try_send(bolt_run("RETURN $x", {{"x", {std::string(2'000'000, 'a')}}}));
  BOOST_TEST(read_bolt(client).code() == "Neo.ClientError.Request.Invalid");
}

BOOST_AUTO_TEST_CASE(broken_messages_are_told_so_and_end_the_connection) {
  BoltWorld const world;
  for (std::string const& bytes :
       {bolt_message(0x55), bolt_message(0x10), bolt_message(0x10, "\x81\xFF\xA0\xA0", 3),
        bolt_message(0x3F, "\x01", 1), bolt_message(0x0F, "\xC0", 1), bolt_message(0x0F, "\xC0", 0),
        std::string{"\0\1\xC0\0\0", 5}, bolt_message(0x10, "\x81q\xD6\x7F\xFF\xFF\xFF", 3)}) {
    RawClient client{world.bolt_port()};
    greeted(client).send(bytes);
    BOOST_TEST(read_bolt(client).code() == "Neo.ClientError.Request.Invalid");
    BOOST_TEST(read_bolt(client).tag == -1);
  }
}

BOOST_AUTO_TEST_CASE(a_client_without_a_token_is_cut_in_time) {
  whence::net::ServerConfig config{.hello_timeout = std::chrono::seconds{1}};
  BoltWorld const world{config};
  for (std::string const& bytes :
       {std::string{}, std::string{"\x60"}, bolt_handshake(), bolt_handshake() + bolt_message(0x01, bolt::Map{})}) {
    RawClient client{world.bolt_port()};
    client.send(bytes);
    client.read_all();
  }
}

BOOST_AUTO_TEST_CASE(an_open_transaction_of_which_nothing_is_asked_ends) {
  BoltWorld const world{{.idle_transaction_max = std::chrono::milliseconds{500}}};
  RawClient idle{world.bolt_port()};
  greeted(idle).send(bolt_message(0x11, bolt::Map{}));
  BOOST_TEST(read_bolt(idle).tag == bolt_success);
  RawClient without{world.bolt_port()};
  greeted(without);
  BOOST_TEST(read_bolt(idle).tag == -1);
  without.send(bolt_run("RETURN $x", {{"x", {std::string{"a"}}}}));  // no transaction was open
  BOOST_TEST(read_bolt(without).tag == bolt_success);
}

BOOST_AUTO_TEST_CASE(half_a_message_is_not_waited_for_long) {
  BoltWorld const world{{.body_timeout = std::chrono::seconds{1}}};
  RawClient client{world.bolt_port()};
  greeted(client).send(std::string_view{"\x00\x05h", 3});
  BOOST_TEST(read_bolt(client).tag == -1);
}

BOOST_AUTO_TEST_CASE(reset_ends_a_statement_that_runs) {
  BoltWorld const world;
  RawClient client{world.bolt_port()};
  greeted(client).send(bolt_run("WAIT") + bolt_pull(-1) + bolt_reset + bolt_run("RETURN $x", {{"x", {true}}}));
  for (auto const tag : {bolt_ignored, bolt_ignored, bolt_success, bolt_success}) {
    BOOST_TEST(read_bolt(client).tag == tag);
  }
}

BOOST_AUTO_TEST_CASE(reset_ends_a_result_whose_reader_takes_nothing) {
  BoltWorld const world;
  RawClient client{world.bolt_port(), 4'096};
  greeted(client).send(bolt_run("UNWIND range(1, $n) AS i RETURN i", {{"n", {std::int64_t{1} << 60}}}) + bolt_pull(-1));
  BOOST_TEST(read_bolt(client).tag == bolt_success);
  BOOST_TEST(read_bolt(client).tag == bolt_record);
  client.send(bolt_reset);
  auto answer = read_bolt(client);
  while (answer.tag == bolt_record) answer = read_bolt(client);
  BOOST_TEST(answer.tag == bolt_ignored);
  BOOST_TEST(read_bolt(client).tag == bolt_success);
}

BOOST_AUTO_TEST_CASE(a_driver_that_waits_hears_something) {
  BoltWorld const world{{.ping_idle = std::chrono::seconds{1}}};
  RawClient client{world.bolt_port()};
  greeted(client).send(bolt_run("WAIT"));
  BOOST_TEST(client.read_bytes(2) == bolt::noop);
}

BOOST_AUTO_TEST_CASE(a_token_that_goes_ends_the_connection) {
  using whence::net::Role;
  BoltWorld const world{{.tokens = {{.role = Role::read, .digest = whence::net::digest_of("old")}}}};
  RawClient wrong{world.bolt_port()};
  wrong.send(bolt_handshake() + bolt_logon("new"));
  wrong.read_bytes(4);
  BOOST_TEST(read_bolt(wrong).tag == bolt_success);
  BOOST_TEST(read_bolt(wrong).code() == "Neo.ClientError.Security.Unauthorized");
  BOOST_TEST(read_bolt(wrong).tag == -1);
  RawClient client{world.bolt_port()};
  greeted(client, "old");
  BOOST_TEST(world.server->reload({{"", {{.role = Role::read, .digest = whence::net::digest_of("new")}}}}).has_value());
  BOOST_TEST(read_bolt(client).tag == -1);
  RawClient next{world.bolt_port()};
  greeted(next, "new");
}

BOOST_AUTO_TEST_CASE(a_server_that_stops_ends_what_runs) {
  BoltWorld world{{.ping_idle = std::chrono::seconds{1}, .drain_timeout = std::chrono::seconds{1}}};
  RawClient idle{world.bolt_port()};
  greeted(idle);
  RawClient client{world.bolt_port()};
  greeted(client).send(bolt_run("WAIT"));
  BOOST_TEST(client.read_bytes(2) == bolt::noop);  // it runs
  world.server->drain();
  BOOST_TEST(read_bolt(client).code() == "Neo.TransientError.Transaction.Terminated");
  BOOST_TEST(read_bolt(client).tag == -1);
  BOOST_TEST(read_bolt(idle).tag == -1);
  BOOST_TEST(world.wait() == 0);
}

BOOST_AUTO_TEST_CASE(text_frames_of_a_websocket_are_refused) {
  BoltWorld const world;
  RawClient client{world.port()};
  client.send("GET /bolt HTTP/1.1\r\nHost: " + client.host() +
              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  BOOST_TEST(client.read_answer(false).starts_with("HTTP/1.1 101"));
  client.say("hello");
  BOOST_TEST(client.read_close() == 1003);
}

BOOST_AUTO_TEST_CASE(frames_of_a_websocket_are_a_stream_of_bytes) {
  BoltWorld const world;
  RawClient client{world.port()};
  client.send("GET /bolt HTTP/1.1\r\nHost: " + client.host() +
              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  BOOST_TEST(client.read_answer(false).starts_with("HTTP/1.1 101"));
  std::string const all = bolt_handshake() + bolt_logon("x") + bolt_goodbye;
  for (auto const byte : all) client.send(RawClient::frame(0x82, {&byte, 1}));
  BOOST_TEST(client.read_frame().payload == std::string_view("\0\0\4\5", 4));
  BOOST_TEST(client.read_frame().opcode == 2);
  BOOST_TEST(client.read_frame().opcode == 2);
  BOOST_TEST(client.read_close() == 1000);
}

BOOST_AUTO_TEST_SUITE_END()
