// A server of an empty store that speaks Bolt with the stand-in runner. Ends when its input does.
//   whence_bolt_stand_in [--token SECRET] [--origin ORIGIN]

#include "net/server/server.hpp"
#include "net/service/service.hpp"
#include "tests/bolt/stand_in_runner.hpp"
#include "tests/support/fixtures.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

int main(int argc, char** argv) {
  whence::net::ServerConfig config;
  config.port = 0;
  config.bolt.emplace().port = 0;
  config.make_runner = [](whence::net::Service&) { return std::make_shared<whence::test::StandInRunner>(); };
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view const name{argv[i]};
    if (name == "--token")
      config.tokens.push_back({.role = whence::net::Role::write, .digest = whence::net::digest_of(argv[i + 1])});
    if (name == "--origin") config.allowed_origins.emplace_back(argv[i + 1]);
  }
  config.on_failure = [](std::string_view why) { std::cerr << why << std::endl; };
  whence::test::EngineFixture world;
  whence::net::Service service{*world.engine, {}, world.clock};
  auto const server = whence::net::Server::listen(service, *world.engine, config).value();
  std::jthread const running{[&] { server->run(); }};
  std::cout << server->address() << ' ' << server->bolt_address() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  server->drain();
}
