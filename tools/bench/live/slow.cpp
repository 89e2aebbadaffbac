// Slow readers: delays of a hundred subscribers and memory of the server while ten more never read.

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/live/events.hpp"
#include "tools/bench/live/parts.hpp"
#include "tools/bench/live/writer.hpp"
#include "tools/bench/wire/servers.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <sys/types.h>

namespace whence::bench {
namespace {

constexpr std::size_t reading = 90;
constexpr std::size_t stalled = 10;
constexpr std::uint32_t batch = 20;  ///< one in flight: less than the reading client can receive
constexpr unsigned repeats_max = 3;  ///< each takes seconds and holds a thousand transactions or more
constexpr int stalled_kernel_bytes = 4096;
constexpr double p99_ratio_max = 2;
constexpr double mebibytes_per_stalled = 4;
constexpr double mebibytes_besides = 32;

/// A histogram of delays in tens of microseconds up to ten seconds; longer ones count as ten seconds.
class Delays {
 public:
  void add(std::chrono::nanoseconds delay) {
    auto const bucket = static_cast<std::size_t>(std::max<std::int64_t>(0, delay.count() / 10'000));
    ++counts_[std::min(bucket, counts_.size() - 1)];
    ++total_;
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// Milliseconds within which `share` of the deliveries were made.
  [[nodiscard]] double quantile_ms(double share) const {
    auto left = static_cast<std::uint64_t>(share * static_cast<double>(total_));
    std::size_t bucket = 0;
    while (bucket + 1 < counts_.size() && left >= counts_[bucket]) left -= counts_[bucket++];
    return static_cast<double>(bucket + 1) / 100;
  }

 private:
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(1'000'000);
  std::uint64_t total_ = 0;
};

/// A line of a process's status, in MiB.
double status_mebibytes(pid_t process, std::string const& name) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  throw std::runtime_error("no " + name + " of the server");
}

/// What became of the subscribers that did not read.
struct Stalled {
  std::size_t lagged = 0;  ///< sent `$/lagged`, and caught up from the log
  std::size_t cut = 0;     ///< closed after two unanswered pings
};

struct Outcome {
  double p50_ms;
  double p99_ms;
  double mebibytes;  ///< peak growth of the server's memory
  Stalled stalled = {};
};

/// A server, clients that read, clients that do not, and a writer; all clients run in this thread.
class Crowd {
 public:
  Crowd(std::string const& directory, std::size_t stalled_count, std::uint32_t events)
      : server_([&](Listening const& listening) { serve_whence(directory, listening); }),
        events_(events),
        requests_(write_requests(0, events, batch)),
        writer_(server_.port(), requests_, 1) {
    for (std::size_t i = 0; i < reading; ++i) add(readers_, 0);
    for (std::size_t i = 0; i < stalled_count; ++i) add(stalled_, stalled_kernel_bytes);
  }

  /// Runs until each reading subscriber has every event; then the stalled ones read.
  Outcome run() {
    double const before = status_mebibytes(server_.pid(), "VmRSS");
    deliver();
    double const peak = status_mebibytes(server_.pid(), "VmHWM");
    return {.p50_ms = delays_.quantile_ms(0.5),
            .p99_ms = delays_.quantile_ms(0.99),
            .mebibytes = peak - before,
            .stalled = wake_stalled()};
  }

 private:
  using Sockets = std::vector<std::unique_ptr<LiveSocket>>;

  void add(Sockets& sockets, int kernel_bytes) {
    sockets.push_back(std::make_unique<LiveSocket>(server_.port(), kernel_bytes));
    (void)sockets.back()->ask(request("subscribe", R"({"include":["record"]})"));
  }

  void deliver() {
    std::vector<LiveSocket*> sockets{&writer_.socket()};
    for (auto const& reader : readers_) sockets.push_back(reader.get());
    writer_.start();
    while (!writer_.is_done() || delays_.total() < reading * std::uint64_t{events_}) {
      for (LiveSocket* socket : wait_for_any(sockets)) {
        if (socket == &writer_.socket()) {
          writer_.receive();
        } else {
          socket->receive([this](std::string_view message) { note_delays(message); });
        }
      }
    }
  }

  /// The store was empty, so that the request sent first is transaction 1.
  void note_delays(std::string_view message) {
    auto const now = std::chrono::steady_clock::now();
    for_each_event(message, [&](std::uint64_t tx) { delays_.add(now - writer_.sent_at(tx - 1)); });
  }

  /// The stalled subscribers read. Those that were not disconnected must receive every event.
  Stalled wake_stalled() {
    Stalled found;
    for (auto const& socket : stalled_) {
      EventCounter counter;
      try {
        while (counter.events() < events_) socket->receive([&](std::string_view message) { counter.take(message); });
      } catch (ConnectionClosed const&) {
        ++found.cut;
        continue;
      }
      if (counter.events() != events_) throw std::runtime_error("a slow reader received an event twice");
      found.lagged += counter.is_lagged() ? 1 : 0;
    }
    return found;
  }

  ServerProcess server_;
  std::uint32_t events_;
  std::vector<std::string> requests_;
  LiveWriter writer_;
  Sockets readers_;
  Sockets stalled_;
  Delays delays_;
};

Outcome run_crowd(Options const& options, std::size_t stalled_count) {
  Scratch const scratch(options.directory + "/live");
  return Crowd(scratch.file("whence"), stalled_count, options.slow_events).run();
}

/// The same figures of several runs.
struct Figures {
  void add(Outcome const& outcome) {
    p50_ms.push_back(outcome.p50_ms);
    p99_ms.push_back(outcome.p99_ms);
    mebibytes.push_back(outcome.mebibytes);
  }

  std::vector<double> p50_ms, p99_ms, mebibytes;
};

void print_delays(Figures const& beside, Figures const& alone) {
  print({.figure = "median delay, request sent to event received",
         .unit = "ms",
         .better = Better::lower,
         .whence = median(beside.p50_ms),
         .others = {{"none stalled", median(alone.p50_ms)}}});
  double const p99_max = p99_ratio_max * median(alone.p99_ms);
  print({.figure = "p99 of the delay",
         .unit = "ms",
         .better = Better::lower,
         .whence = median(beside.p99_ms),
         .others = {{"none stalled", median(alone.p99_ms)}, {"expected at most", p99_max}},
         .note = verdict(median(beside.p99_ms) <= p99_max)});
}

void print_memory(Figures const& beside, Figures const& alone, Stalled const& found) {
  double const grown = median(beside.mebibytes);
  double const grown_max = median(alone.mebibytes) + mebibytes_per_stalled * stalled + mebibytes_besides;
  print({.figure = "memory gained by the server, at its peak",
         .unit = "MiB",
         .better = Better::lower,
         .whence = grown,
         .others = {{"none stalled", median(alone.mebibytes)}, {"expected at most", grown_max}},
         .note = verdict(grown <= grown_max) + "; of the stalled " + std::to_string(found.lagged) +
                 " were caught up from the log and missed nothing, " + std::to_string(found.cut) + " were cut"});
}

}  // namespace

void run_live_slow(Options const& options) {
  print_title("Slow readers, " + shown(options.slow_events) + " events in transactions of " + std::to_string(batch) +
              " to " + std::to_string(reading) + " that read; " + std::to_string(stalled) + " more never do");
  Figures beside, alone;
  Stalled found;
  for (unsigned i = 0; i < std::min(options.repeats, repeats_max); ++i) {
    Outcome const outcome = run_crowd(options, stalled);
    beside.add(outcome);
    found = outcome.stalled;
    alone.add(run_crowd(options, 0));
  }
  print_delays(beside, alone);
  print_memory(beside, alone, found);
}

}  // namespace whence::bench
