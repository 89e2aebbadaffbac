// Events per second to one subscriber while they are written, durably; the limit is the same writer without subscriber.

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/live/events.hpp"
#include "tools/bench/live/parts.hpp"
#include "tools/bench/live/writer.hpp"
#include "tools/bench/wire/servers.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::bench {
namespace {

constexpr double rate_expected = 300'000;
constexpr std::uint32_t records_max = 100'000;  ///< a round
constexpr std::uint32_t batch = 1'000;
constexpr unsigned batches_in_flight = 4;

/// Records a second from the first request to the last answer.
double rate_alone(std::uint16_t port, std::vector<std::string> const& requests, std::uint32_t records) {
  LiveWriter writer(port, requests, batches_in_flight);
  Stopwatch const watch;
  writer.start();
  while (!writer.is_done()) writer.receive();
  return records / watch.seconds();
}

/// Events a second from the first request to the last event.
double rate_delivered(std::uint16_t port, std::vector<std::string> const& requests, std::uint32_t records) {
  LiveSocket subscriber(port);
  (void)subscriber.ask(request("subscribe", R"({"include":["record"]})"));
  LiveWriter writer(port, requests, batches_in_flight);
  EventCounter counter;
  std::array const sockets{&subscriber, &writer.socket()};
  Stopwatch const watch;
  writer.start();
  while (counter.events() < records || !writer.is_done()) {
    for (LiveSocket* socket : wait_for_any(sockets)) {
      if (socket == &subscriber) {
        subscriber.receive([&](std::string_view message) { counter.take(message); });
      } else {
        writer.receive();
      }
    }
  }
  return records / watch.seconds();
}

}  // namespace

void run_live_rate(Options const& options) {
  std::uint32_t const records = std::min(options.events, records_max);
  Scratch const scratch(options.directory + "/live");
  ServerProcess const whence([&](Listening const& listening) { serve_whence(scratch.file("whence"), listening); });
  print_title("Live, " + shown(records) + " durable records in batches of " + shown(batch) + ", " +
              std::to_string(batches_in_flight) + " in flight, writer and subscriber in one thread");
  std::vector<double> delivered, alone;
  std::uint32_t first = 0;
  for (unsigned i = 0; i < options.repeats; ++i) {
    for (auto const& [measure, rates] : {std::pair{&rate_delivered, &delivered}, std::pair{&rate_alone, &alone}}) {
      auto const requests = write_requests(first, records, batch);
      rates->push_back(measure(whence.port(), requests, records));
      first += records;
    }
  }
  print({.figure = "one subscriber, records included",
         .unit = "events/s",
         .better = Better::higher,
         .whence = median(delivered),
         .others = {{"writer without subscriber (limit)", median(alone)}, {"expected above", rate_expected}},
         .note = verdict(median(delivered) > rate_expected)});
}

}  // namespace whence::bench
