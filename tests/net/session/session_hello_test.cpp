#include "tests/net/session/session_fixture.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using net::Role;

net::SessionConfig with_tokens(Role at_handshake) {
  return {.grant = {.role = at_handshake}, .find_grant = [](std::string_view secret) {
            if (secret == "reader") return net::Grant{.role = Role::read};
            return net::Grant{.role = secret == "writer" ? Role::write : Role::none};
          }};
}

BOOST_FIXTURE_TEST_CASE(hello_names_the_server_and_its_limits, SessionFixture) {
  put({unit("cu_a")});
  json::value const hello = result("session.hello", R"({"client":"test","versions":[2,1]})");
  BOOST_TEST(hello.at("server").as_string() == "whence");
  BOOST_TEST(hello.at("protocol").as_int64() == 1);
  BOOST_TEST(hello.at("tx").as_int64() == 1);
  BOOST_TEST(!hello.at("epoch").as_string().empty());
  for (char const* const limit : {"message_bytes", "inflight", "subscriptions", "page"}) {
    BOOST_TEST(hello.at("limits").at(limit).as_int64() > 0);
  }
  BOOST_TEST(hello.at("capabilities").is_array());
}

BOOST_FIXTURE_TEST_CASE(a_second_hello_is_an_error, SessionFixture) {
  result("session.hello");
  BOOST_TEST(error_code("session.hello") == -32600);
}

BOOST_FIXTURE_TEST_CASE(a_hello_without_version_1_names_the_supported_ones, SessionFixture) {
  json::value const error = call("session.hello", R"({"versions":[2]})").at("error");
  BOOST_TEST(error.at("code").as_int64() == -32602);
  BOOST_TEST(error.at("data").at("path").as_string() == "/versions");
  BOOST_TEST(std::string(error.at("message").as_string()).find("[1]") != std::string::npos);
  result("session.hello", R"({"versions":[1]})");
}

BOOST_FIXTURE_TEST_CASE(a_hello_that_names_a_param_twice_is_refused, ServiceWorld) {
  Connection c(*this, with_tokens(Role::none));
  json::value const error = c.call("session.hello", R"({"token":"reader","token":"writer"})").at("error");
  BOOST_TEST(error.at("data").at("rule").as_string() == "duplicate_member");
  BOOST_TEST(error.at("data").at("path").as_string() == "/token");
  BOOST_TEST(c.session->awaits_hello());
}

BOOST_FIXTURE_TEST_CASE(a_required_token_comes_before_everything, ServiceWorld) {
  Connection c(*this, with_tokens(Role::none));
  BOOST_TEST(c.session->awaits_hello());
  BOOST_TEST(c.error_code("server.info") == -32010);
  BOOST_TEST(c.error_code("no.such") == -32010);
  BOOST_TEST(c.error_code("session.hello") == -32010);
  BOOST_TEST(c.error_code("session.hello", R"({"token":"wrong"})") == -32010);
  BOOST_TEST(c.session->awaits_hello());
  c.result("session.hello", R"({"token":"reader"})");
  BOOST_TEST(!c.session->awaits_hello());
  c.result("server.info");
  BOOST_TEST(c.error_code("records.write", R"({"records":[{}]})") == -32011);
}

BOOST_FIXTURE_TEST_CASE(a_token_at_the_handshake_needs_no_hello, ServiceWorld) {
  Connection c(*this, with_tokens(Role::write));
  BOOST_TEST(!c.session->awaits_hello());
  c.result("server.info");
}

struct Allowed {
  Role role;
  char const* method;
  bool is_allowed;
};
std::ostream& operator<<(std::ostream& out, Allowed const& row) {
  return out << row.role << " " << row.method;
}

Allowed const permissions[] = {
    {Role::read, "node.get", true},        {Role::read, "rpc.discover", true},    {Role::read, "records.write", false},
    {Role::read, "admin.verify", false},   {Role::write, "records.write", true},  {Role::write, "admin.backup", false},
    {Role::read, "records.delete", false}, {Role::write, "records.delete", true}, {Role::read, "xml.validate", true},
    {Role::read, "trace", true},           {Role::write, "server.info", true},    {Role::admin, "admin.backup", true},
    {Role::admin, "records.write", true},
};

BOOST_DATA_TEST_CASE(each_role_includes_the_lower_ones, boost::unit_test::data::make(permissions), row) {
  ServiceWorld world;
  Connection c(world, {.grant = {.role = row.role}});
  json::value const answer = c.call(row.method, R"({"nothing":1})");
  bool const is_forbidden = answer.as_object().contains("error") && answer.at("error").at("code").as_int64() == -32011;
  BOOST_TEST(is_forbidden == !row.is_allowed);
}

BOOST_FIXTURE_TEST_CASE(draining_answers_busy_to_new_requests_and_aborting_to_running_ones, SessionFixture) {
  int const running = ask("node.get", R"({"ref":"cu_a","min_tx":1})");
  session->drain();
  BOOST_TEST(error_code("server.info") == -32051);
  BOOST_TEST(!session->is_idle());
  session->abort_running();
  BOOST_TEST(answer(running).at("error").at("code").as_int64() == -32051);
  BOOST_TEST(session->is_idle());
}

}  // namespace
}  // namespace whence::test
