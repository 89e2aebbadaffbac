// `whence-bench`: every figure with those of its peers and its limit, from one run on one machine.

#include "tools/bench/parts.hpp"

#include <array>
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

namespace {

struct Part {
  char const* name;
  void (*run)(whence::bench::Options const&);
  bool is_run_by_name_only = false;
};

constexpr std::array parts{
    Part{"ingest", whence::bench::run_ingest},
    Part{"lineage", whence::bench::run_lineage},
    Part{"startup", whence::bench::run_startup},
    Part{"wire", whence::bench::run_wire},
    Part{"attachments", whence::bench::run_attachments},
    Part{"xml", whence::bench::run_xml},
    Part{"retrieval", whence::bench::run_retrieval},
    Part{"live", whence::bench::run_live},
    Part{"export", whence::bench::run_export},
    Part{"disk", whence::bench::run_disk},
    Part{"capture", whence::bench::run_capture},
    Part{"replicated", whence::bench::run_replicated},
    Part{"find", whence::bench::run_find},
    Part{"persons", whence::bench::run_persons},
    Part{"search", whence::bench::run_search},
    Part{"cypher", whence::bench::run_cypher},
    Part{"large", whence::bench::run_large, true},
};

}  // namespace

int main(int argc, char** argv) {
  whence::bench::Options options;
  options.directory = "whence-bench-data";
  CLI::App app{"Benchmarks of Whence compared with peers and limits; medians of repeated runs"};
  app.add_option(
      "part", options.only,
      "capture, cypher, disk, export, find, ingest, lineage, startup, wire, attachments, xml, retrieval, live, "
      "persons, replicated, search or large; "
      "default: all but large");
  app.add_option("--responses", options.responses, "number of responses in the workload; number of vectors")
      ->check(CLI::Range(1'000, 10'000'000));
  app.add_option("--events", options.events, "live: number of replayed events")->check(CLI::Range(1'000, 10'000'000));
  app.add_option("--slow-events", options.slow_events, "live: number of events written with slow readers")
      ->check(CLI::Range(100, 10'000'000));
  app.add_option("--repeats", options.repeats, "number of measurements of each figure")->check(CLI::Range(1, 100));
  app.add_option("--dir", options.directory, "directory for the stores; removed afterwards");
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::cout << "machine: " << whence::bench::machine() << "; " << options.responses << " responses, medians of "
            << options.repeats << "\n(Nx) is the factor by which Whence is better than the figure before it\n";
  bool is_known = options.only.empty();
  try {
    for (Part const& part : parts) {
      bool const is_wanted = options.only.empty() ? !part.is_run_by_name_only : options.only == part.name;
      if (!is_wanted) continue;
      is_known = true;
      part.run(options);
    }
  } catch (std::exception const& error) {
    std::cerr << "whence-bench: " << error.what() << "\n";
    return 1;
  }
  if (!is_known) std::cerr << "whence-bench: no part is called " << options.only << "\n";
  return is_known ? 0 : 2;
}
