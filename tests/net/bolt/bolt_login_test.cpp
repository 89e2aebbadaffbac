// Tokens and databases: which namespaces a token opens, and under which names.

#include "net/bolt/login.hpp"
#include "net/service/service.hpp"
#include "net/serving/server_config.hpp"
#include "tests/support/fixtures.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace bolt = whence::net::bolt;

BOOST_AUTO_TEST_SUITE(bolt_login)

namespace {

/// Stores at the root and of the namespaces `a` and `b`, each with a token; `ab` opens both namespaces.
struct LoginWorld {
  explicit LoginWorld(bool has_root = true, bool has_tokens = true) {
    auto const work = whence::net::SharedWork::make({});
    for (std::string const name : {"", "a", "b"}) {
      if (name.empty() && !has_root) continue;
      auto& store = *stores.emplace_back(std::make_unique<whence::test::EngineFixture>());
      whence::net::ServiceConfig settings;
      settings.namespace_name = name;
      auto& service =
          services.emplace_back(std::make_unique<whence::net::Service>(*store.engine, settings, store.clock, work));
      served.push_back({.name = name, .service = *service, .engine = *store.engine});
      if (!has_tokens) continue;
      served.back().tokens = {{.role = whence::net::Role::read, .digest = whence::net::digest_of("token-" + name)}};
      if (!name.empty())
        served.back().tokens.push_back({.role = whence::net::Role::read, .digest = whence::net::digest_of("ab")});
    }
    whence::net::ServerConfig config;
    if (has_root && has_tokens) config.tokens = served.front().tokens;
    all = std::make_unique<whence::net::Namespaces>(served, config);
  }

  std::vector<std::unique_ptr<whence::test::EngineFixture>> stores;
  std::vector<std::unique_ptr<whence::net::Service>> services;
  std::vector<whence::net::ServedStore> served;
  std::unique_ptr<whence::net::Namespaces> all;
};

bolt::Map login_token(std::string_view scheme, std::string_view credentials) {
  return {{"scheme", {std::string{scheme}}},
          {"principal", {std::string{"anybody"}}},
          {"credentials", {std::string{credentials}}}};
}

/// The name of the database found; `-` where there is none.
std::string found_database(bolt::Login const& login, std::string_view name) {
  auto const found = login.find(name);
  return found ? bolt::Login::name_of(**found) : "-";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_token_opens_its_own_databases) {
  LoginWorld const world;
  bolt::Login login{*world.all, nullptr};
  BOOST_TEST(!login.enter(login_token("basic", "wrong")).has_value());
  BOOST_TEST(found_database(login, "") == "-");
  BOOST_TEST(login.enter(login_token("basic", "token-")).has_value());
  BOOST_TEST(found_database(login, "") == "whence");
  BOOST_TEST(found_database(login, "neo4j") == "whence");
  BOOST_TEST(found_database(login, "whence") == "whence");
  BOOST_TEST(found_database(login, "a") == "-");
  BOOST_TEST(login.enter(login_token("bearer", "token-a")).has_value());
  BOOST_TEST(found_database(login, "") == "a");
  BOOST_TEST(found_database(login, "neo4j") == "a");
  BOOST_TEST(found_database(login, "b") == "-");
  BOOST_TEST(login.enter(login_token("bearer", "ab")).has_value());
  BOOST_TEST(found_database(login, "") == "-");
  BOOST_TEST(found_database(login, "a") == "a");
  BOOST_TEST(found_database(login, "b") == "b");
  login.leave();
  BOOST_TEST(found_database(login, "a") == "-");
}

BOOST_AUTO_TEST_CASE(what_is_no_token_enters_nowhere) {
  LoginWorld const world;
  bolt::Login login{*world.all, nullptr};
  for (auto const& token : {bolt::Map{}, login_token("none", "token-"), login_token("kerberos", "token-"),
                            login_token("basic", ""), bolt::Map{{"scheme", {std::string{"bearer"}}}},
                            bolt::Map{{"scheme", {true}}, {"credentials", {std::string{"token-"}}}}}) {
    auto const entered = login.enter(token);
    BOOST_REQUIRE(!entered.has_value());
    BOOST_TEST(entered.error().kind == bolt::FailureKind::unauthorized);
  }
}

BOOST_AUTO_TEST_CASE(without_tokens_everybody_enters_everywhere) {
  LoginWorld const world{true, false};
  bolt::Login login{*world.all, nullptr};
  for (auto const& token : {bolt::Map{}, login_token("none", ""), login_token("basic", "whatever")}) {
    BOOST_TEST(login.enter(token).has_value());
    BOOST_TEST(found_database(login, "") == "whence");
    BOOST_TEST(found_database(login, "b") == "b");
  }
}

BOOST_AUTO_TEST_CASE(the_path_of_a_namespace_is_of_that_one_alone) {
  LoginWorld const world;
  bolt::Login login{*world.all, world.all->find("a")};
  BOOST_TEST(!login.enter(login_token("basic", "token-b")).has_value());
  BOOST_TEST(login.enter(login_token("basic", "ab")).has_value());
  BOOST_TEST(found_database(login, "") == "a");
  BOOST_TEST(found_database(login, "b") == "-");
  auto const nowhere = world.all->place_of("/ns/other/bolt");
  bolt::Login lost{*world.all, nowhere.where};
  BOOST_TEST(!lost.enter(login_token("basic", "ab")).has_value());
}

BOOST_AUTO_TEST_CASE(where_only_namespaces_are_served_there_is_no_root) {
  LoginWorld const world{false};
  bolt::Login login{*world.all, nullptr};
  BOOST_TEST(login.enter(login_token("basic", "ab")).has_value());
  BOOST_TEST(found_database(login, "whence") == "-");
  BOOST_TEST(found_database(login, "a") == "a");
}

BOOST_AUTO_TEST_CASE(a_token_that_goes_holds_no_more) {
  LoginWorld const world;
  bolt::Login login{*world.all, nullptr};
  BOOST_TEST(login.enter(login_token("basic", "ab")).has_value());
  BOOST_TEST(login.still_holds());
  std::vector<whence::net::Token> const other = {
      {.role = whence::net::Role::read, .digest = whence::net::digest_of("new")}};
  world.all->find("b")->tokens.replace(std::make_shared<whence::net::TokenTable const>(other));
  BOOST_TEST(!login.still_holds());
}

BOOST_AUTO_TEST_SUITE_END()
