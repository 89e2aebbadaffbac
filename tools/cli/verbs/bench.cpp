// `whence bench`: runs the separate program `whence-bench`, so that this one need not link the libraries that the
// benchmarks compare with.

#include "tools/cli/program/program.hpp"

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace whence::tools {
namespace {

/// Replaces this process by `whence-bench` in the same directory. Returns only if that fails.
ExitCode run(std::vector<std::string> arguments, Io& io) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("whence-bench").string();
  std::vector<char*> argv{program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  int const failed = errno;
  return report(io, {.message = program + " cannot be run (" + std::generic_category().message(failed) +
                                "); `tools/setup bench`, then `tools/build release bench` build it"});
}

}  // namespace

void add_bench_verb(Program& program) {
  CLI::App& app = program.add_verb("bench", "Runs whence-bench of the same directory with the arguments that follow",
                                   Purpose::maintain);
  app.prefix_command();  // everything after the first argument that is not this verb's is passed on
  program.set_work(app, [&app](Io& io) { return run(app.remaining(), io); });
}

}  // namespace whence::tools
