// Requests per second over loopback: a one-hop lineage query, compared with bare Beast and bare TCP that move the same
// bytes.

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/wire/load.hpp"
#include "tools/bench/wire/servers.hpp"

#include <stdexcept>

namespace whence::bench {
namespace {

struct Shape {
  unsigned connections;
  unsigned in_flight;
};

std::vector<std::string> one_hop_requests(std::uint32_t responses) {
  std::vector<std::string> requests;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    requests.push_back(R"({"jsonrpc":"2.0","id":1,"method":"lineage.ancestors","params":{"ref":"Response:)" +
                       response_id(i * 7919 % responses) + R"(","depth":1}})");
  }
  return requests;
}

/// What a server did under one load, repeatedly.
struct Measured {
  std::vector<double> rates;   ///< answers a second
  std::vector<double> cpu_us;  ///< of the server alone for an answer: the client's share of the machine is not in it

  void add(ServerProcess const& server, Framing framing, Load load) {
    load.port = server.port();
    load.framing = framing;
    double const before = server.cpu_seconds();
    double const rate = answers_per_second(load);
    cpu_us.push_back((server.cpu_seconds() - before) / (rate * load.seconds) * 1e6);
    rates.push_back(rate);
  }
};

std::size_t mean_answer_bytes(std::uint16_t port, std::vector<std::string> const& requests) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    std::string const answer = ask_once(port, requests[i]);
    if (answer.find(R"("nodes":[{)") == std::string::npos) throw std::runtime_error("not an answer: " + answer);
    total += answer.size();
  }
  return total / 100;
}

}  // namespace

void run_wire(Options const& options) {
  auto const responses = std::min<std::uint32_t>(options.responses, 20'000);
  Scratch const scratch(options.directory + "/wire");
  OpenEngine(scratch.file("whence")).write_all(Workload{}.take(responses), 10'000);
  auto const requests = one_hop_requests(responses);

  ServerProcess const whence([&](Listening const& listening) { serve_whence(scratch.file("whence"), listening); });
  std::size_t const answer_bytes = mean_answer_bytes(whence.port(), requests);
  std::size_t const request_bytes = requests.front().size();
  ServerProcess const beast([&](Listening const& listening) { serve_beast_echo(answer_bytes, listening); });
  ServerProcess const tcp([&](Listening const& listening) { serve_tcp_echo(request_bytes, answer_bytes, listening); });

  print_title("Wire, loopback, one-hop query, answers per second; requests of " + std::to_string(request_bytes) +
              " bytes, answers of " + std::to_string(answer_bytes) + " bytes on average, client on the same machine");
  for (Shape const shape : {Shape{1, 1}, Shape{16, 1}, Shape{64, 1}, Shape{1, 16}, Shape{16, 16}, Shape{64, 16}}) {
    Load const load{.connections = shape.connections,
                    .in_flight = shape.in_flight,
                    .requests = requests,
                    .answer_bytes = answer_bytes,
                    .seconds = 1};
    Measured ours, beasts, tcps;
    for (unsigned i = 0; i < options.repeats; ++i) {
      ours.add(whence, Framing::websocket, load);
      beasts.add(beast, Framing::websocket, load);
      tcps.add(tcp, Framing::fixed, load);
    }
    std::string const figure =
        std::to_string(shape.connections) + " connections, " + std::to_string(shape.in_flight) + " in flight";
    print({.figure = figure,
           .unit = "answers/s",
           .better = Better::higher,
           .whence = median(ours.rates),
           .others = {{"bare Beast (limit)", median(beasts.rates)}, {"bare TCP (limit)", median(tcps.rates)}}});
    print({.figure = figure + ", processor time of the server",
           .unit = "us/answer",
           .better = Better::lower,
           .whence = median(ours.cpu_us),
           .others = {{"bare Beast (limit)", median(beasts.cpu_us)}, {"bare TCP (limit)", median(tcps.cpu_us)}}});
  }
}

}  // namespace whence::bench
