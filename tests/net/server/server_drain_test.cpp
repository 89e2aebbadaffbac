// Stopping in order, and peers that do not read.

#include "net/state/service_state.hpp"
#include "tests/net/server/server_fixture.hpp"
#include "tests/support/wait_until.hpp"

#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>
#include <fcntl.h>

using namespace whence;
using namespace whence::test;

BOOST_AUTO_TEST_SUITE(server_drain)

namespace {

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Sends `frame` again and again until the server has taken nothing for a second. Returns how many were sent whole; the
/// rest of the last one is in `rest`.
std::size_t flood(RawClient const& client, std::string const& frame, std::string& rest) {
  ::fcntl(client.socket(), F_SETFL, O_NONBLOCK);
  std::size_t count = 0;
  std::string_view left = frame;
  for (pollfd room{.fd = client.socket(), .events = POLLOUT, .revents = 0}; ::poll(&room, 1, 1000) == 1;) {
    auto const sent = ::send(client.socket(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent <= 0) continue;
    left.remove_prefix(static_cast<std::size_t>(sent));
    if (!left.empty()) continue;
    left = frame;
    ++count;
  }
  ::fcntl(client.socket(), F_SETFL, 0);
  rest = left.size() == frame.size() ? "" : std::string{left};
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_idle_server_stops_at_once_with_going_away) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  world.server->drain();
  BOOST_TEST(client.read_close() == 1001);
  client.send(RawClient::frame(0x88, std::string{"\x03\xe9", 2}));
  BOOST_TEST(world.wait() == 0);
}

BOOST_AUTO_TEST_CASE(while_draining_readiness_is_reported_and_the_rest_refused) {
  net::ServerConfig config;
  config.drain_timeout = std::chrono::seconds{60};
  ServerWorld world{config};
  RawClient running{world.port()};
  running.upgrade();
  running.say(waiting_request(1, 60'000));
  running.say(info_request);
  BOOST_TEST(running.read_json().as_object().contains("result"));
  RawClient early{world.port()};
  early.request("GET /healthz HTTP/1.1\r\n");

  world.server->drain();
  RawClient late{world.port()};
  auto const ready = late.request("GET /readyz HTTP/1.1\r\n");
  BOOST_TEST(ready.starts_with("HTTP/1.1 503 "), ready);
  BOOST_TEST(ready.ends_with(R"({"ready":false,"reasons":["draining"]})"));
  RawClient upgrading{world.port()};
  BOOST_TEST(upgrading.upgrade().starts_with("HTTP/1.1 503 "));
  auto const call = early.request("POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " +
                                      std::to_string(info_request.size()) + "\r\n",
                                  info_request);
  BOOST_TEST(call.find("-32051") != std::string::npos, call);
  running.say(info_request);
  BOOST_TEST(running.read_json().at("error").at("code").as_int64() == -32051);

  running.say(R"({"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}})");
  BOOST_TEST(running.read_json().at("error").at("code").as_int64() == -32800);
  BOOST_TEST(running.read_close() == 1001);
  running.send(RawClient::frame(0x88, std::string{"\x03\xe9", 2}));
  BOOST_TEST(world.wait() == 0);
}

BOOST_AUTO_TEST_CASE(requests_that_outlast_the_drain_are_answered_busy) {
  net::ServerConfig config;
  config.drain_timeout = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient socket{world.port()};
  socket.upgrade();
  socket.say(waiting_request(1, 60'000));
  RawClient http{world.port()};
  auto const body = waiting_request(2, 60'000);
  http.send("POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nHost: " + http.host() +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  // Another connection says nothing of whether a thread has taken up these two: the alarms that they wait with do.
  auto const& alarms = *world.service->state().alarms;
  BOOST_TEST_REQUIRE(wait_until([&] { return alarms.count() == 2; }));
  world.server->drain();
  BOOST_TEST(socket.read_json().at("error").at("code").as_int64() == -32051);
  BOOST_TEST(socket.read_close() == 1001);
  auto const answer = http.read_answer();
  BOOST_TEST(answer.find("-32051") != std::string::npos, answer);
  BOOST_TEST(world.wait() == 0);
}

BOOST_AUTO_TEST_CASE(quitting_does_not_wait) {
  ServerWorld world;
  RawClient client{world.port()};
  client.upgrade();
  client.say(waiting_request(1, 60'000));
  client.say(info_request);
  client.read_json();
  world.server->quit();
  BOOST_TEST(world.wait() == 1);
}

// Claim: a peer that sends requests and never reads costs at most the bound of its queue, the answers of what it had in
// flight, and the kernel's buffers; nothing it sent is lost. Method: flood until the server takes no more, measure,
// then read everything and count.
BOOST_AUTO_TEST_CASE(a_peer_that_does_not_read_is_not_read_from) {
  net::ServerConfig config;
  config.send_queue_bytes_max = std::size_t{256} << 10;
  ServerWorld world{config};
  RawClient client{world.port(), 65536};
  client.upgrade();
  auto const before = resident_bytes();
  auto const frame = RawClient::frame(0x81, info_request);
  std::string rest;
  auto const sent = flood(client, frame, rest);
  BOOST_TEST(resident_bytes() < before + (std::size_t{64} << 20));
  std::jthread const finisher{[&] { client.try_send(rest); }};
  auto const expected = sent + (rest.empty() ? 0 : 1);
  std::size_t answered = 0;
  while (answered < expected && client.read_frame().opcode == 1) ++answered;
  BOOST_TEST(answered == expected);
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_read_is_cut_when_the_server_stops) {
  ServerWorld world;
  RawClient client{world.port(), 4096};
  client.upgrade();
  std::string rest;
  flood(client, RawClient::frame(0x81, info_request), rest);
  world.server->drain();
  BOOST_TEST(world.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
