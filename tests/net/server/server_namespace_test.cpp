// Several stores of one server: which of them a path is about, whose tokens count, whose metrics are said.

#include "net/access/namespace_name.hpp"
#include "net/pages/metrics_page.hpp"
#include "net/serving/namespaces.hpp"
#include "tests/net/server/server_fixture.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;
using namespace whence::test;

BOOST_AUTO_TEST_SUITE(server_namespace)

namespace {

/// Two stores of different processes' directories whose services share their workers and memory.
struct NamespaceWorld {
  explicit NamespaceWorld(bool has_root = false, bool has_tokens = false) {
    auto const work = net::SharedWork::make({});
    for (std::string const name : {"", "a", "b"}) {
      if (name.empty() && !has_root) continue;
      auto& store = *stores.emplace_back(std::make_unique<EngineFixture>());
      net::ServiceConfig settings;
      settings.namespace_name = name;
      auto& service = services.emplace_back(std::make_unique<net::Service>(*store.engine, settings, store.clock, work));
      served.push_back({.name = name, .service = *service, .engine = *store.engine});
      if (has_tokens) served.back().tokens = {{.role = net::Role::read, .digest = net::digest_of("token-" + name)}};
    }
  }

  std::vector<std::unique_ptr<EngineFixture>> stores;
  std::vector<std::unique_ptr<net::Service>> services;
  std::vector<net::ServedStore> served;
};

/// The same, served.
struct ServedNamespaces : NamespaceWorld {
  explicit ServedNamespaces(bool has_root = false, bool has_tokens = false) : NamespaceWorld{has_root, has_tokens} {
    net::ServerConfig config;
    config.port = 0;
    server = net::Server::listen(served, config).value();
    running = std::jthread{[this] { server->run(); }};
  }
  ~ServedNamespaces() {
    server->quit();
    running.join();
  }
  /// The first line of the answer.
  [[nodiscard]] std::string get(std::string const& path, std::string const& token = {}) const {
    RawClient client{server->port()};
    auto const fields = token.empty() ? std::string{} : "Authorization: Bearer " + token + "\r\n";
    auto const answer = client.request("GET " + path + " HTTP/1.1\r\n" + fields);
    return answer.substr(0, answer.find("\r\n"));
  }

  std::unique_ptr<net::Server> server;
  std::jthread running;
};

struct PlaceCase {
  std::string_view path;
  std::string_view name;  ///< `?` where it is nobody's
  std::string_view rest;
};
std::ostream& operator<<(std::ostream& out, PlaceCase const& one) {
  return out << one.path;
}

PlaceCase const place_cases[] = {
    {"/", "", "/"},
    {"/rpc", "", "/rpc"},
    {"", "", ""},
    {"/ns", "", "/ns"},
    {"/ns/", "", "/ns/"},
    {"/ns/a", "a", ""},
    {"/ns/a/", "a", "/"},
    {"/ns/a/rpc", "a", "/rpc"},
    {"/ns/b/blob/x/y", "b", "/blob/x/y"},
    {"/ns/a/ns/b/rpc", "a", "/ns/b/rpc"},
    {"/ns/a/../b/rpc", "a", "/../b/rpc"},
    {"/ns/a//rpc", "a", "//rpc"},
    {"//ns/a/rpc", "", "//ns/a/rpc"},
    {"/ns//a/rpc", "", "/ns//a/rpc"},
    {"/ns/A/rpc", "", "/ns/A/rpc"},
    {"/ns/%61/rpc", "", "/ns/%61/rpc"},
    {"/ns/a%2frpc", "", "/ns/a%2frpc"},
    {"/ns/./rpc", "", "/ns/./rpc"},
    {"/NS/a/rpc", "", "/NS/a/rpc"},
    {"/ns/c/rpc", "?", "/rpc"},
    {"/ns/aa/rpc", "?", "/rpc"},
};

struct NameCase {
  std::string name;
  bool is_one;
};
std::ostream& operator<<(std::ostream& out, NameCase const& one) {
  return out << one.name;
}

NameCase const name_cases[] = {
    {"a", true},
    {"0", true},
    {"a_b-c9", true},
    {std::string(63, 'a'), true},
    {std::string(64, 'a'), false},
    {"", false},
    {"_a", false},
    {"-a", false},
    {"A", false},
    {"a.b", false},
    {"a/b", false},
    {"a b", false},
    {"\xc3\xa4", false},
    {std::string("a\0", 2), false},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_path_is_about_one_store, data::make(place_cases), sample) {
  NamespaceWorld const world{false, true};
  net::Namespaces const namespaces{world.served, {}};
  auto const place = namespaces.place_of(sample.path);
  bool const is_nobodys = sample.name == "?";
  BOOST_TEST(place.path == sample.rest);
  BOOST_TEST((place.where == &namespaces.root()) == sample.name.empty());
  BOOST_TEST(place.where->name == (is_nobodys ? "" : sample.name));
  BOOST_TEST((place.where->engine == nullptr) == (is_nobodys || sample.name.empty()));
}

BOOST_DATA_TEST_CASE(names_have_one_spelling, data::make(name_cases), sample) {
  BOOST_TEST(net::is_namespace_name(sample.name) == sample.is_one);
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_a_path_of_the_root_where_no_tokens_are_needed) {
  NamespaceWorld const world;
  net::Namespaces const namespaces{world.served, {}};
  BOOST_TEST(namespaces.place_of("/ns/c/rpc").where == &namespaces.root());
  BOOST_TEST(namespaces.place_of("/ns/c/rpc").path == "/ns/c/rpc");
  BOOST_TEST(namespaces.root().tokens.get()->is_open());
}

BOOST_AUTO_TEST_CASE(a_place_without_a_store_lets_nobody_in) {
  NamespaceWorld const world{false, true};
  net::Namespaces const namespaces{world.served, {}};
  for (std::string_view const path : {"/rpc", "/ns/c/rpc"}) {
    auto const tokens = namespaces.place_of(path).where->tokens.get();
    BOOST_TEST(!tokens->is_open());
    for (std::string_view const secret : {"", "token-a", "token-b"})
      BOOST_TEST((tokens->find(secret, {}).role == net::Role::none));
  }
}

BOOST_AUTO_TEST_CASE(stores_that_do_not_fit_together_are_refused) {
  NamespaceWorld world{true, true};
  net::ServerConfig config;
  config.port = 0;
  auto const refused = [&](std::vector<net::ServedStore> const& stores) {
    auto const server = net::Server::listen(stores, config);
    return !server && server.error().code == Errc::invalid_params;
  };
  auto const third = [&](std::string name, std::vector<net::Token> tokens) {
    auto stores = world.served;
    stores.pop_back();
    stores.push_back({.name = std::move(name),
                      .service = *world.services[2],
                      .engine = *world.stores[2]->engine,
                      .tokens = std::move(tokens)});
    return stores;
  };
  std::vector<net::Token> const tokens{{.role = net::Role::read, .digest = net::digest_of("b")}};
  BOOST_TEST(!refused(third("b", tokens)));
  BOOST_TEST(refused(third("b", {})));
  BOOST_TEST(refused(third("a", tokens)));
  BOOST_TEST(refused(third("B", tokens)));
}

BOOST_AUTO_TEST_CASE(tokens_are_of_one_store) {
  ServedNamespaces const world{true, true};
  struct Case {
    std::string path;
    std::string token;
    std::string answer;
  };
  std::string const ok = "HTTP/1.1 200 OK";
  std::string const unknown = "HTTP/1.1 401 Unauthorized";
  for (auto const& [path, token, answer] : std::vector<Case>{{"/metrics", "token-", ok},
                                                             {"/metrics", "token-a", unknown},
                                                             {"/ns/a/metrics", "token-a", ok},
                                                             {"/ns/a/metrics", "token-b", unknown},
                                                             {"/ns/a/metrics", "token-", unknown},
                                                             {"/ns/c/metrics", "token-a", unknown},
                                                             {"/ns/c/metrics", "", unknown},
                                                             {"/ns/a/readyz", "", unknown},
                                                             {"/ns/a/readyz", "token-a", ok},
                                                             {"/ns/c/readyz", "", unknown},
                                                             {"/readyz", "", ok},
                                                             {"/ns/a/none", "token-a", "HTTP/1.1 404 Not Found"}}) {
    BOOST_TEST(world.get(path, token) == answer, path << " with " << token);
  }
}

BOOST_AUTO_TEST_CASE(a_reload_is_of_the_stores_it_names) {
  ServedNamespaces const world{false, true};
  auto const done = world.server->reload({{"a", {{.role = net::Role::read, .digest = net::digest_of("new")}}}});
  BOOST_REQUIRE(done && done->tokens);
  BOOST_TEST(done->tokens->added == 1U);
  BOOST_TEST(done->tokens->removed == 1U);
  BOOST_TEST(world.get("/ns/a/metrics", "token-a") == "HTTP/1.1 401 Unauthorized");
  BOOST_TEST(world.get("/ns/a/metrics", "new") == "HTTP/1.1 200 OK");
  BOOST_TEST(world.get("/ns/b/metrics", "new") == "HTTP/1.1 401 Unauthorized");
  BOOST_TEST(world.get("/ns/b/metrics", "token-b") == "HTTP/1.1 200 OK");
}

BOOST_AUTO_TEST_CASE(metrics_of_several_stores_have_one_head_each) {
  NamespaceWorld world{true};
  BOOST_REQUIRE(world.stores[1]->write({unit("cu_1")}));
  net::Namespaces const namespaces{world.served, {}};
  auto const text = net::metrics_text(namespaces.stores(), {.connections = 7});
  auto const count = [](std::string_view all, std::string_view part) {
    std::size_t found = 0;
    for (auto at = all.find(part); at != std::string_view::npos; at = all.find(part, at + 1)) ++found;
    return found;
  };
  BOOST_TEST(count(text, "# TYPE whence_tx gauge\n") == 1U);
  BOOST_TEST(count(text, "\nwhence_tx 0\nwhence_tx{namespace=\"a\"} 1\nwhence_tx{namespace=\"b\"} 0\n") == 1U);
  BOOST_TEST(count(text, "\nwhence_nodes{namespace=\"a\",type=\"ContextUnit\"} 1\n") == 1U);
  BOOST_TEST(count(text, "\nwhence_connections") == 2U);  // and the limit of them
  BOOST_TEST(count(text, "\nwhence_connections 7\n") == 1U);
  auto const of_a = net::metrics_text(*namespaces.find("a"));
  BOOST_TEST(count(of_a, "namespace=\"b\"") == 0U);
  BOOST_TEST(count(of_a, "whence_connections") == 0U);
  BOOST_TEST(count(of_a, "whence_tx{namespace=\"a\"} 1\n") == 1U);
}

BOOST_AUTO_TEST_CASE(metrics_of_one_store_at_the_root_have_no_label) {
  NamespaceWorld world{true};
  net::Namespaces const namespaces{{world.served.data(), 1}, {}};
  BOOST_TEST(net::metrics_text(namespaces.stores(), net::ShellFigures{}).find("namespace") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
