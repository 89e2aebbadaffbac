// Several nodes on one log of three servers: what a write costs beside the bare stream and beside a store alone, what
// nodes that write against each other cost, how fast a new node has all, how long no node can write after a server's
// end.

#include "graph/walks/walk.hpp"
#include "store/replicated/nats_log.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/replicated/servers.hpp"
#include "tools/bench/replicated/stream.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <fstream>
#include <iostream>
#include <random>
#include <span>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace whence::bench {
namespace {

constexpr unsigned servers = 3;
constexpr std::size_t one_by_one = 3'000;  ///< transactions of a run
constexpr double reading_s = 1;
constexpr double writing_s = 3;  ///< of nodes that write against each other

std::unique_ptr<store::SharedLog> log_of(NatsServers const& nats, std::string const& stream) {
  return store::make_nats_log({.address = {.servers = nats.urls(), .stream = stream}, .replicas = servers});
}

/// Batches a second, one after the other.
double batches_per_second(OpenEngine const& engine, std::vector<engine::WriteBatch> batches) {
  auto const count = static_cast<double>(batches.size());
  Stopwatch const watch;
  for (auto& batch : batches) engine.write(std::move(batch));
  return count / watch.seconds();
}

/// Messages of `bytes` a second, each acknowledged by a quorum before the next.
double publications_per_second(BareStream const& stream, std::size_t bytes, std::size_t count) {
  std::string const payload(bytes, 'x');
  Stopwatch const watch;
  for (std::size_t i = 0; i < count; ++i) stream.publish(payload);
  return static_cast<double>(count) / watch.seconds();
}

/// The same, each also durable in a file of this process: what an acknowledgement of Whence means.
double durable_publications_per_second(BareStream const& stream, std::string const& file, std::size_t bytes,
                                       std::size_t count) {
  std::string const payload(bytes, 'x');
  int const out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  Stopwatch const watch;
  for (std::size_t i = 0; i < count; ++i) {
    stream.publish(payload);
    if (::write(out, payload.data(), payload.size()) < 0 || ::fdatasync(out) != 0) throw std::runtime_error(file);
  }
  auto const rate = static_cast<double>(count) / watch.seconds();
  ::close(out);
  return rate;
}

void run_one_by_one(Options const& options, NatsServers const& nats) {
  std::vector<double> replicated, alone, bare, durable, pipelined;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < options.repeats; ++i) {
    Scratch const scratch(options.directory + "/replicated");
    auto const name = "one" + std::to_string(i);
    auto const steps = Workload{}.take(one_by_one);
    {
      OpenEngine const engine(scratch.file("node"), log_of(nats, name));
      replicated.push_back(batches_per_second(engine, batches_of(steps, 1)));
      auto const figures = BareStream(nats.urls(), name).figures();
      bytes = figures.bytes / figures.messages;
    }
    alone.push_back(batches_per_second(OpenEngine(scratch.file("alone")), batches_of(steps, 1)));
    BareStream const stream(nats.urls(), "bare" + std::to_string(i));
    bare.push_back(publications_per_second(stream, bytes, one_by_one));
    durable.push_back(durable_publications_per_second(stream, scratch.file("durable"), bytes, one_by_one));
    Stopwatch const watch;
    stream.publish_all(std::string(bytes, 'x'), one_by_one);
    pipelined.push_back(one_by_one / watch.seconds());
  }
  print({.figure = "one writer, one response a transaction",
         .unit = "transactions/s",
         .better = Better::higher,
         .whence = median(replicated),
         .others = {{"bare publisher, stored by a quorum", median(bare)},
                    {"the same, then fdatasync (limit of this acknowledgement)", median(durable)},
                    {"a store alone", median(alone)},
                    {"bare publisher that does not wait for each", median(pipelined)}},
         .note = shown(static_cast<double>(bytes)) + " bytes a message"});
}

void run_batches(Options const& options, NatsServers const& nats) {
  for (std::size_t const per_batch : {std::size_t{100}, std::size_t{10'000}}) {
    auto const responses = std::min<std::size_t>(per_batch == 100 ? 30'000 : 100'000, options.responses);
    auto const steps = Workload{}.take(responses);
    std::vector<double> replicated, alone;
    for (unsigned i = 0; i < std::max(1U, options.repeats / 2); ++i) {
      Scratch const scratch(options.directory + "/replicated");
      auto const name = "batches" + std::to_string(per_batch) + '-' + std::to_string(i);
      auto const factor = static_cast<double>(per_batch);
      OpenEngine const engine(scratch.file("node"), log_of(nats, name));
      replicated.push_back(factor * batches_per_second(engine, batches_of(steps, per_batch)));
      alone.push_back(factor * batches_per_second(OpenEngine(scratch.file("alone")), batches_of(steps, per_batch)));
    }
    print({.figure = "one writer, batches of " + shown(static_cast<double>(per_batch)),
           .unit = "responses/s",
           .better = Better::higher,
           .whence = median(replicated),
           .others = {{"a store alone", median(alone)}}});
  }
}

engine::WriteBatch unit_batch(std::string const& id) {
  engine::WriteBatch batch;
  schema::ContextUnit unit{.id = id, .type = schema::ContextType::user, .source = "bench", .version = 1};
  unit.timestamp = {.seconds = 1'700'000'000, .nanos = 0};
  batch.records.push_back({.record = unit});
  return batch;
}

/// So many threads on each engine write units of their own for a while.
double units_per_second(std::deque<OpenEngine> const& engines, unsigned threads_each, std::string const& prefix) {
  std::atomic<std::uint64_t> written = 0;
  std::atomic<bool> ends = false;
  std::vector<std::jthread> threads;
  Stopwatch const watch;
  for (std::size_t node = 0; node < engines.size(); ++node) {
    for (unsigned thread = 0; thread < threads_each; ++thread) {
      threads.emplace_back([&, node, thread] {
        auto const mine = prefix + std::to_string(node) + '_' + std::to_string(thread) + '_';
        for (unsigned i = 0; !ends; ++i, ++written) engines[node].write(unit_batch(mine + std::to_string(i)));
      });
    }
  }
  while (watch.seconds() < writing_s) std::this_thread::sleep_for(std::chrono::milliseconds{10});
  auto const rate = static_cast<double>(written) / watch.seconds();
  ends = true;
  return rate;
}

void run_conflicts(Options const& options, NatsServers const& nats) {
  for (unsigned const threads : {1U, 8U}) {
    double one = 0;
    for (unsigned nodes = 1; nodes <= 3; ++nodes) {
      Scratch const scratch(options.directory + "/replicated");
      auto const name = "conflicts" + std::to_string(nodes) + '-' + std::to_string(threads);
      std::deque<OpenEngine> engines;
      for (unsigned i = 0; i < nodes; ++i) {
        engines.emplace_back(scratch.file("node" + std::to_string(i)), log_of(nats, name));
      }
      auto const rate = units_per_second(engines, threads, "cu_");
      if (nodes == 1) one = rate;
      std::uint64_t refused = 0;
      for (auto const& engine : engines) refused += engine->shared_log()->refused;
      auto const messages = BareStream(nats.urls(), name).figures().messages;
      print({.figure = shown(nodes) + " writing nodes, " + shown(threads) + " writers on each",
             .unit = "transactions/s",
             .better = Better::higher,
             .whence = rate,
             .others = {{"one node", one}},
             .note = shown(static_cast<double>(messages)) + " messages, " + shown(static_cast<double>(refused)) +
                     " came too late and were validated again"});
    }
  }
}

void run_catch_up(Options const& options, NatsServers const& nats) {
  Scratch const scratch(options.directory + "/replicated");
  std::uint64_t transactions = 0;
  {
    std::deque<OpenEngine> engines;
    engines.emplace_back(scratch.file("first"), log_of(nats, "long"));
    while (transactions < options.responses / 2) {
      (void)units_per_second(engines, 32, "cu_" + std::to_string(transactions) + '_');
      transactions = schema::number(engines.front()->snapshot().tx());
    }
  }
  std::vector<double> rates, reading;
  BareStream const stream(nats.urls(), "long");
  auto const per_message = static_cast<double>(transactions) / static_cast<double>(stream.figures().messages);
  for (unsigned i = 0; i < options.repeats; ++i) {
    reading.push_back(stream.read_rate());
    Stopwatch const watch;
    OpenEngine const engine(scratch.file("fresh" + std::to_string(i)), log_of(nats, "long"));
    rates.push_back(static_cast<double>(schema::number(engine->snapshot().tx())) / watch.seconds());
  }
  print({.figure = "a new node takes the log",
         .unit = "transactions/s",
         .better = Better::higher,
         .whence = median(rates),
         .others = {{"bare ordered consumer, messages (limit)", median(reading)}},
         .note = shown(static_cast<double>(transactions)) + " transactions, " + shown(per_message) + " a message"});
}

/// Impacts of random units a second, `threads` on each engine.
double reads_per_second(std::deque<OpenEngine> const& engines, unsigned threads) {
  std::atomic<std::uint64_t> answered = 0;
  std::atomic<bool> ends = false;
  std::vector<std::jthread> readers;
  Stopwatch const watch;
  for (auto const& engine : engines) {
    for (unsigned thread = 0; thread < threads; ++thread) {
      readers.emplace_back([&, thread] {
        std::mt19937 random{thread};
        while (!ends) {
          auto const snapshot = engine->snapshot();
          auto const unit = snapshot.find(schema::RecordType::context_unit, unit_id(random() % 1'000));
          auto const reached = graph::reach(snapshot, std::span{&*unit, 1}, graph::Direction::descendants,
                                            graph::WalkLimits{}, schema::NoInterrupt{});
          if (reached) ++answered;
        }
      });
    }
  }
  while (watch.seconds() < reading_s) std::this_thread::sleep_for(std::chrono::milliseconds{10});
  auto const rate = static_cast<double>(answered) / watch.seconds();
  ends = true;
  return rate;
}

/// One node with as many readers as three nodes have together: the cores are the same.
void run_reads(Options const& options, NatsServers const& nats) {
  Scratch const scratch(options.directory + "/replicated");
  auto const responses = std::min<std::uint32_t>(options.responses, 20'000);
  std::deque<OpenEngine> one;
  one.emplace_back(scratch.file("node0"), log_of(nats, "reads"));
  one.front().write_all(Workload{}.take(responses), 1'000);
  std::vector<double> by_one, by_three;
  std::deque<OpenEngine> three;
  for (unsigned i = 1; i <= 3; ++i) three.emplace_back(scratch.file("node" + std::to_string(i)), log_of(nats, "reads"));
  for (unsigned i = 0; i < options.repeats; ++i) {
    by_one.push_back(reads_per_second(one, 3));
    by_three.push_back(reads_per_second(three, 1));
  }
  print({.figure = "impacts on three nodes, a reader each",
         .unit = "answers/s",
         .better = Better::higher,
         .whence = median(by_three),
         .others = {{"three readers on one node", median(by_one)}},
         .note = "all on the cores of this machine"});
}

void run_failover(Options const& options, NatsServers& nats) {
  Scratch const scratch(options.directory + "/replicated");
  OpenEngine const engine(scratch.file("node"), log_of(nats, "failover"));
  BareStream const stream(nats.urls(), "failover");
  std::vector<double> seconds;
  unsigned written = 0;
  for (unsigned i = 0; i < options.repeats; ++i) {
    engine.write(unit_batch("cu_" + std::to_string(++written)));
    auto const leader = stream.figures().leader;
    nats.kill(leader);
    Stopwatch const watch;
    for (;;) {
      auto batch = unit_batch("cu_" + std::to_string(written + 1));
      batch.idempotency_key = "k" + std::to_string(written + 1);
      if (engine->write(std::move(batch))) break;
    }
    ++written;
    seconds.push_back(watch.seconds());
    nats.start(leader);
    std::this_thread::sleep_for(std::chrono::seconds{3});  // the server has to catch up before it may be missed
  }
  print({.figure = "from the end of the leading server to the next answered write",
         .unit = "s",
         .better = Better::lower,
         .whence = median(seconds),
         .others = {}});
}

}  // namespace

void run_replicated(Options const& options) {
  if (!NatsServers::are_installed()) {
    std::cout << "\nReplicated: left out, nats-server is not installed\n";
    return;
  }
  Scratch const scratch(options.directory + "/nats");
  NatsServers nats(scratch.file("servers"), servers);
  print_title("Replicated log: three servers of NATS with three replicas, all on this machine");
  run_one_by_one(options, nats);
  run_batches(options, nats);
  run_conflicts(options, nats);
  run_catch_up(options, nats);
  run_reads(options, nats);
  run_failover(options, nats);
}

}  // namespace whence::bench
