// The replicated log beside its nodes: its state, what is removed from its beginning, stores that join and leave it.

#include "engine/engine.hpp"
#include "schema/json/json.hpp"
#include "store/log/store.hpp"
#include "store/replicated/membership.hpp"
#include "store/replicated/nats_log.hpp"
#include "store/replicated/nats_upkeep.hpp"
#include "store/upkeep/look.hpp"
#include "tools/cli/options/nats_flags.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/output/views.hpp"
#include "tools/cli/program/program.hpp"

#include <memory>
#include <ostream>
#include <system_error>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct LogCommand {
  std::string action = {};
  std::string log = {};
  std::string db = {};
  std::string backup = {};
  bool is_json = false;
  store::NatsOptions nats = {};
};

json::object object_of(store::NatsLogState const& state, std::string const& stream) {
  return {{"log", stream},
          {"head", schema::number(state.head)},
          {"begins_after", schema::number(state.begins_after)},
          {"messages", state.messages},
          {"bytes", state.bytes},
          {"replicas", state.replicas},
          {"replicas_behind", state.replicas_behind},
          {"leader", state.leader}};
}

ExitCode show(json::object const& result, LogCommand const& command, Io& io) {
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    show_stats(result, io);
  }
  return ExitCode::ok;
}

ExitCode refuse(Error const& error, Io& io) {
  return report(io, {.exit = exit_code_of(error.code), .message = error.message});
}

ExitCode run_status(LogCommand const& command, Io& io) {
  auto const state = store::read_log_state(command.nats);
  if (!state) return refuse(state.error(), io);
  return show(object_of(*state, command.nats.address.stream), command, io);
}

/// Down to the head of a backup: who has it can still join.
ExitCode run_trim(LogCommand const& command, Io& io) {
  auto const backup = store::Store::open(command.backup, {.is_read_only = true});
  if (!backup) return refuse(backup.error(), io);
  auto const check = [&](std::span<std::byte const> group) { return (*backup)->check_is_head(group); };
  auto const state = store::trim_log(command.nats, (*backup)->stats().head, check);
  if (!state) return refuse(state.error(), io);
  return show(object_of(*state, command.nats.address.stream), command, io);
}

ExitCode run_join(LogCommand const& command, Io& io) {
  schema::SystemClock const clock;
  engine::RandomIds ids;
  auto const engine = engine::Engine::open({.directory = command.db}, clock, ids, store::make_nats_log(command.nats));
  if (!engine) return refuse(engine.error(), io);
  return show(
      json::object{
          {"db", command.db}, {"log", command.nats.address.stream}, {"tx", schema::number((*engine)->snapshot().tx())}},
      command, io);
}

ExitCode run_leave(LogCommand const& command, Io& io) {
  auto const ended = store::end_membership(command.db);
  if (!ended) return report(io, {.exit = ExitCode::unreachable, .message = ended.error().message});
  if (!*ended) {
    auto const look = store::look_at(command.db);
    bool const is_there = look || look.error().code != Errc::not_found;
    return report(io, {.exit = ExitCode::not_found,
                       .message = is_there ? "the store in " + command.db + " is in no log" : look.error().message});
  }
  return show(json::object{{"db", command.db}, {"log", nullptr}}, command, io);
}

struct Action {
  char const* name;
  ExitCode (*run)(LogCommand const&, Io&);
  std::string LogCommand::*needed[2];  ///< the options that it takes, all of which it needs; null: fewer
};

constexpr Action actions[] = {{"status", run_status, {&LogCommand::log, nullptr}},
                              {"trim", run_trim, {&LogCommand::log, &LogCommand::backup}},
                              {"join", run_join, {&LogCommand::log, &LogCommand::db}},
                              {"leave", run_leave, {&LogCommand::db, nullptr}}};

char const* flag_of(std::string LogCommand::*option) {
  if (option == &LogCommand::log) return "--log nats://HOST:PORT/STREAM";
  return option == &LogCommand::db ? "--db DIR" : "--backup DIR";
}

ExitCode run(LogCommand& command, Io& io) {
  auto const wrong = [&](std::string const& message) {
    return report(io, {.exit = ExitCode::usage, .message = message});
  };
  auto const* const action = std::ranges::find(actions, command.action, &Action::name);
  for (auto const option : {&LogCommand::log, &LogCommand::db, &LogCommand::backup}) {
    bool const is_needed = std::ranges::find(action->needed, option) != std::end(action->needed);
    bool const is_given = !(command.*option).empty();
    if (is_needed && !is_given) return wrong("log " + command.action + " needs " + flag_of(option));
    if (!is_needed && is_given) return wrong("log " + command.action + " takes no " + flag_of(option));
  }
  if (auto const flags = find_wrong_nats_flags(command.nats)) return wrong(*flags);
  if (!command.log.empty()) {
    auto address = store::parse_nats_address(command.log);
    if (!address) return wrong("--log: " + address.error().message);
    command.nats.address = std::move(*address);
  }
  try {
    return action->run(command, io);
  } catch (std::exception const& failed) {
    return report(io, {.exit = ExitCode::failure, .message = failed.what()});
  }
}

}  // namespace

void add_log_verb(Program& program) {
  CLI::App& verb =
      program.add_verb("log", "Shows and trims a replicated log; lets a store join it and leave it", Purpose::maintain);
  auto command = std::make_shared<LogCommand>();
  verb.add_option("action", command->action,
                  "status: what the log has; trim: removes what a store with the head of --backup does not need to "
                  "join; join: makes the store a node of the log, which an empty log takes over; leave: makes it a "
                  "store of its own again")
      ->required()
      ->check(CLI::IsMember({"status", "trim", "join", "leave"}));
  verb.add_option("--log", command->log, "Where the log is")->type_name("nats://HOST:PORT[,...]/STREAM");
  verb.add_option("--db", command->db, "The store's directory; no server may hold it")->type_name("DIR");
  verb.add_option("--backup", command->backup, "A directory that backup made")->type_name("DIR");
  add_nats_flags(verb, command->nats);
  verb.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  program.set_work(verb, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
