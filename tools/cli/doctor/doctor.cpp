// The verb `doctor`: a store with its machine, or a running server.

#include "schema/base/time.hpp"
#include "store/replicated/nats_upkeep.hpp"
#include "tools/cli/doctor/machine.hpp"
#include "tools/cli/doctor/server_health.hpp"
#include "tools/cli/doctor/store_health.hpp"
#include "tools/cli/options/nats_flags.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/download.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace whence::tools {
namespace {

constexpr std::chrono::milliseconds patience{10'000};
constexpr std::size_t metrics_bytes_max = std::size_t{64} << 20;

struct DoctorCommand {
  Target target = {};
  std::string log = {};
  store::NatsOptions nats = {};
  bool is_json = false;
};

/// Whether the servers of the replicated log answer, and have what they should.
Result<void> look_at_log(DoctorCommand const& command, Findings& out) {
  auto options = command.nats;
  auto address = store::parse_nats_address(command.log);
  if (!address) return Error{.code = Errc::invalid_params, .message = "--log: " + address.error().message};
  options.address = std::move(*address);
  auto const state = store::read_log_state(options);
  if (!state) {
    out.fail("log", state.error().message, "look at the NATS servers and the network to them");
  } else if (state->replicas_behind > 0) {
    out.warn("log",
             std::to_string(state->replicas_behind) + " of " + std::to_string(state->replicas) +
                 " copies of the replicated log lack something, or their server is away",
             "look at the NATS servers");
  } else {
    out.ok("log", "the replicated log answers, at transaction " + std::to_string(schema::number(state->head)));
  }
  return {};
}

CallResult<void> look_at_server(DoctorCommand const& command, std::int64_t now_s, Findings& out) {
  auto const server = find_server(command.target, patience);
  if (!server) return server.error();
  std::string text;
  std::atomic<bool> is_too_long = false;
  auto const fetched = download(*server, "/metrics", is_too_long, [&](std::string_view piece) {
    text.append(piece);
    is_too_long = text.size() > metrics_bytes_max;
  });
  if (!fetched) return fetched.error();
  auto const samples = parse_samples(text);
  if (!samples.contains("whence_tx")) {
    return CallError{.exit = ExitCode::failure, .message = "what answers at /metrics is no server of Whence"};
  }
  out.ok("server", "it answers");
  look_at_samples(samples, now_s, out);
  return {};
}

ExitCode run(DoctorCommand const& command, Io& io) {
  if (command.target.db.empty() && command.target.url.empty()) {
    return report(io, {.exit = ExitCode::usage,
                       .message = "--db DIR (a store and this machine) or --url URL (a running server) is needed"});
  }
  if (auto const flags = find_wrong_nats_flags(command.nats)) {
    return report(io, {.exit = ExitCode::usage, .message = *flags});
  }
  Findings findings;
  auto const now_s = schema::SystemClock{}.now().seconds;
  if (!command.target.db.empty()) {
    auto const machine = read_machine();
    look_at_machine(machine, findings);
    look_at_store(command.target.db, now_s, machine, findings);
  } else if (auto const looked = look_at_server(command, now_s, findings); !looked) {
    return report(io, looked.error());
  }
  if (!command.log.empty()) {
    if (auto const looked = look_at_log(command, findings); !looked) {
      return report(io, {.exit = ExitCode::usage, .message = looked.error().message});
    }
  }
  print(findings, command.is_json, io);
  return exit_of(findings.worst());
}

}  // namespace

void add_doctor_verb(Program& program) {
  CLI::App& app =
      program.add_verb("doctor", "Says what would go wrong with a store, its machine or a server", Purpose::maintain);
  auto command = std::make_shared<DoctorCommand>();
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  app.add_option("--log", command->log, "The replicated log, to see whether its servers answer")
      ->type_name("nats://HOST:PORT[,...]/STREAM");
  add_nats_flags(app, command->nats);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
