// Lines of token files: what they say, what is refused, and that nothing of a secret is repeated.

#include "net/access/token.hpp"
#include "schema/base/digest.hpp"

#include <ostream>
#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;

BOOST_AUTO_TEST_SUITE(token_line)

namespace {

std::string hashed(std::string const& rest) {
  return "sha256:" + schema::to_hex(schema::sha256(std::string_view{"s3cret"})) + " " + rest;
}

struct BrokenCase {
  char const* name;
  std::string line;
  char const* message_has;
};
std::ostream& operator<<(std::ostream& out, BrokenCase const& one) {
  return out << one.name;
}

BrokenCase const broken_cases[] = {
    {"no_role", hashed("name=a"), "role= is missing"},
    {"unknown_role", hashed("role=root"), "role:"},
    {"none_is_no_role", hashed("role=none"), "role:"},
    {"short_digest", "sha256:abcd role=read", "64 lower-case hex digits"},
    {"upper_case_digest", "sha256:" + std::string(64, 'A') + " role=read", "64 lower-case hex digits"},
    {"unknown_member", hashed("role=read colour=red"), "expected role="},
    {"member_without_value", hashed("role=read name"), "expected role="},
    {"twice", hashed("role=read role=admin"), "role= is there twice"},
    {"bad_name", hashed("role=read name=-a"), "name:"},
    {"long_name", hashed("role=read name=" + std::string(65, 'a')), "name:"},
    {"bad_namespace", hashed("role=read namespace=Shop"), "namespace:"},
    {"empty_namespace", hashed("role=read namespace="), "namespace:"},
    {"unknown_method", hashed("role=read methods=nod.get"), "no method is called `nod.get`"},
    {"empty_method", hashed("role=read methods=query,"), "no method is called ``"},
    {"bad_time", hashed("role=read expires=tomorrow"), "a time is written like"},
    {"bad_escape", "user:a%2 role=read", "blanks written %20"},
    {"control_character", "certificate:a%0Ab role=read", "blanks written %20"},
    {"empty_subject", "user: role=read", "blanks written %20"},
    {"unknown_kind", "md5:s3cret role=read", "expected sha256:"},
    {"a_secret_itself", "read s3cret", "expected sha256:"},
};

}  // namespace

BOOST_DATA_TEST_CASE(refuses_what_is_no_line, data::make(broken_cases), one) {
  auto const refused = net::parse_token_line(one.line);
  BOOST_REQUIRE(refused.has_error());
  BOOST_TEST(refused.error().code == Errc::invalid_params);
  auto const& message = refused.error().message;
  BOOST_TEST(message.find(one.message_has) != std::string::npos, message);
  BOOST_TEST(message.find("s3cret") == std::string::npos, message);
  BOOST_TEST(message.find(schema::to_hex(schema::sha256(std::string_view{"s3cret"}))) == std::string::npos, message);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  auto const full = hashed(
      "name=ci@shop role=write namespace=shop,/ methods=node.*,query created=2026-01-01T00:00:00Z "
      "expires=2027-01-01T00:00:00Z revoked=2026-06-01T00:00:00Z");
  auto const token = net::parse_token_line(full).value();
  BOOST_TEST(token.name == "ci@shop");
  BOOST_TEST(token.role == net::Role::write);
  BOOST_TEST(token.namespaces.size() == 2U);
  BOOST_TEST(net::digest_of(token).bytes == net::digest_of("s3cret").bytes, boost::test_tools::per_element());
  BOOST_TEST(net::holds_in(token, "shop"));
  BOOST_TEST(net::holds_in(token, ""));
  BOOST_TEST(!net::holds_in(token, "lab"));
  BOOST_TEST(net::token_line(token) == full);
}

BOOST_AUTO_TEST_CASE(names_of_people_and_certificates_may_have_blanks) {
  auto const token = net::parse_token_line("certificate:Ann%20B%25c role=admin").value();
  BOOST_TEST(token.subject == "Ann B%c");
  BOOST_TEST(token.name == token.subject);
  BOOST_TEST((token.credential == net::Credential::certificate));
  BOOST_TEST(net::token_line(token) == "certificate:Ann%20B%25c role=admin");
  auto const named = net::parse_token_line("user:ann@example.org name=ann role=read").value();
  BOOST_TEST(named.name == "ann");
  BOOST_TEST(net::token_line(named) == "user:ann@example.org name=ann role=read");
}

namespace {

struct ScopeCase {
  char const* patterns;
  char const* method;
  bool is_allowed;
};
std::ostream& operator<<(std::ostream& out, ScopeCase const& one) {
  return out << one.patterns << " " << one.method;
}

ScopeCase const scope_cases[] = {
    {"*", "admin.verify", true},          {"node.*", "node.get", true},     {"node.*", "node", false},
    {"node.get", "node.get", true},       {"node.get", "node.getx", false}, {"*.get", "attachment.get", true},
    {"*.get", "node.getter", false},      {"n*e.*t", "node.get", true},     {"node.*,query", "query", true},
    {"node.*,query", "subscribe", false}, {"**e**", "records.write", true}, {"*.*.*,query", "node.get", false},
};

}  // namespace

BOOST_DATA_TEST_CASE(patterns_choose_methods, data::make(scope_cases), one) {
  auto const scope = net::MethodScope::parse(one.patterns);
  if (!scope) {  // a pattern that no method has is refused, whatever else is there
    BOOST_TEST(!one.is_allowed);
    BOOST_TEST(scope.error().code == Errc::invalid_params);
    return;
  }
  BOOST_TEST(scope->allows(one.method) == one.is_allowed);
  BOOST_TEST(scope->text() == one.patterns);
}

BOOST_AUTO_TEST_CASE(a_scope_has_at_most_64_patterns) {
  std::string list = "query";
  for (int i = 1; i < 64; ++i) list += ",query";
  BOOST_TEST(net::MethodScope::parse(list).has_value());
  BOOST_TEST(net::MethodScope::parse(list + ",query").has_error());
}

BOOST_AUTO_TEST_CASE(a_pattern_of_many_stars_takes_no_time) {
  std::string pattern;
  for (int i = 0; i < 2'000; ++i) pattern += "*e";
  BOOST_TEST(net::MethodScope::parse(pattern).has_error());
}

BOOST_AUTO_TEST_SUITE_END()
