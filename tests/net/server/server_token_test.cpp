// Tokens and origins: the tables that decide, and the server that asks them.

#include "net/access/secret_file.hpp"
#include "net/serving/origin.hpp"
#include "net/serving/token.hpp"
#include "tests/net/server/server_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sys/stat.h>

namespace fs = std::filesystem;
namespace data = boost::unit_test::data;
using namespace whence;
using namespace whence::test;

BOOST_AUTO_TEST_SUITE(server_token)

namespace {

struct FileCase {
  char const* name;
  char const* content;
  std::size_t tokens;  ///< 0: refused
  char const* message_has;
};
std::ostream& operator<<(std::ostream& out, FileCase const& one) {
  return out << one.name;
}

/// Of the secret "abc".
constexpr char const* abc_line = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad role=read\n";

FileCase const file_cases[] = {
    {"one", abc_line, 1, ""},
    {"all_roles_and_noise",
     "# comment\n\n  sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad   role=write  \r\n"
     "user:ann role=read\ncertificate:ben role=admin",
     3, ""},
    {"empty", "", 0, "no token"},
    {"only_comments", "# user:ann role=read\n\n", 0, "no token"},
    {"unknown_role", "user:ann role=read\nuser:ben role=root\n", 0, ":2"},
    {"none_is_no_role", "user:ann role=none\n", 0, ":1"},
    {"a_secret_itself", "read abc\n", 0, ":1"},
};

struct BearerCase {
  char const* name;
  char const* value;
  char const* secret;  ///< empty: none
};
std::ostream& operator<<(std::ostream& out, BearerCase const& one) {
  return out << one.name;
}

BearerCase const bearer_cases[] = {
    {"plain", "Bearer abc", "abc"}, {"any_case", "bEARER abc", "abc"}, {"more_space", "Bearer   abc ", "abc"},
    {"basic", "Basic abc", ""},     {"nothing_after", "Bearer ", ""},  {"scheme_alone", "Bearer", ""},
};

struct AccessCase {
  char const* name;
  char const* head;
  int status;
};
std::ostream& operator<<(std::ostream& out, AccessCase const& one) {
  return out << one.name;
}

AccessCase const access_cases[] = {
    {"health_is_open", "GET /healthz HTTP/1.1\r\n", 200},
    {"ready_is_open", "GET /readyz HTTP/1.1\r\n", 200},
    {"metrics_without", "GET /metrics HTTP/1.1\r\n", 401},
    {"metrics_wrong", "GET /metrics HTTP/1.1\r\nAuthorization: Bearer secret-reax\r\n", 401},
    {"metrics_with", "GET /metrics HTTP/1.1\r\nAuthorization: Bearer secret-read\r\n", 200},
    {"token_in_the_url", "GET /metrics?token=secret-read HTTP/1.1\r\n", 401},
    {"blob_without_token", "GET /blob/00 HTTP/1.1\r\n", 401},
    {"blob_with_token", "GET /blob/00 HTTP/1.1\r\nAuthorization: Bearer secret-read\r\n", 404},
    {"unknown_path_without", "GET /nothing HTTP/1.1\r\n", 401},
    {"unknown_path_with", "GET /nothing HTTP/1.1\r\nAuthorization: Bearer secret-read\r\n", 404},
    {"call_without", "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 0\r\n", 401},
};

constexpr schema::Time noon{.seconds = 43'200};

net::Token token_of(net::Role role, std::string_view secret) {
  return {.role = role, .digest = net::digest_of(secret)};
}

net::ServerConfig with_tokens() {
  net::ServerConfig config;
  config.tokens = {token_of(net::Role::read, "secret-read"), token_of(net::Role::admin, "secret-admin")};
  config.hello_timeout = std::chrono::seconds{1};
  return config;
}

}  // namespace

BOOST_DATA_TEST_CASE(reads_token_files, data::make(file_cases), one) {
  TemporaryDirectory const directory;
  auto const path = (directory.path() / "tokens").string();
  std::ofstream{path} << one.content;
  fs::permissions(path, fs::perms::owner_read);
  auto const tokens = net::read_token_file(path);
  BOOST_REQUIRE(tokens.has_value() == (one.tokens > 0));
  if (tokens) {
    BOOST_TEST(tokens->size() == one.tokens);
    BOOST_TEST((net::digest_of(tokens->front()) == net::digest_of("abc")));
  } else {
    BOOST_TEST(tokens.error().code == Errc::invalid_params);
    BOOST_TEST(tokens.error().message.find(one.message_has) != std::string::npos, tokens.error().message);
  }
}

BOOST_AUTO_TEST_CASE(a_token_file_that_everybody_may_use_is_refused) {
  TemporaryDirectory const directory;
  auto const path = (directory.path() / "tokens").string();
  std::ofstream{path} << abc_line;
  for (auto const bit : {fs::perms::others_read, fs::perms::others_write, fs::perms::others_exec}) {
    fs::permissions(path, fs::perms::owner_all | bit);
    auto const refused = net::read_token_file(path);
    BOOST_REQUIRE(refused.has_error());
    BOOST_TEST(refused.error().code == Errc::invalid_params);
    auto const& message = refused.error().message;
    BOOST_TEST(message.find("chmod 600 " + path) != std::string::npos, message);
    BOOST_TEST(message.find("(mode 070") != std::string::npos, message);
  }
  BOOST_TEST(!net::find_group_access(path).has_value());
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_read);
  BOOST_TEST(net::read_token_file(path).has_value());
  BOOST_TEST(net::find_group_access(path).value().find("mode 0740") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pipe_may_bring_tokens) {
  TemporaryDirectory const directory;
  auto const path = (directory.path() / "pipe").string();
  BOOST_REQUIRE(::mkfifo(path.c_str(), 0666) == 0);
  BOOST_TEST(!net::is_rereadable(path));
  std::jthread const writer{[&] { std::ofstream{path} << abc_line; }};
  BOOST_TEST(net::read_token_file(path).value().size() == 1);
}

BOOST_AUTO_TEST_CASE(tables_know_what_changed) {
  using net::Role;
  std::vector<net::Token> const old_tokens{token_of(net::Role::read, "a"), token_of(net::Role::read, "a"),
                                           token_of(net::Role::write, "b"), token_of(net::Role::admin, "c")};
  std::vector<net::Token> const new_tokens{token_of(net::Role::read, "a"), token_of(net::Role::admin, "b"),
                                           token_of(net::Role::read, "d")};
  net::TokenTable const before{old_tokens};
  net::TokenTable const now{new_tokens};
  auto const changed = now.changes_since(before);
  BOOST_TEST(changed.added == 2);
  BOOST_TEST(changed.removed == 2);
  BOOST_TEST(changed.total == 3);
  BOOST_TEST(now.still_grants(before.find("a", noon), noon));
  BOOST_TEST(!now.still_grants(before.find("b", noon), noon));  // another role
  BOOST_TEST(!now.still_grants(before.find("c", noon), noon));
  BOOST_TEST(now.still_grants(net::Grant{.role = Role::admin}, noon));
}

BOOST_AUTO_TEST_CASE(an_absent_token_file_is_refused) {
  TemporaryDirectory const directory;
  BOOST_TEST(net::read_token_file((directory.path() / "none").string()).error().code == Errc::invalid_params);
}

BOOST_DATA_TEST_CASE(reads_bearer_headers, data::make(bearer_cases), one) {
  BOOST_TEST(net::parse_bearer(one.value).value_or("") == one.secret);
}

BOOST_AUTO_TEST_CASE(a_secret_listed_twice_has_its_highest_role) {
  std::vector<net::Token> const tokens{token_of(net::Role::admin, "abc"), token_of(net::Role::read, "abc")};
  net::TokenTable const table{tokens};
  BOOST_TEST(table.find("abc", noon).role == net::Role::admin);
  BOOST_TEST(table.find("ab", noon).role == net::Role::none);
  BOOST_TEST(table.find("", noon).role == net::Role::none);
}

BOOST_DATA_TEST_CASE(paths_need_a_token, data::make(access_cases), one) {
  ServerWorld world{with_tokens()};
  RawClient client{world.port()};
  auto const answer = client.request(one.head);
  BOOST_TEST(answer.starts_with("HTTP/1.1 " + std::to_string(one.status) + " "), answer);
}

BOOST_AUTO_TEST_CASE(the_role_of_the_token_holds_over_http) {
  ServerWorld world{with_tokens()};
  RawClient client{world.port()};
  constexpr std::string_view verify = R"({"jsonrpc":"2.0","id":1,"method":"admin.verify"})";
  auto const head = [&](std::string const& token) {
    return "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token +
           "\r\nContent-Length: " + std::to_string(verify.size()) + "\r\n";
  };
  BOOST_TEST(client.request(head("secret-read"), verify).find("-32011") != std::string::npos);
  BOOST_TEST(client.request(head("secret-admin"), verify).find("-32011") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_wrong_token_at_the_handshake_is_refused) {
  ServerWorld world{with_tokens()};
  RawClient client{world.port()};
  BOOST_TEST(client.upgrade("Authorization: Bearer wrong\r\n").starts_with("HTTP/1.1 401 "));
}

BOOST_AUTO_TEST_CASE(a_right_token_at_the_handshake_needs_no_hello) {
  ServerWorld world{with_tokens()};
  RawClient client{world.port()};
  BOOST_REQUIRE(client.upgrade("Authorization: Bearer secret-read\r\n").starts_with("HTTP/1.1 101 "));
  client.say(info_request);
  BOOST_TEST(client.read_json().as_object().contains("result"));
}

BOOST_AUTO_TEST_CASE(without_a_hello_nothing_is_answered_and_the_connection_ends) {
  ServerWorld world{with_tokens()};
  RawClient client{world.port()};
  client.upgrade();
  client.say(info_request);
  BOOST_TEST(client.read_json().at("error").at("code").as_int64() == -32010);
  BOOST_TEST(client.read_close() == 4408);
}

BOOST_AUTO_TEST_CASE(listening_beyond_loopback_needs_tokens) {
  ServiceWorld world;
  net::ServerConfig config;
  config.port = 0;
  config.host = "0.0.0.0";
  BOOST_TEST(net::Server::listen(*world.service, *world.engine, config).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_CASE(a_port_in_use_is_a_conflict) {
  ServerWorld world;
  net::ServerConfig config;
  config.port = world.port();
  BOOST_TEST(net::Server::listen(*world.service, *world.engine, config).error().code == Errc::conflict);
}

namespace {

struct OriginCase {
  char const* name;
  char const* host;
  char const* origin;  ///< empty: not asked
  bool is_accepted;
};
std::ostream& operator<<(std::ostream& out, OriginCase const& one) {
  return out << one.name;
}

OriginCase const origin_cases[] = {
    {"address", "127.0.0.1:7411", "http://127.0.0.1:7411", true},
    {"localhost", "localhost:7411", "http://localhost:7411", true},
    {"ipv6", "[::1]:7411", "http://[::1]:7411", true},
    {"tls_in_front", "127.0.0.1:7411", "https://127.0.0.1:7411", true},
    {"tls_in_front_without_port", "127.0.0.1:7411", "https://127.0.0.1", false},
    {"any_case", "LocalHost:7411", "HTTP://LOCALHOST:7411", true},
    {"host_of_another_port", "localhost:7412", "", false},
    {"host_without_port", "localhost", "", false},
    {"host_by_name", "rebound.example:7411", "", false},
    {"host_that_begins_like_own", "localhost:7411.evil.example", "", false},
    {"empty_host", "", "", false},
    {"allowed_host", "app.example", "", true},
    {"allowed_host_with_default_port", "app.example:443", "", true},
    {"allowed_host_of_another_port", "app.example:80", "", false},
    {"allowed", "localhost:7411", "https://app.example", true},
    {"allowed_with_default_port", "localhost:7411", "https://app.example:443", true},
    {"allowed_with_port", "localhost:7411", "http://dev.example:3000", true},
    {"other_scheme", "localhost:7411", "http://app.example", false},
    {"own_with_other_port", "localhost:7411", "http://localhost:3000", false},
    {"own_without_port", "localhost:7411", "http://localhost", false},
    {"null", "localhost:7411", "null", false},
    {"subdomain", "localhost:7411", "https://evil.app.example", false},
    {"suffix", "localhost:7411", "https://app.example.evil", false},
    {"with_path", "localhost:7411", "https://app.example/", false},
    {"with_user", "localhost:7411", "https://app.example@evil.example", false},
    {"no_scheme", "localhost:7411", "localhost:7411", false},
};

}  // namespace

BOOST_DATA_TEST_CASE(origins_and_hosts, data::make(origin_cases), one) {
  auto const policy = net::OriginPolicy::make({.is_tls = false, .host = "127.0.0.1", .port = 7411},
                                              {"https://app.example", "http://dev.example:3000"})
                          .value();
  net::OriginPolicy::Arrival const arrival{.address = "127.0.0.1", .is_loopback = true};
  std::string_view const origin{one.origin};
  BOOST_TEST((policy.accepts_host(one.host, arrival) && (origin.empty() || policy.accepts_origin(origin, arrival))) ==
             one.is_accepted);
}

BOOST_AUTO_TEST_CASE(loopback_names_are_own_on_loopback_only) {
  auto const policy = net::OriginPolicy::make({.is_tls = true, .host = "0.0.0.0", .port = 443}, {}).value();
  net::OriginPolicy::Arrival const outside{.address = "192.0.2.7", .is_loopback = false};
  BOOST_TEST(policy.accepts_host("192.0.2.7", outside));
  BOOST_TEST(policy.accepts_origin("https://192.0.2.7", outside));
  BOOST_TEST(policy.accepts_origin("http://192.0.2.7:443", outside));
  BOOST_TEST(!policy.accepts_origin("http://192.0.2.7", outside));
  BOOST_TEST(!policy.accepts_host("localhost", outside));
}

BOOST_AUTO_TEST_CASE(an_allowed_origin_has_no_path) {
  BOOST_TEST(net::OriginPolicy::make({}, {"https://app.example/x"}).error().code == Errc::invalid_params);
  BOOST_TEST(net::OriginPolicy::make({}, {"*"}).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_SUITE_END()
