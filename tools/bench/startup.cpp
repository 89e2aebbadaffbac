// The cost of a store: time to open it, memory, disk.

#include "graph/walks/walk.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <functional>

#include <fcntl.h>
#include <unistd.h>

namespace whence::bench {
namespace {

/// Drops the file's pages from the system's cache, so that the next open reads the disk.
void forget_cached(std::string const& path) {
  int const file = open(path.c_str(), O_RDONLY);
  if (file < 0) return;
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

/// Seconds from nothing to the first lineage answer.
double seconds_to_first_answer(std::string const& directory) {
  Stopwatch const watch;
  OpenEngine engine(directory);
  auto const snapshot = engine->snapshot();
  auto const start = snapshot.find(schema::RecordType::response, response_id(0));
  graph::WalkLimits limits;
  limits.depth = 1;
  auto const reach =
      graph::reach(snapshot, std::span{&*start, 1}, graph::Direction::ancestors, limits, schema::NoInterrupt{});
  if (reach->vertices.empty()) throw std::runtime_error("the first answer is empty");
  return watch.seconds();
}

}  // namespace

void run_startup(Options const& options) {
  auto const steps = Workload{}.take(options.responses);
  Scratch const scratch(options.directory + "/startup");
  std::string const directory = scratch.file("whence");
  double file_bytes = 0;
  {
    OpenEngine engine(directory);
    engine.write_all(steps, 10'000);
    file_bytes = static_cast<double>(engine->stats().file_bytes);
  }
  print_title("Start-up, memory and disk of " + shown(options.responses) + " responses");
  std::vector<double> cached, cold;
  seconds_to_first_answer(directory);
  for (unsigned i = 0; i < options.repeats; ++i) {
    cached.push_back(seconds_to_first_answer(directory));
    forget_cached(directory + "/data.mdb");
    cold.push_back(seconds_to_first_answer(directory));
  }
  print({.figure = "start to first answer, cached",
         .unit = "s",
         .better = Better::lower,
         .whence = median(cached),
         .others = {{"expected under", 1.0}}});
  print({.figure = "start to first answer, cold",
         .unit = "s",
         .better = Better::lower,
         .whence = median(cold),
         .others = {{"expected under", 1.0}}});

  OpenEngine engine(directory);
  auto const memory = engine->memory();
  auto const edges = static_cast<double>(engine->snapshot().edge_count());
  print({.figure = "memory, adjacency with weights and stamps",
         .unit = "bytes/edge",
         .better = Better::lower,
         .whence = static_cast<double>(memory.adjacency) / edges,
         .others = {{"expected under", 40.0}}});
  print({.figure = "memory, whole graph with nodes and ids",
         .unit = "bytes/edge",
         .better = Better::lower,
         .whence = static_cast<double>(memory.adjacency + memory.vertices + memory.states) / edges,
         .others = {{"expected under", 40.0}}});
  print({.figure = "disk",
         .unit = "bytes/response",
         .better = Better::lower,
         .whence = file_bytes / static_cast<double>(options.responses),
         .others = {{"expected under", 500.0}},
         .note = "including its share of units"});
}

}  // namespace whence::bench
