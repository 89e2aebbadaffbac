// Maintenance of a store: verify, compact, checkpoint; and version.

#include "engine/engine.hpp"
#include "net/base/errors.hpp"
#include "net/base/version.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "store/upkeep/compact.hpp"
#include "store/verify/verify.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/long_call.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/output/views.hpp"
#include "tools/cli/process/stop_signal.hpp"
#include "tools/cli/program/program.hpp"

#include <filesystem>
#include <memory>
#include <ostream>
#include <system_error>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// The options of all verbs here; each uses some of them.
struct UpkeepCommand {
  Target target = {};
  bool is_json = false;
};

/// A report in the form of the result of `admin.verify`.
json::object object_of(store::VerifyReport const& verified) {
  json::array problems;
  for (store::Problem const& problem : verified.problems) {
    problems.push_back({{"where", problem.where}, {"rule", problem.rule}, {"message", problem.message}});
  }
  return {{"ok", verified.is_ok},
          {"tx", schema::number(verified.tx)},
          {"checked",
           {{"entries", verified.entries},
            {"records", verified.records},
            {"blobs", verified.blobs},
            {"edges", verified.edges}}},
          {"problems", std::move(problems)}};
}

CallResult<json::object> verify_store(std::string const& directory, Progress& progress) {
  Result<store::VerifyReport> const verified =
      store::verify(directory, false, schema::NoInterrupt{}, progress.advance());
  // No store, or one held by a server: nothing was verified, so neither 0 nor 8.
  if (!verified) {
    return CallError{.exit = exit_code_of(verified.error().code), .message = verified.error().message};
  }
  return object_of(*verified);
}

CallResult<json::object> verify_server(Target const& target, Progress& progress) {
  CallResult<json::value> result = call_long(target, "admin.verify", {}, progress);
  if (!result) return result.error();
  return result->is_object() ? std::move(result->get_object()) : json::object{};
}

ExitCode run_verify(UpkeepCommand const& command, Io& io) {
  bool const is_local = !command.target.db.empty();
  Progress progress{io, 0};
  CallResult<json::object> const result =
      is_local ? verify_store(command.target.db, progress) : verify_server(command.target, progress);
  progress.clear();
  if (!result) return report(io, result.error());
  if (command.is_json) {
    io.data << schema::json::to_text(*result) << '\n';
  } else {
    show_verification(*result, io);
  }
  json::value const* const ok = result->if_contains("ok");
  return ok != nullptr && ok->is_bool() && ok->get_bool() ? ExitCode::ok : ExitCode::verification_failed;
}

void show(json::object const& result, UpkeepCommand const& command, Io& io) {
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    show_stats(result, io);
  }
}

ExitCode run_compact(UpkeepCommand const& command, Io& io) {
  if (command.target.db.empty())
    return report(io, {.exit = ExitCode::usage, .message = "--db DIR is required: the store to compact"});
  StopSignal const stopped;
  try {
    Progress progress{io, 0};
    Result<store::CompactResult> const done = store::compact(command.target.db, stopped, progress.advance());
    progress.clear();
    if (!done) return report(io, {.exit = exit_code_of(done.error().code), .message = done.error().message});
    show(json::object{{"db", command.target.db},
                      {"tx", schema::number(done->tx)},
                      {"bytes_before", done->bytes_before},
                      {"bytes_after", done->bytes_after}},
         command, io);
  } catch (std::system_error const& failed) {
    return report(io, {.exit = ExitCode::failure, .message = failed.what()});
  }
  return ExitCode::ok;
}

/// Opening the store has removed a checkpoint that is not to be used.
ExitCode run_checkpoint(UpkeepCommand const& command, Io& io) {
  if (command.target.db.empty())
    return report(io, {.exit = ExitCode::usage, .message = "--db DIR is required: the store to make a checkpoint of"});
  try {
    if (!std::filesystem::exists(std::filesystem::path(command.target.db) / "data.mdb")) {  // opening would make one
      return report(io, {.exit = ExitCode::not_found, .message = "there is no store in " + command.target.db});
    }
    schema::SystemClock const clock;
    engine::RandomIds ids;
    auto const engine = engine::Engine::open({.directory = command.target.db}, clock, ids);
    if (!engine) return report(io, {.exit = exit_code_of(engine.error().code), .message = engine.error().message});
    auto const made = (*engine)->make_checkpoint();
    if (!made) return report(io, {.exit = exit_code_of(made.error().code), .message = made.error().message});
    show(json::object{{"db", command.target.db}, {"tx", schema::number(made->tx)}, {"bytes", made->bytes}}, command,
         io);
  } catch (std::system_error const& failed) {
    return report(io, {.exit = ExitCode::failure, .message = failed.what()});
  }
  return ExitCode::ok;
}

ExitCode run_version(UpkeepCommand const& command, Io& io) {
  if (command.is_json) {
    std::string text;
    schema::json::Writer{text}
        .begin_object()
        .member("version", net::version())
        .member("build", net::build_info())
        .member("protocol", net::protocol_version)
        .end_object();
    io.data << text << '\n';
  } else {
    io.data << "whence " << net::version() << " (" << net::build_info() << "), protocol " << net::protocol_version
            << '\n';
  }
  return ExitCode::ok;
}

using Run = ExitCode (*)(UpkeepCommand const&, Io&);

std::shared_ptr<UpkeepCommand> add(Program& program, CLI::App& app, Run run) {
  auto command = std::make_shared<UpkeepCommand>();
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  program.set_work(app, [command, run](Io& io) { return run(*command, io); });
  return command;
}

}  // namespace

void add_upkeep_verbs(Program& program) {
  CLI::App& verify = program.add_verb("verify", "Checks every hash and link of a store; exit code 8 if one is wrong",
                                      Purpose::maintain);
  add_target_flags(verify, add(program, verify, run_verify)->target);

  CLI::App& compact = program.add_verb("compact", "Writes a store anew: smaller, without any byte of what was deleted",
                                       Purpose::maintain);
  auto const compact_command = add(program, compact, run_compact);
  make_setting(compact.add_option("--db", compact_command->target.db, "The store's directory; no server may hold it"))
      ->type_name("DIR");

  CLI::App& checkpoint =
      program.add_verb("checkpoint", "Lets the next start of a large store be quick", Purpose::maintain);
  auto const checkpoint_command = add(program, checkpoint, run_checkpoint);
  make_setting(
      checkpoint.add_option("--db", checkpoint_command->target.db, "The store's directory; no server may hold it"))
      ->type_name("DIR");

  add(program, program.add_verb("version", "Prints the version", Purpose::maintain), run_version);
}

}  // namespace whence::tools
