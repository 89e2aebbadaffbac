// The WebSocket rules: handshakes, hostile frames, close codes, pings.

#include "tests/net/server/server_fixture.hpp"

#include <ostream>
#include <string>
#include <vector>

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
};

net::ServerConfig small_messages() {
  net::ServerConfig config;
  config.message_bytes_max = 65536;
  return config;
}

}  // namespace

BOOST_DATA_TEST_CASE(ends_with_the_code_of_the_offence, data::make(hostile_cases), one) {
  ServerWorld world{small_messages()};
  RawClient client{world.port()};
  BOOST_REQUIRE(client.upgrade().starts_with("HTTP/1.1 101 "));
  client.send(one.bytes);
  BOOST_TEST(client.read_close() == one.close_code);
}

BOOST_AUTO_TEST_CASE(the_subprotocol_is_named_only_where_it_was_offered) {
  ServerWorld world;
  RawClient offering{world.port()};
  auto const named = offering.upgrade("Sec-WebSocket-Protocol: other, whence.v1.json\r\n");
  BOOST_TEST(named.find("Sec-WebSocket-Protocol: whence.v1.json\r\n") != std::string::npos, named);
  RawClient silent{world.port()};
  BOOST_TEST(silent.upgrade().find("Sec-WebSocket-Protocol") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(compression_is_not_negotiated) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const answer = client.upgrade("Sec-WebSocket-Extensions: permessage-deflate\r\n");
  BOOST_TEST(answer.starts_with("HTTP/1.1 101 "));
  BOOST_TEST(answer.find("permessage-deflate") == std::string::npos);
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
