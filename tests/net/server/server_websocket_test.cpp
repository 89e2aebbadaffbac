// The WebSocket rules: handshakes, hostile frames, close codes, pings.

#include "net/stream/deflate.hpp"
#include "tests/net/server/server_fixture.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;
using namespace whence::test;

BOOST_AUTO_TEST_SUITE(server_websocket)

namespace {

struct HostileCase {
  char const* name;
  std::string bytes;
  int close_code;
};
std::ostream& operator<<(std::ostream& out, HostileCase const& one) {
  return out << one.name;
}

std::string unmasked(std::string const& frame) {
  return std::string{frame[0], static_cast<char>(frame[1] & 0x7f)} + frame.substr(6);
}

std::vector<HostileCase> const hostile_cases = {
    {"binary", RawClient::frame(0x82, "{}"), 1003},
    {"unmasked", unmasked(RawClient::frame(0x81, "{}")), 1002},
    {"reserved_opcode", RawClient::frame(0x83, "{}"), 1002},
    {"reserved_control_opcode", RawClient::frame(0x8b, ""), 1002},
    {"reserved_bit", RawClient::frame(0xc1, "{}"), 1002},
    {"continuation_of_nothing", RawClient::frame(0x80, "{}"), 1002},
    {"new_message_inside_a_fragmented_one", RawClient::frame(0x01, "{") + RawClient::frame(0x81, "}"), 1002},
    {"fragmented_ping", RawClient::frame(0x09, "x"), 1002},
    {"long_ping", RawClient::frame(0x89, std::string(126, 'x')), 1002},
    {"bad_utf8", RawClient::frame(0x81, "\xc3\x28"), 1007},
    {"bad_utf8_in_a_fragment", RawClient::frame(0x01, "\"\xed\xa0") + RawClient::frame(0x80, "\x80\""), 1007},
    {"too_long", RawClient::frame(0x81, std::string(70'000, ' ')), 1009},
    {"too_long_in_fragments",
     RawClient::frame(0x01, std::string(60'000, ' ')) + RawClient::frame(0x80, std::string(60'000, ' ')), 1009},
    {"length_not_in_its_shortest_form", std::string{"\x81\xfe\x00\x02\x01\x02\x03\x04{}", 10}, 1002},
    {"announces_too_long", std::string{"\x81\xff\x00\x00\x00\x01\x00\x00\x00\x00\x01\x02\x03\x04", 14}, 1009},
    {"close", RawClient::frame(0x88, std::string{"\x03\xe8", 2}), 1000},
    {"close_of_one_byte", RawClient::frame(0x88, "\x03"), 1002},
    {"close_with_reserved_code", RawClient::frame(0x88, std::string{"\x03\xed", 2}), 1002},
    {"close_with_a_text_that_is_not_utf8", RawClient::frame(0x88, "\x03\xe9\xc3\x28"), 1002},
    {"close_with_a_long_text", RawClient::frame(0x88, "\x03\xe9" + std::string(123, 'x')), 1001},
};

/// Codes of close frames: those that may be sent are answered with the same (RFC 6455 5.5.1), others with 1002.
std::vector<int> const sent_codes = {1000, 1001, 1002, 1003, 1007, 1011, 1012,
                                     1013, 1014, 3000, 3999, 4000, 4999, 5000};
std::vector<int> const unsent_codes = {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999};

std::string close_frame(int code) {
  return RawClient::frame(0x88, std::string{static_cast<char>(code >> 8), static_cast<char>(code)});
}

constexpr char const* discover_request = R"({"jsonrpc":"2.0","id":1,"method":"rpc.discover"})";
constexpr char const* unknown_method_request = R"({"jsonrpc":"2.0","id":1,"method":"no.such"})";

/// The message of a compressed frame (RFC 7692 7.2.2).
std::string inflated(std::string payload) {
  namespace zlib = boost::beast::zlib;
  payload += std::string{"\x00\x00\xff\xff", 4};
  std::string message(std::size_t{1} << 20, '\0');
  zlib::z_params state;
  state.next_in = payload.data();
  state.avail_in = payload.size();
  state.next_out = message.data();
  state.avail_out = message.size();
  zlib::inflate_stream stream;
  boost::system::error_code ec;
  stream.write(state, zlib::Flush::sync, ec);
  BOOST_TEST(state.avail_in == 0U);
  message.resize(state.total_out);
  return message;
}

net::ServerConfig small_socket_messages() {
  net::ServerConfig config;
  config.message_bytes_max = 65536;
  return config;
}

}  // namespace

BOOST_DATA_TEST_CASE(ends_with_the_code_of_the_offence, data::make(hostile_cases), one) {
  ServerWorld world{small_socket_messages()};
  RawClient client{world.port()};
  BOOST_REQUIRE(client.upgrade().starts_with("HTTP/1.1 101 "));
  client.send(one.bytes);
  BOOST_TEST(client.read_close() == one.close_code);
}

BOOST_DATA_TEST_CASE(a_close_frame_is_answered_with_its_code, data::make(sent_codes), code) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  client.send(close_frame(code));
  BOOST_TEST(client.read_close() == code);
}

BOOST_DATA_TEST_CASE(a_close_code_that_nobody_sends_is_a_broken_frame, data::make(unsent_codes), code) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  client.send(close_frame(code));
  BOOST_TEST(client.read_close() == 1002);
}

BOOST_AUTO_TEST_CASE(the_subprotocol_is_named_only_where_it_was_offered) {
  ServerWorld world;
  RawClient offering{world.port()};
  auto const named = offering.upgrade("Sec-WebSocket-Protocol: other, whence.v1.json\r\n");
  BOOST_TEST(named.find("Sec-WebSocket-Protocol: whence.v1.json\r\n") != std::string::npos, named);
  RawClient silent{world.port()};
  BOOST_TEST(silent.upgrade().find("Sec-WebSocket-Protocol") == std::string::npos);
}

BOOST_DATA_TEST_CASE(answers_are_compressed_for_who_asks,
                     data::make({"permessage-deflate", "permessage-deflate; server_max_window_bits=9",
                                 "permessage-deflate; client_max_window_bits; server_no_context_takeover",
                                 "x-webkit-deflate-frame, permessage-deflate; client_no_context_takeover"}),
                     offer) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const answer = client.upgrade("Sec-WebSocket-Extensions: " + std::string{offer} + "\r\n");
  BOOST_TEST(answer.find("permessage-deflate; ") != std::string::npos, answer);
  BOOST_TEST(answer.find("server_no_context_takeover") != std::string::npos, answer);
  for (int i = 0; i < 2; ++i) {  // the second does not refer to the first
    client.say(discover_request);
    auto const large = client.read_frame();
    BOOST_TEST(large.is_compressed);
    BOOST_TEST(boost::json::parse(inflated(large.payload)).at("result").as_object().contains("openrpc"));
  }
  client.say(unknown_method_request);
  auto const tiny = client.read_frame();
  BOOST_TEST(!tiny.is_compressed);
  std::string request;
  BOOST_REQUIRE(net::deflate_message(std::string{info_request} + std::string(2000, ' '), 12, request));
  client.send(RawClient::frame(0xc1, request));
  auto const info = client.read_frame();
  BOOST_TEST(boost::json::parse(info.is_compressed ? inflated(info.payload) : info.payload).at("id").as_int64() == 1);
}

BOOST_DATA_TEST_CASE(compression_is_not_forced,
                     data::make({"", "Sec-WebSocket-Extensions: x-webkit-deflate-frame\r\n",
                                 "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=7\r\n",
                                 "Sec-WebSocket-Extensions: permessage-deflate; unknown=1\r\n"}),
                     offer) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const answer = client.upgrade(offer);
  BOOST_TEST(answer.starts_with("HTTP/1.1 101 "));
  BOOST_TEST(answer.find("permessage-deflate") == std::string::npos, answer);
  client.say(discover_request);
  BOOST_TEST(!client.read_frame().is_compressed);
}

BOOST_AUTO_TEST_CASE(a_message_that_grows_beyond_the_limit_when_inflated_is_refused) {
  ServerWorld world{small_socket_messages()};
  RawClient client{world.port()};
  client.upgrade("Sec-WebSocket-Extensions: permessage-deflate\r\n");
  std::string bomb;
  BOOST_REQUIRE(net::deflate_message(std::string(std::size_t{1} << 20, ' '), 15, bomb));
  BOOST_TEST(bomb.size() < 8192U);
  client.send(RawClient::frame(0xc1, bomb));
  BOOST_TEST(client.read_close() == 1009);
  RawClient other{world.port()};
  other.upgrade("Sec-WebSocket-Extensions: permessage-deflate\r\n");
  other.send(RawClient::frame(0xc1, std::string(100, '\xff')));
  BOOST_TEST(other.read_close() == 0);  // Beast ends the connection
}

BOOST_AUTO_TEST_CASE(a_message_that_trickles_in_is_cut_off) {
  net::ServerConfig config;
  config.body_timeout = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient client{world.port()};
  client.upgrade();
  std::jthread const sender{[&] {  // a byte now and then, and a ping between fragments: alive, and never complete
    client.try_send(RawClient::frame(0x01, "{"));
    while (client.try_send(RawClient::frame(0x00, " ") + RawClient::frame(0x89, ""))) {
      ::poll(nullptr, 0, 100);
    }
  }};
  BOOST_TEST(client.read_close() == 1008);
}

BOOST_AUTO_TEST_CASE(a_message_before_a_valid_token_is_small) {
  net::ServerConfig config;
  config.tokens = {{.role = net::Role::admin, .digest = net::digest_of("secret")}};
  ServerWorld world{config};
  std::string const padding(70'000, ' ');
  RawClient stranger{world.port()};
  stranger.upgrade();
  stranger.say(padding);
  BOOST_TEST(stranger.read_close() == 1009);
  RawClient known{world.port()};
  known.upgrade("Authorization: Bearer secret\r\n");
  known.say(std::string{info_request} + padding);
  BOOST_TEST(known.read_json().at("id").as_int64() == 1);
  RawClient greeting{world.port()};
  greeting.upgrade();
  greeting.say(R"({"jsonrpc":"2.0","id":2,"method":"session.hello","params":{"versions":[1],"token":"secret"}})");
  BOOST_TEST(greeting.read_json().at("id").as_int64() == 2);
  greeting.say(std::string{info_request} + padding);
  BOOST_TEST(greeting.read_json().at("id").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(a_message_may_come_in_fragments_with_pings_between) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  auto const half = info_request.size() / 2;
  client.send(RawClient::frame(0x01, info_request.substr(0, half)) + RawClient::frame(0x89, "hi") +
              RawClient::frame(0x00, "") + RawClient::frame(0x80, info_request.substr(half)));
  auto const pong = client.read_frame();
  BOOST_TEST(pong.opcode == 10);
  BOOST_TEST(pong.payload == "hi");
  BOOST_TEST(client.read_json().at("id").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(a_frame_may_come_byte_by_byte) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  for (char const byte : RawClient::frame(0x81, info_request)) client.send({&byte, 1});
  BOOST_TEST(client.read_json().at("id").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(frames_sent_with_the_handshake_are_not_lost) {
  ServerWorld world;
  RawClient client{world.port()};
  client.send("GET /ws HTTP/1.1\r\nHost: " + client.host() +
              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
              RawClient::frame(0x81, info_request));
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 101 "));
  BOOST_TEST(client.read_json().at("id").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(pipelined_requests_are_all_answered) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  constexpr int count = 2000;
  std::string burst;
  for (int i = 0; i < count; ++i) burst += RawClient::frame(0x81, info_request);
  std::jthread const sender{[&] { client.try_send(burst); }};
  int results = 0;
  for (int i = 0; i < count; ++i) results += client.read_json().as_object().contains("result") ? 1 : 0;
  BOOST_TEST(results == count);
}

BOOST_AUTO_TEST_CASE(a_silent_peer_is_pinged_and_given_up_after_two_missed) {
  net::ServerConfig config;
  config.ping_idle = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient client{world.port()};
  client.upgrade();
  BOOST_TEST(client.read_frame().opcode == 9);
  BOOST_TEST(client.read_frame().opcode == 9);
  BOOST_TEST(client.read_frame().opcode == -1);
}

BOOST_AUTO_TEST_CASE(a_peer_that_answers_pings_stays) {
  net::ServerConfig config;
  config.ping_idle = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient client{world.port()};
  client.upgrade();
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(client.read_frame().opcode == 9);
    client.send(RawClient::frame(0x8a, ""));
  }
  client.say(info_request);
  BOOST_TEST(client.read_json().at("id").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(a_peer_that_vanishes_leaves_nothing_behind) {
  ServerWorld world;
  {
    RawClient client{world.port()};
    client.upgrade();
    client.say(waiting_request(1, 60'000));
  }
  world.server->drain();
  BOOST_TEST(world.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
