// The cost of a store: time to open it, memory, disk.

#include "graph/walks/walk.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/peers/sqlite.hpp"

#include <algorithm>
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

/// Seconds from nothing to the same answer of SQLite.
double seconds_to_sqlite_answer(std::string const& path) {
  Stopwatch const watch;
  SqlitePeer peer(path, SqlitePeer::Schema::tuned);
  if (peer.reach_by_search(response_key(0), SqlitePeer::Direction::ancestors, 1) == 0)
    throw std::runtime_error("SQLite's first answer is empty");
  return watch.seconds();
}

/// What a start takes with and without a checkpoint of everything, and SQLite's.
void measure_checkpoint(std::string const& directory, std::string const& sqlite, Options const& options) {
  std::vector<double> with, cold, without, peer;
  double bytes = 0;
  double making = 0;
  for (unsigned i = 0; i < options.repeats; ++i) {
    store::remove_checkpoint(directory, store::CheckpointOf::graph);
    without.push_back(seconds_to_first_answer(directory));
    {
      OpenEngine engine(directory);
      Stopwatch const watch;
      bytes = static_cast<double>(engine->make_checkpoint().value().bytes);
      making = watch.seconds();
    }
    seconds_to_first_answer(directory);
    with.push_back(seconds_to_first_answer(directory));
    forget_cached(directory + "/" + store::file_name_of(store::CheckpointOf::graph));
    forget_cached(directory + "/data.mdb");
    cold.push_back(seconds_to_first_answer(directory));
    peer.push_back(seconds_to_sqlite_answer(sqlite));
  }
  print({.figure = "start with a checkpoint, cached",
         .unit = "s",
         .better = Better::lower,
         .whence = median(with),
         .others = {{"expected under", 0.3}, {"whole log", median(without)}, {"SQLite", median(peer)}},
         .note = "made in " + std::to_string(making) + " s, " + std::to_string(bytes / (1 << 20)) + " MiB"});
  print({.figure = "start with a checkpoint, cold",
         .unit = "s",
         .better = Better::lower,
         .whence = median(cold),
         .others = {{"expected under", 1.0}}});
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
  print({.figure = "start from the whole log, cached",
         .unit = "s",
         .better = Better::lower,
         .whence = median(cached),
         .others = {{"expected under", 1.0}}});
  print({.figure = "start from the whole log, cold",
         .unit = "s",
         .better = Better::lower,
         .whence = median(cold),
         .others = {{"expected under", 1.0}}});
  {
    SqlitePeer peer(scratch.file("tuned.db"), SqlitePeer::Schema::tuned);
    for (std::size_t at = 0; at < steps.size(); at += 10'000)
      peer.write(steps, at, std::min<std::size_t>(steps.size(), at + 10'000));
  }
  measure_checkpoint(directory, scratch.file("tuned.db"), options);

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
