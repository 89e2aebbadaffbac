// `whence health`: whether a server answers and is ready, for health checks of containers and scripts.

#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/download.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>

namespace whence::tools {
namespace {

/// A server that needs longer is not well.
constexpr std::chrono::milliseconds answer_max{5'000};

struct HealthCommand {
  Target target = {};
  bool is_live_enough = false;
};

ExitCode check_health(HealthCommand const& command, Io& io) {
  CallResult<DialConfig> const server = find_server(command.target, answer_max);
  if (!server) return report(io, server.error());
  std::atomic<bool> const is_stopped = false;
  std::string answer;
  auto const asked = download(*server, command.is_live_enough ? "/healthz" : "/readyz", is_stopped,
                              [&answer](std::string_view piece) { answer.append(piece); });
  if (!asked) return report(io, asked.error());
  io.data << answer << '\n';
  return ExitCode::ok;
}

}  // namespace

void add_health_verb(Program& program) {
  CLI::App& verb = program.add_verb("health", "Tells whether a server is ready; exit code 6 where not", Purpose::serve);
  auto command = std::make_shared<HealthCommand>();
  add_server_flags(verb, command->target);
  verb.add_flag("--live", command->is_live_enough, "Only whether it answers, ready or not");
  program.set_work(verb, [command](Io& io) { return check_health(*command, io); });
}

}  // namespace whence::tools
