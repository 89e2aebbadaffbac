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
    auto const rate = [&](std::uint16_t port, Framing framing) {
      return answers_per_second({.port = port,
                                 .framing = framing,
                                 .connections = shape.connections,
                                 .in_flight = shape.in_flight,
                                 .requests = requests,
                                 .answer_bytes = answer_bytes,
                                 .seconds = 1});
    };
    std::vector<double> ours, beasts, tcps;
    for (unsigned i = 0; i < options.repeats; ++i) {
      ours.push_back(rate(whence.port(), Framing::websocket));
      beasts.push_back(rate(beast.port(), Framing::websocket));
      tcps.push_back(rate(tcp.port(), Framing::fixed));
    }
    print({.figure =
               std::to_string(shape.connections) + " connections, " + std::to_string(shape.in_flight) + " in flight",
           .unit = "answers/s",
           .better = Better::higher,
           .whence = median(ours),
           .others = {{"bare Beast (limit)", median(beasts)}, {"bare TCP (limit)", median(tcps)}}});
  }
}

}  // namespace whence::bench
