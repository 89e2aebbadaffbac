// The rate of exports, compared with a copy of the same bytes; their memory, and their effect on the writer.

#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/exported.hpp"
#include "tools/bench/parts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace whence::bench {
namespace {

constexpr double mebibyte = 1 << 20;

/// Resident memory of this process now, in MiB.
double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / mebibyte;
}

/// The limit: the same bytes read and written in pieces of 64 KiB, with fsync.
void copy_files(std::string const& from, std::string const& to) {
  std::filesystem::create_directories(to);
  std::vector<char> piece(1 << 16);
  for (auto const& entry : std::filesystem::directory_iterator{from}) {
    int const in = open(entry.path().c_str(), O_RDONLY);
    int const out =
        open((std::filesystem::path(to) / entry.path().filename()).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (auto got = read(in, piece.data(), piece.size()); got > 0; got = read(in, piece.data(), piece.size())) {
      if (write(out, piece.data(), static_cast<std::size_t>(got)) != got) throw std::runtime_error("copying failed");
    }
    fsync(out);
    close(in);
    close(out);
  }
}

void print_rate(engine::Engine const& engine, Scratch const& scratch, std::string_view format, unsigned repeats) {
  std::vector<double> rates;
  std::vector<double> copies;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < repeats; ++i) {
    Stopwatch const watch;
    bytes = export_to(engine, format, scratch.file("out"));
    rates.push_back(static_cast<double>(bytes) / mebibyte / watch.seconds());
    Stopwatch const copying;
    copy_files(scratch.file("out"), scratch.file("copy"));
    copies.push_back(static_cast<double>(bytes) / mebibyte / copying.seconds());
  }
  print({.figure = std::string(format),
         .unit = "MiB/s",
         .better = Better::higher,
         .whence = median(rates),
         .others = {{"copy of the same bytes (limit)", median(copies)}},
         .note = shown(static_cast<double>(bytes) / mebibyte) + " MiB"});
}

/// Durable batches of 100 per second while `lasts` returns true.
double write_rate(OpenEngine& engine, Workload& workload, std::function<bool()> const& lasts) {
  Stopwatch const watch;
  std::size_t written = 0;
  for (; lasts(); written += 100) engine.write_all(workload.take(100), 100);
  return static_cast<double>(written) / watch.seconds();
}

void print_beside_writer(OpenEngine& engine, Workload& workload, Scratch const& scratch, unsigned repeats) {
  std::vector<double> alone;
  std::vector<double> beside;
  for (unsigned i = 0; i < repeats; ++i) {
    Stopwatch const quiet;
    alone.push_back(write_rate(engine, workload, [&] { return quiet.seconds() < 3; }));
    std::atomic<bool> is_done = false;
    std::thread exporting([&] {
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);  // the priority of the server's jobs
      export_to(*engine, "graphml", scratch.file("beside"));
      is_done = true;
    });
    beside.push_back(write_rate(engine, workload, [&] { return !is_done.load(); }));
    exporting.join();
  }
  print({.figure = "responses written while a graphml is made, batches of 100",
         .unit = "1/s",
         .better = Better::higher,
         .whence = median(beside),
         .others = {{"alone", median(alone)}, {"expected at least", 0.8 * median(alone)}}});
}

void print_memory(engine::Engine const& engine, Scratch const& scratch) {
  double const before = resident_mib();
  double peak = before;
  std::atomic<bool> is_done = false;
  std::thread exporting([&] {
    export_to(engine, "graphml", scratch.file("memory"));
    is_done = true;
  });
  for (; !is_done; std::this_thread::sleep_for(std::chrono::milliseconds{10})) peak = std::max(peak, resident_mib());
  exporting.join();
  print({.figure = "memory gained while a graphml is made",
         .unit = "MiB",
         .better = Better::lower,
         .whence = std::max(peak - before, 0.0),
         .others = {{"expected at most", 64}}});
}

}  // namespace

void run_export(Options const& options) {
  Workload workload;
  Scratch const scratch(options.directory + "/export");
  OpenEngine engine(scratch.file("whence"));
  engine.write_all(workload.take(options.responses), 1'000);
  auto const snapshot = engine->snapshot();
  print_title("Exports of " + shown(snapshot.vertex_count()) + " nodes and " +
              shown(static_cast<double>(snapshot.edge_count())) + " edges to files");
  for (auto const* const format : {"jsonl", "csv", "graphml", "prov-json"}) {
    print_rate(*engine, scratch, format, std::min(options.repeats, 3U));
  }
  print_memory(*engine, scratch);
  print_beside_writer(engine, workload, scratch, std::min(options.repeats, 3U));
}

}  // namespace whence::bench
