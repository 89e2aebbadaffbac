// The HTTP rules, by bytes over loopback.

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

BOOST_AUTO_TEST_SUITE(server_http)

namespace {

struct HttpCase {
  char const* name;
  std::string head;  ///< without Host
  std::string body;
  int status;
  char const* contains;
};
std::ostream& operator<<(std::ostream& out, HttpCase const& one) {
  return out << one.name;
}

std::string post(std::string_view body, std::string_view type = "application/json") {
  return "POST /rpc HTTP/1.1\r\nContent-Type: " + std::string{type} +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
}
constexpr char const* notification = R"({"jsonrpc":"2.0","method":"server.info"})";
constexpr char const* refused_notification = R"({"jsonrpc":"2.0","method":"records.write","params":{}})";
constexpr char const* unknown_method = R"({"jsonrpc":"2.0","id":7,"method":"no.such"})";
constexpr char const* handshake = "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
constexpr char const* key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

std::vector<HttpCase> const http_cases = {
    {"health", "GET /healthz HTTP/1.1\r\n", "", 200, R"({"status":"ok"})"},
    {"health_with_query", "GET /healthz?a=b HTTP/1.1\r\n", "", 200, R"({"status":"ok"})"},
    {"ready_says_the_transaction", "GET /readyz HTTP/1.1\r\n", "", 200, R"({"ready":true,"tx":0})"},
    {"metrics_type", "GET /metrics HTTP/1.1\r\n", "", 200, "Content-Type: text/plain; version=0.0.4\r\n"},
    {"metrics_graph", "GET /metrics HTTP/1.1\r\n", "", 200, "whence_nodes{type=\"ContextUnit\"} 0\n"},
    {"metrics_edges", "GET /metrics HTTP/1.1\r\n", "", 200, "whence_edges{type=\"USED_IN\"} 0\n"},
    {"metrics_commits", "GET /metrics HTTP/1.1\r\n", "", 200, "whence_commit_seconds_bucket{le=\"+Inf\"}"},
    {"metrics_connections", "GET /metrics HTTP/1.1\r\n", "", 200, "whence_connections 1\n"},
    {"openrpc", "GET /openrpc.json HTTP/1.1\r\n", "", 200, "\"openrpc\":\"1.3"},
    {"call", post(info_request), std::string{info_request}, 200, R"("result":)"},
    {"call_with_charset", post(info_request, "application/json; charset=utf-8"), std::string{info_request}, 200,
     R"("result":)"},
    {"call_that_fails_is_200", post(unknown_method), unknown_method, 200, "-32601"},
    {"broken_json_is_200", post("{"), "{", 200, "-32700"},
    {"notification_has_no_answer", post(notification), notification, 204, "HTTP/1.1 204 No Content\r\n"},
    {"notification_that_is_refused", post(refused_notification), std::string{refused_notification}, 400,
     R"({"error":"invalid_params: )"},
    {"form_is_no_json", post("{}", "application/x-www-form-urlencoded"), "{}", 415, R"({"error":)"},
    {"no_type_is_no_json", "POST /rpc HTTP/1.1\r\nContent-Length: 2\r\n", "{}", 415, R"({"error":)"},
    {"announced_too_long", "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n", "", 413,
     R"({"error":)"},
    {"chunked_too_long", "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
     "11171\r\n" + std::string(70001, ' ') + "\r\n0\r\n\r\n", 413, R"({"error":)"},
    {"announced_compressed", post("{}") + "Content-Encoding: gzip\r\n", "{}", 415, "Accept-Encoding: identity\r\n"},
    {"announced_as_it_is", post(info_request) + "Content-Encoding: identity\r\n", std::string{info_request}, 200,
     R"("result":)"},
    {"chunked", "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n",
     "1;x=y\r\n{\r\n0\r\nTrailer: z\r\n\r\n", 200, "-32700"},
    {"absolute_form", "GET http://localhost:PORT/healthz?a=b HTTP/1.1\r\n", "", 200, R"({"status":"ok"})"},
    {"absolute_form_without_path", "GET HTTP://localhost:PORT HTTP/1.1\r\n", "", 200, "text/html"},
    {"absolute_form_of_another_host", "GET http://evil.example/healthz HTTP/1.1\r\n", "", 403, R"({"error":)"},
    {"absolute_form_of_no_host", "GET http://a@b/healthz HTTP/1.1\r\n", "", 400, R"({"error":)"},
    {"date", "GET /healthz HTTP/1.1\r\n", "", 200, " GMT\r\n"},
    {"method_in_small_letters", "get /healthz HTTP/1.1\r\n", "", 405, "Allow: GET, HEAD\r\n"},
    {"empty_line_in_front", "\r\nGET /healthz HTTP/1.1\r\n", "", 200, R"({"status":"ok"})"},
    {"two_empty_lines_in_front", "\r\n\r\nGET /healthz HTTP/1.1\r\n", "", 400, R"({"error":)"},
    {"line_feed_alone_in_the_header", "GET /healthz HTTP/1.1\nX: y\r\n", "", 400, R"({"error":)"},
    {"line_feed_alone_in_chunks",
     "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n", "1\n{\n0\n\n", 400,
     R"({"error":)"},
    {"line_feed_alone_after_a_chunk",
     "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n", "1\r\n{\r\n0\n", 400,
     R"({"error":)"},
    {"unknown_path", "GET /nothing HTTP/1.1\r\n", "", 404, R"({"error":)"},
    {"get_of_rpc", "GET /rpc HTTP/1.1\r\n", "", 405, "Allow: POST\r\n"},
    {"delete_of_health", "DELETE /healthz HTTP/1.1\r\n", "", 405, "Allow: GET, HEAD\r\n"},
    {"options_without_origin", "OPTIONS /rpc HTTP/1.1\r\n", "", 405, "Allow: POST\r\n"},
    {"ws_without_upgrade", "GET /ws HTTP/1.1\r\n", "", 426, "Upgrade: websocket\r\n"},
    {"head_of_ws", "HEAD /ws HTTP/1.1\r\n", "", 426, "Upgrade: websocket\r\n"},
    {"ws_of_another_version", std::string{handshake} + key + "Sec-WebSocket-Version: 8\r\n", "", 426,
     "Sec-WebSocket-Version: 13\r\n"},
    {"ws_without_key", std::string{handshake} + "Sec-WebSocket-Version: 13\r\n", "", 400, R"({"error":)"},
    {"ws_with_short_key", std::string{handshake} + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YQ==\r\n", "", 400,
     R"({"error":)"},
    {"ws_with_unknown_protocol",
     std::string{handshake} + key + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat, graphql\r\n", "", 400,
     "whence.v1.json"},
    {"ws_with_protocol_in_capitals",
     std::string{handshake} + key + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: WHENCE.V1.JSON\r\n", "", 400,
     "whence.v1.json"},
    {"no_http", "NONSENSE\r\n", "", 400, R"({"error":)"},
    {"large_header", "GET /healthz HTTP/1.1\r\nX: " + std::string(20000, 'x') + "\r\n", "", 431, R"({"error":)"},
    {"second_host", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "", 400, R"({"error":)"},
    {"foreign_origin", "GET /healthz HTTP/1.1\r\nOrigin: http://evil.example\r\n", "", 403, R"({"error":)"},
    {"null_origin", "GET /healthz HTTP/1.1\r\nOrigin: null\r\n", "", 403, R"({"error":)"},
    {"foreign_origin_upgrade",
     std::string{handshake} + key + "Sec-WebSocket-Version: 13\r\nOrigin: http://evil.example\r\n", "", 403,
     R"({"error":)"},
    {"allowed_origin", "GET /healthz HTTP/1.1\r\nOrigin: https://app.example\r\n", "", 200,
     "Access-Control-Allow-Origin: https://app.example\r\n"},
    {"preflight", "OPTIONS /rpc HTTP/1.1\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n", "",
     204, "Access-Control-Allow-Methods: POST\r\n"},
    {"foreign_preflight",
     "OPTIONS /rpc HTTP/1.1\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n", "", 403,
     R"({"error":)"},
};

net::ServerConfig small_messages() {
  net::ServerConfig config;
  config.message_bytes_max = 65536;
  config.allowed_origins = {"https://app.example"};
  return config;
}

}  // namespace

BOOST_DATA_TEST_CASE(answers_each_row_of_the_table, data::make(http_cases), one) {
  ServerWorld world{small_messages()};
  RawClient client{world.port()};
  auto head = one.head;
  if (auto const port = head.find("PORT"); port != std::string::npos) {
    head.replace(port, 4, std::to_string(world.port()));
  }
  auto const answer = client.request(head, one.body);
  BOOST_TEST(answer.starts_with("HTTP/1.1 " + std::to_string(one.status) + " "), answer);
  BOOST_TEST(answer.find(one.contains) != std::string::npos, answer);
  BOOST_TEST(answer.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos, answer);
}

BOOST_AUTO_TEST_CASE(head_is_get_without_the_body) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const head = client.request("HEAD /healthz HTTP/1.1\r\n");
  BOOST_TEST(head.starts_with("HTTP/1.1 200 "));
  BOOST_TEST(head.find("Content-Length: 15\r\n") != std::string::npos, head);
  BOOST_TEST(client.request("GET /healthz HTTP/1.1\r\n").ends_with(R"({"status":"ok"})"));
}

BOOST_AUTO_TEST_CASE(requests_in_one_piece_are_answered_in_order) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const head = [&](std::string const& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: " + client.host() + "\r\n\r\n";
  };
  client.send(head("/healthz") + head("/nothing") + head("/readyz"));
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 200 "));
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 404 "));
  BOOST_TEST(client.read_answer().find("\"ready\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_client_that_waits_for_100_continue_gets_it) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const first = client.request(post(info_request) + "Expect: 100-continue\r\n");
  BOOST_TEST(first == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(info_request);
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 200 "));
}

BOOST_AUTO_TEST_CASE(foreign_host_names_are_refused) {
  ServerWorld world;
  RawClient client{world.port()};
  client.send("GET /healthz HTTP/1.1\r\nHost: rebound.example:" + std::to_string(world.port()) + "\r\n\r\n");
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 403 "));
}

BOOST_AUTO_TEST_CASE(a_request_without_host_is_refused) {
  ServerWorld world;
  RawClient client{world.port()};
  client.send("GET /healthz HTTP/1.1\r\n\r\n");
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 400 "));
}

BOOST_AUTO_TEST_CASE(a_head_that_trickles_in_is_cut_off) {
  net::ServerConfig config;
  config.header_timeout = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient client{world.port()};
  client.send("GET /healthz HTTP/1.1\r\nX-Slow: ");
  BOOST_TEST(client.read_all().starts_with("HTTP/1.1 408 "));
}

BOOST_AUTO_TEST_CASE(a_connection_without_a_request_is_closed_without_a_word) {
  net::ServerConfig config;
  config.header_timeout = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient client{world.port()};
  BOOST_TEST(client.read_all() == "");
}

// What follows the header would otherwise run as the next request.
BOOST_DATA_TEST_CASE(a_transfer_coding_that_is_not_chunked_ends_the_connection,
                     data::make({"xchunked", "gzip", "identity", "\"chunked\"", "gzip, chunked", "chunked, identity",
                                 "chunked\r\nTransfer-Encoding: chunked", "chunked;x=y", ""}),
                     coding) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const smuggled = "GET /healthz HTTP/1.1\r\nHost: " + client.host() + "\r\n\r\n";
  for (std::string const path : {"POST /rpc", "GET /readyz"}) {
    RawClient one{world.port()};
    auto request = path + " HTTP/1.1\r\nContent-Type: application/json\r\nHost: " + one.host();
    one.send(request.append("\r\nTransfer-Encoding: ").append(coding).append("\r\n\r\n").append(smuggled));
    auto const answers = one.read_all();
    BOOST_TEST(answers.starts_with("HTTP/1.1 400 "), answers);
    BOOST_TEST(answers.find(R"("status":"ok")") == std::string::npos, answers);
  }
}

BOOST_DATA_TEST_CASE(a_host_of_bad_syntax_is_a_bad_request,
                     data::make({"a b", "a/b", "user@localhost", "localhost:x", "localhost:80:80", "[::1", "[x]",
                                 "a\tb", "[::1]x", "\"localhost\""}),
                     host) {
  ServerWorld world;
  RawClient client{world.port()};
  client.send(std::string{"GET /healthz HTTP/1.1\r\nHost: "} + host + "\r\n\r\n");
  BOOST_TEST(client.read_answer().starts_with("HTTP/1.1 400 "));
}

BOOST_AUTO_TEST_CASE(a_body_that_never_comes_is_cut_off) {
  net::ServerConfig config;
  config.body_timeout = std::chrono::seconds{1};
  ServerWorld world{config};
  RawClient client{world.port()};
  client.send("POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\nHost: " + client.host() +
              "\r\n\r\n{");
  BOOST_TEST(client.read_all().starts_with("HTTP/1.1 408 "));
}

BOOST_AUTO_TEST_CASE(an_old_client_gets_its_answer_and_the_end) {
  ServerWorld world;
  RawClient client{world.port()};
  client.send("GET /healthz HTTP/1.0\r\n\r\n");
  BOOST_TEST(client.read_all().ends_with(R"({"status":"ok"})"));
}

BOOST_AUTO_TEST_CASE(those_who_watch_have_connections_of_their_own) {
  net::ServerConfig config{.connections_max = 1};
  config.metrics.emplace().port = 0;
  ServerWorld const world{config};
  auto const address = world.server->metrics_address();
  auto const port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  RawClient first{world.port()};
  BOOST_TEST(first.request("GET /healthz HTTP/1.1\r\n").starts_with("HTTP/1.1 200 "));
  RawClient watching{port};
  BOOST_TEST(watching.request("GET /metrics HTTP/1.1\r\n").starts_with("HTTP/1.1 200 "));
  RawClient another{port};
  BOOST_TEST(another.request("GET /readyz HTTP/1.1\r\n").starts_with("HTTP/1.1 200 "));
  RawClient second{world.port()};
  BOOST_TEST(second.read_all().empty(), "there are too many");
}

BOOST_AUTO_TEST_CASE(mcp_refuses_what_is_said_twice_and_numbers_that_nothing_holds) {
  ServerWorld const world;
  auto const asked = [&](std::string const& body) {
    RawClient client{world.port()};
    return client.request("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n",
                          body);
  };
  std::string const call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":)";
  auto const twice = asked(call + R"({"ref":"a","ref":"b"}}})");
  BOOST_TEST(twice.find("-32600") != std::string::npos, twice);
  BOOST_TEST(twice.find("/params/arguments/ref: is named twice") != std::string::npos, twice);
  auto const inexact = asked(call + R"({"ref":123456789012345678901}}})");
  BOOST_TEST(inexact.find("/params/arguments/ref: is an integer beyond 64 bits") != std::string::npos, inexact);
  auto const batch = asked(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}])");
  BOOST_TEST(batch.find(R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}])") !=
                 std::string::npos,
             batch);
}

BOOST_AUTO_TEST_SUITE_END()
