// What credentials give, until when, and what becomes of it when the file changes.

#include "net/access/audit.hpp"
#include "net/access/rights.hpp"
#include "net/access/trusted_proxies.hpp"
#include "net/serving/token.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;
using net::Role;

BOOST_AUTO_TEST_SUITE(token_table)

namespace {

constexpr schema::Time morning{.seconds = 1'000};
constexpr schema::Time evening{.seconds = 2'000};

net::Token hashed(std::string_view secret, Role role, std::string name = {}) {
  return {.role = role, .digest = net::digest_of(secret), .name = std::move(name)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_token_holds_before_its_end) {
  auto token = hashed("a", Role::write, "ci");
  token.expires = evening;
  net::TokenTable const table{std::vector{token}};
  auto const grant = table.find("a", morning);
  BOOST_TEST(grant.role == Role::write);
  BOOST_TEST(grant.name == "ci");
  BOOST_TEST(table.still_grants(grant, morning));
  BOOST_TEST(!table.still_grants(grant, evening));
  BOOST_TEST(net::has_ended(grant, evening));
  auto const late = table.find("a", evening);
  BOOST_TEST(late.role == Role::none);
  BOOST_TEST((late.standing == net::Standing::expired));
  BOOST_TEST(late.name == "ci");
}

BOOST_AUTO_TEST_CASE(a_revoked_line_gives_nothing_and_lets_nobody_else_in) {
  auto token = hashed("a", Role::admin, "ci");
  net::TokenTable const before{std::vector{token}};
  auto const grant = before.find("a", morning);
  token.revoked = morning;
  net::TokenTable const now{std::vector{token}};
  BOOST_TEST(!now.is_open());
  BOOST_TEST(!now.still_grants(grant, morning));
  BOOST_TEST((now.find("a", morning).standing == net::Standing::revoked));
  BOOST_TEST((now.find("b", morning).standing == net::Standing::unknown));
  auto const changed = now.changes_since(before);
  BOOST_TEST(changed.added == 0U);
  BOOST_TEST(changed.removed == 1U);
  BOOST_TEST(changed.total == 0U);
}

BOOST_AUTO_TEST_CASE(any_change_of_a_line_is_another_line) {
  auto token = hashed("a", Role::read, "ci");
  net::TokenTable const before{std::vector{token}};
  auto const grant = before.find("a", morning);
  token.methods = std::make_shared<net::MethodScope const>(net::MethodScope::parse("query").value());
  net::TokenTable const bounded{std::vector{token}};
  BOOST_TEST(!bounded.still_grants(grant, morning));
  BOOST_TEST(before.still_grants(grant, morning));
}

BOOST_AUTO_TEST_CASE(a_token_of_other_namespaces_is_unknown_and_does_not_open_this_one) {
  auto token = hashed("a", Role::admin);
  token.namespaces = {"shop"};
  std::vector const tokens{token};
  auto const table_of = [&](std::string_view name) {
    return net::TokenTable{tokens, net::TokenTable::Empty::everybody_is_admin, name};
  };
  BOOST_TEST(table_of("shop").find("a", morning).role == Role::admin);
  BOOST_TEST(table_of("lab").find("a", morning).role == Role::none);
  BOOST_TEST(!table_of("lab").is_open());
  BOOST_TEST(table_of("").find("a", morning).role == Role::none);
}

BOOST_AUTO_TEST_CASE(a_credential_is_of_its_kind) {
  net::Token const certificate{.role = Role::admin, .credential = net::Credential::certificate, .subject = "ann"};
  net::Token const user{.role = Role::read, .credential = net::Credential::user, .subject = "ann", .name = "Ann"};
  net::TokenTable const table{std::vector{certificate, user}};
  BOOST_TEST(table.find("ann", morning).role == Role::none);
  net::CertificateClaim const shown{.names = {"other", "ann"}, .ends = evening};
  auto const by_certificate = table.find(shown, std::nullopt, morning);
  BOOST_TEST(by_certificate.role == Role::admin);
  BOOST_TEST((by_certificate.expires == evening));
  BOOST_TEST(table.find(shown, std::nullopt, evening).role == Role::none);
  BOOST_TEST(table.find(net::UserClaim{.user = "ann", .role = Role::admin}, morning).role == Role::read);
  BOOST_TEST(table.find(net::UserClaim{.user = "ann", .role = Role::admin}, morning).name == "Ann");
}

BOOST_AUTO_TEST_CASE(who_no_line_names_has_the_given_role_until_one_does) {
  net::Token const other = hashed("x", Role::read);
  net::TokenTable const table{std::vector{other}};
  net::CertificateClaim const shown{.names = {"ann"}, .ends = evening};
  BOOST_TEST(table.find(shown, std::nullopt, morning).role == Role::none);
  auto const by_certificate = table.find(shown, Role::write, morning);
  auto const by_proxy = table.find(net::UserClaim{.user = "bob", .role = Role::admin}, morning);
  BOOST_TEST(by_certificate.role == Role::write);
  BOOST_TEST(by_proxy.role == Role::admin);
  BOOST_TEST(by_proxy.name == "bob");
  BOOST_TEST(table.find(net::UserClaim{.user = "bob"}, morning).role == Role::none);
  net::Token ann{.role = Role::read, .credential = net::Credential::certificate, .subject = "ann"};
  net::Token bob{.role = Role::read, .credential = net::Credential::user, .subject = "bob", .revoked = morning};
  net::TokenTable const now{std::vector{other, ann, bob}};
  BOOST_TEST(table.still_grants(by_certificate, morning));
  BOOST_TEST(table.still_grants(by_proxy, morning));
  BOOST_TEST(!now.still_grants(by_certificate, morning));
  BOOST_TEST(!now.still_grants(by_proxy, morning));
  BOOST_TEST(now.find(net::UserClaim{.user = "bob", .role = Role::admin}, morning).role == Role::none);
}

BOOST_AUTO_TEST_CASE(a_right_is_role_and_method_and_time) {
  net::Grant grant{.role = Role::write, .expires = evening};
  grant.methods = std::make_shared<net::MethodScope const>(net::MethodScope::parse("node.*,admin.*").value());
  BOOST_TEST(!net::check_right(grant, "node.get", Role::read, morning).has_value());
  BOOST_TEST((net::check_right(grant, "query", Role::read, morning).value().code == Errc::forbidden));
  BOOST_TEST((net::check_right(grant, "admin.verify", Role::admin, morning).value().code == Errc::forbidden));
  BOOST_TEST((net::check_right(grant, "node.get", Role::read, evening).value().code == Errc::unauthenticated));
}

namespace {

struct AddressCase {
  char const* network;
  char const* address;
  bool is_trusted;
};
std::ostream& operator<<(std::ostream& out, AddressCase const& one) {
  return out << one.network << " " << one.address;
}

AddressCase const address_cases[] = {
    {"10.0.0.7", "10.0.0.7", true},
    {"10.0.0.7", "10.0.0.8", false},
    {"10.0.0.0/8", "10.255.1.2", true},
    {"10.0.0.0/8", "11.0.0.1", false},
    {"10.0.0.128/25", "10.0.0.129", true},
    {"10.0.0.128/25", "10.0.0.127", false},
    {"203.0.0.0/8", "203.0.113.9", true},
    {"203.0.0.0/8", "2001:db8::1", false},
    {"2001:db8::/32", "2001:db8:1::9", true},
    {"2001:db8::/33", "2001:db8:8000::", false},
    {"::1", "::1", true},
    {"::1", "127.0.0.1", false},
    {"127.0.0.1", "::ffff:127.0.0.1", true},
    {"::ffff:10.0.0.7", "10.0.0.7", true},
    {"10.0.0.7", "", false},
    {"10.0.0.7", "10.0.0.7 ", false},
};

struct SettingsCase {
  char const* name;
  net::ProxySettings settings;
};
std::ostream& operator<<(std::ostream& out, SettingsCase const& one) {
  return out << one.name;
}

SettingsCase const wrong_settings[] = {
    {"no_address", {.addresses = {"proxy.example"}}},
    {"no_bits", {.addresses = {"10.0.0.0/"}}},
    {"too_many_bits", {.addresses = {"10.0.0.0/33"}}},
    {"too_many_bits_of_ipv6", {.addresses = {"::/129"}}},
    {"negative_bits", {.addresses = {"10.0.0.0/-1"}}},
    {"empty", {.addresses = {""}}},
    {"everybody", {.addresses = {"0.0.0.0/0"}}},
    {"half_of_all", {.addresses = {"128.0.0.0/1"}}},
    {"everybody_of_ipv6", {.addresses = {"::/0"}}},
    {"header_of_browsers", {.user_header = "User-Agent"}},
    {"header_of_fetch", {.user_header = "sec-fetch-site"}},
    {"header_of_other_proxies", {.role_header = "X-Forwarded-For"}},
    {"header_with_blank", {.user_header = "X User"}},
    {"no_header", {.role_header = ""}},
    {"header_with_a_meaning", {.user_header = "authorization"}},
    {"one_header_for_both", {.user_header = "X-Who", .role_header = "x-who"}},
};

}  // namespace

BOOST_DATA_TEST_CASE(proxies_are_trusted_by_address, data::make(address_cases), one) {
  auto const proxies = net::TrustedProxies::make({.addresses = {one.network}}).value();
  BOOST_TEST(proxies.trusts(one.address) == one.is_trusted);
}

BOOST_DATA_TEST_CASE(refuses_settings_of_proxies, data::make(wrong_settings), one) {
  BOOST_TEST(net::TrustedProxies::make(one.settings).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_CASE(nobody_is_trusted_without_addresses) {
  BOOST_TEST(!net::TrustedProxies::make({}).value().trusts("127.0.0.1"));
}

BOOST_AUTO_TEST_CASE(headers_of_a_proxy_name_a_person) {
  using net::TrustedProxies;
  BOOST_TEST(!TrustedProxies::read("", "").value().has_value());
  BOOST_TEST((TrustedProxies::read("ann", "write").value().value().role == Role::write));
  BOOST_TEST(!TrustedProxies::read("ann", "").value().value().role.has_value());
  BOOST_TEST(TrustedProxies::read("", "admin").has_error());
  BOOST_TEST(TrustedProxies::read("ann", "root").has_error());
  BOOST_TEST(TrustedProxies::read("a\tb", "").has_error());
  BOOST_TEST(TrustedProxies::read(std::string(257, 'a'), "").has_error());
  BOOST_TEST(TrustedProxies::read("\xff", "").has_error());
}

BOOST_AUTO_TEST_CASE(a_flood_of_refusals_is_counted) {
  std::vector<std::string> lines;
  net::Audit audit{[&](net::LogEvent const& event) { lines.push_back(event.data); }};
  for (int i = 0; i < 1'000; ++i) audit.refused({}, "/rpc", "192.0.2.1", "unauthenticated");
  BOOST_TEST(audit.refusals() == 1'000U);
  BOOST_TEST(lines.size() >= net::Audit::refusals_max);
  BOOST_TEST(lines.size() <= 10 * net::Audit::refusals_max);  // a slow machine may take some seconds
  BOOST_TEST(lines.front() == R"({"what":"/rpc","peer":"192.0.2.1"})");
  audit.admin_called({.role = Role::admin, .name = "ann"}, "admin.verify", "", std::nullopt);
  BOOST_TEST(lines.back() == R"({"who":"ann","role":"admin","method":"admin.verify"})");
}

BOOST_AUTO_TEST_SUITE_END()
