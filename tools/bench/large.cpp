// One store as large as the machine holds: loaded, walked, exported, checked, started again. Nothing is repeated: the
// part shows that every step works at that size and how it grows, beside what a smaller run of the same part prints.

#include "graph/walks/walk.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/exported.hpp"
#include "tools/bench/parts.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <string>

namespace whence::bench {
namespace {

using graph::Direction;
using schema::RecordType;

constexpr std::uint32_t per_batch = 10'000;
constexpr double mebibyte = 1 << 20;

/// The highest resident memory of this process so far, in MiB.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

/// Writes the workload batch by batch, so that never more than one batch of it is in memory.
void load(OpenEngine& engine, std::uint32_t responses) {
  Workload workload;
  std::optional<double> first_tenth;
  Stopwatch const watch;
  for (std::uint32_t written = 0; written < responses;) {
    auto const count = std::min(per_batch, responses - written);
    engine.write_all(workload.take(count), per_batch);
    written += count;
    if (!first_tenth && written >= responses / 10) first_tenth = written / watch.seconds();
  }
  double const rate = responses / watch.seconds();
  print({.figure = "loaded, durable batches of 10,000, with making them",
         .unit = "responses/s",
         .better = Better::higher,
         .whence = rate,
         .others = {{"its first tenth", *first_tenth}}});
}

std::size_t walk(graph::Snapshot const& snapshot, schema::VertexId start, Direction direction) {
  return graph::reach(snapshot, std::span{&start, 1}, direction, graph::WalkLimits{}, schema::NoInterrupt{})
      ->vertices.size();
}

void print_walk(graph::Snapshot const& snapshot, std::string const& name, schema::VertexId start, Direction direction,
                unsigned repeats) {
  std::size_t size = 0;
  double const seconds = median_seconds(repeats, [&] { size = walk(snapshot, start, direction); });
  print({.figure = name,
         .unit = "ms",
         .better = Better::lower,
         .whence = seconds * 1e3,
         .others = {},
         .note = shown(static_cast<double>(size)) + " nodes"});
}

void walk_all(OpenEngine& engine, std::uint32_t responses, unsigned repeats) {
  auto const snapshot = engine->snapshot();
  auto const unit = snapshot.find(RecordType::context_unit, unit_id(0));
  auto const response = snapshot.find(RecordType::response, response_id(responses - 1));
  print_walk(snapshot, "impact of the first unit", *unit, Direction::descendants, repeats);
  print_walk(snapshot, "ancestors of the last response", *response, Direction::ancestors, repeats);
}

void export_all(OpenEngine& engine, Scratch const& scratch) {
  for (auto const* const format : {"jsonl", "graphml"}) {
    Stopwatch const watch;
    auto const bytes = static_cast<double>(export_to(*engine, format, scratch.file("out"))) / mebibyte;
    print({.figure = "exported as " + std::string{format},
           .unit = "MiB/s",
           .better = Better::higher,
           .whence = bytes / watch.seconds(),
           .others = {},
           .note = shown(bytes) + " MiB in " + shown(watch.seconds()) + " s"});
    std::filesystem::remove_all(scratch.file("out"));
  }
}

void check(OpenEngine& engine) {
  Stopwatch const watch;
  auto const report = engine->verify().value();
  if (!report.is_ok) throw std::runtime_error("verify: " + report.problems.front().message);
  print({.figure = "verified",
         .unit = "s",
         .better = Better::lower,
         .whence = watch.seconds(),
         .others = {},
         .note = shown(static_cast<double>(report.records)) + " contents, " + shown(static_cast<double>(report.edges)) +
                 " edges, no problem"});
}

double seconds_to_start(std::string const& directory) {
  Stopwatch const watch;
  OpenEngine engine(directory);
  if (!engine->snapshot().find(RecordType::response, response_id(0))) throw std::runtime_error("the store is empty");
  return watch.seconds();
}

}  // namespace

void run_large(Options const& options) {
  Scratch const scratch(options.directory + "/large");
  std::string const directory = scratch.file("whence");
  print_title("One store of " + shown(options.responses) + " responses");
  {
    OpenEngine engine(directory);
    load(engine, options.responses);
    auto const memory = engine->memory();
    auto const edges = static_cast<double>(engine->snapshot().edge_count());
    print({.figure = "memory, whole graph with nodes and ids",
           .unit = "bytes/edge",
           .better = Better::lower,
           .whence = static_cast<double>(memory.adjacency + memory.vertices + memory.states) / edges,
           .others = {},
           .note = shown(edges) + " edges"});
    print({.figure = "disk",
           .unit = "bytes/response",
           .better = Better::lower,
           .whence = static_cast<double>(engine->stats().file_bytes) / options.responses,
           .others = {}});
    walk_all(engine, options.responses, options.repeats);
    export_all(engine, scratch);
    check(engine);
    Stopwatch const making;
    auto const bytes = static_cast<double>(engine->make_checkpoint().value().bytes);
    print({.figure = "checkpoint made",
           .unit = "s",
           .better = Better::lower,
           .whence = making.seconds(),
           .others = {},
           .note = shown(bytes / mebibyte) + " MiB"});
  }
  print({.figure = "start with the checkpoint, to the first look-up",
         .unit = "s",
         .better = Better::lower,
         .whence = median_seconds(options.repeats, [&] { seconds_to_start(directory); }),
         .others = {}});
  print({.figure = "most memory of the whole run",
         .unit = "MiB",
         .better = Better::lower,
         .whence = peak_mib(),
         .others = {}});
}

}  // namespace whence::bench
