// `whence backup`: a copy of a store, sets that grow, and which of them are kept. `whence restore`.

#include "queries/retention/retention.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "store/backups/backup_set.hpp"
#include "store/backups/prune.hpp"
#include "store/backups/recovery.hpp"
#include "store/files/files.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/last_backup.hpp"
#include "tools/cli/backups/erased.hpp"
#include "tools/cli/backups/wire_source.hpp"
#include "tools/cli/options/own_words.hpp"
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

#include <CLI/Validators.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct BackupCommand {
  Target target = {};
  std::string path = {};  ///< or the word `prune`
  std::string sets = {};  ///< of `prune`
  bool is_incremental = false;
  std::string new_base_after = {};
  std::string keep = {};
  std::uint32_t hourly = 0;
  std::uint32_t daily = 0;
  std::uint32_t weekly = 0;
  bool is_dry = false;
  bool is_json = false;
  CLI::App const* app = nullptr;

  [[nodiscard]] bool prunes() const { return path == "prune"; }
};

struct RestoreCommand {
  std::string backup = {};
  std::string db = {};
  std::optional<std::uint64_t> to_tx = {};
  std::string to_time = {};
  std::string erased = {};  ///< a file with what must stay gone
  bool is_json = false;
};

ExitCode refuse_backup(Io& io, Error const& error) {
  return report(io, {.exit = exit_code_of(error.code), .message = error.message});
}

ExitCode refuse_usage(Io& io, std::string message) {
  return report(io, {.exit = ExitCode::usage, .message = std::move(message)});
}

void show_backup(json::object const& result, bool is_json, Io& io) {
  if (is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    show_stats(result, io);
  }
}

/// The seconds of `7d`; nothing where it was not given.
Result<std::optional<std::int64_t>> find_seconds(std::string const& flag, std::string const& text) {
  if (text.empty()) return std::optional<std::int64_t>{};
  auto const age = queries::parse_age(text);
  if (age) return std::optional{static_cast<std::int64_t>(age->count())};
  return Error{Errc::invalid_params, flag + ": \"" + text + "\" is not a number and d, h, m or s, such as 7d"};
}

ExitCode run_copy_of_store(BackupCommand const& command, std::string const& path, Io& io) {
  auto const caller = LocalCaller::open_local(command.target.db, MissingStore::is_error);
  if (!caller) return report(io, caller.error());
  Progress progress{io, 0};
  auto const made = (*caller)->engine().backup(path, schema::NoInterrupt{}, progress.advance());
  progress.clear();
  if (!made) return refuse_backup(io, made.error());
  json::object const result{{"path", path}, {"tx", schema::number(made->tx)}, {"bytes", made->bytes}};
  show_backup(result, command.is_json, io);
  return ExitCode::ok;
}

/// The one copy, at a path that does not exist.
ExitCode run_copy(BackupCommand const& command, Io& io) {
  std::string const path = std::filesystem::absolute(command.path).lexically_normal().string();
  if (!command.target.db.empty()) return run_copy_of_store(command, path, io);
  Progress progress{io, 0};
  CallResult<json::value> const result = call_long(command.target, "admin.backup", {{"path", path}}, progress);
  progress.clear();
  if (!result) return report(io, in_own_words(result.error(), *command.app));
  if (result->is_object()) {
    show_backup(result->get_object(), command.is_json, io);
  } else {
    io.data << schema::json::to_text(*result) << '\n';
  }
  return ExitCode::ok;
}

Result<store::IncrementResult> increment_from_store(BackupCommand const& command, std::string const& path,
                                                    store::IncrementOptions const& options, Io& io) {
  auto const opened = store::open_to_read(command.target.db);
  if (!opened) return opened.error();
  store::StoreSource source{**opened};
  auto made = store::back_up_increment(source, path, options);
  if (!made) return made;
  try {
    store::keep_last_backup(command.target.db, {.at = options.now, .tx = made->tx, .path = path});
  } catch (std::system_error const& failed) {  // the backup is made all the same
    io.talk << "warning: the store does not know of this backup: " << failed.what() << '\n';
  }
  return made;
}

json::object object_of(store::IncrementResult const& made, std::string const& path) {
  return {{"path", path},
          {"set", made.set.filename().string()},
          {"base", made.is_base},
          {"from", schema::number(made.from)},
          {"tx", schema::number(made.tx)},
          {"bytes", made.bytes}};
}

ExitCode run_increment(BackupCommand const& command, Io& io) {
  auto const new_base_after = find_seconds("--new-base-after", command.new_base_after);
  if (!new_base_after) return refuse_usage(io, new_base_after.error().message);
  Progress progress{io, 0};
  store::IncrementOptions const options{.now = schema::SystemClock{}.now(),
                                        .new_base_after_s = new_base_after->value_or(store::never_s),
                                        .advance = progress.advance()};
  std::string const path = std::filesystem::absolute(command.path).lexically_normal().string();
  if (!command.target.db.empty()) {
    auto const made = increment_from_store(command, path, options, io);
    progress.clear();
    if (!made) return refuse_backup(io, made.error());
    show_backup(object_of(*made, path), command.is_json, io);
    return ExitCode::ok;
  }
  CallResult<std::unique_ptr<Caller>> const caller = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!caller) return report(io, caller.error());
  WireSource source{**caller};
  auto const refuse_call = [&](Error const& error) {
    return source.failure() ? report(io, *source.failure()) : refuse_backup(io, error);
  };
  auto const made = store::back_up_increment(source, path, options);
  progress.clear();
  if (!made) return refuse_call(made.error());
  if (auto const noted = source.note(made->tx, path); !noted) return refuse_call(noted.error());
  show_backup(object_of(*made, path), command.is_json, io);
  return ExitCode::ok;
}

json::array names_of_sets(std::vector<std::filesystem::path> const& sets) {
  json::array names;
  for (auto const& set : sets) names.emplace_back(set.filename().string());
  return names;
}

ExitCode run_prune(BackupCommand const& command, Io& io) {
  auto const window = find_seconds("--keep", command.keep);
  if (!window) return refuse_usage(io, window.error().message);
  bool const has_rule = *window || command.hourly > 0 || command.daily > 0 || command.weekly > 0;
  if (!has_rule) return refuse_usage(io, "prune needs --keep, --keep-hourly, --keep-daily or --keep-weekly");
  auto const done = store::prune_sets(command.sets,
                                      {.now = schema::SystemClock{}.now(),
                                       .window_s = *window,
                                       .hourly = command.hourly,
                                       .daily = command.daily,
                                       .weekly = command.weekly},
                                      command.is_dry);
  if (!done) return refuse_backup(io, done.error());
  if (command.is_json) {
    io.data << schema::json::to_text(json::object{{"path", command.sets},
                                                  {"kept", names_of_sets(done->kept)},
                                                  {"removed", names_of_sets(done->removed)},
                                                  {"bytes", done->bytes}})
            << '\n';
    return ExitCode::ok;
  }
  for (auto const& set : done->removed) {
    io.data << (command.is_dry ? "would remove " : "removed ") << set.filename().string() << '\n';
  }
  for (auto const& set : done->kept) io.data << "kept " << set.filename().string() << '\n';
  return ExitCode::ok;
}

ExitCode run_backup(BackupCommand const& command, Io& io) {
  if (command.prunes() == command.sets.empty()) {
    return refuse_usage(io, command.prunes() ? "prune needs the directory of the backups"
                                             : "\"" + command.sets + "\" is one argument too many");
  }
  if (schema::has_control_character(command.path)) {  // a line of a file names it
    return refuse_usage(io, "the path of a backup must have no control characters");
  }
  try {
    if (command.prunes()) return run_prune(command, io);
    return command.is_incremental ? run_increment(command, io) : run_copy(command, io);
  } catch (std::system_error const& failed) {
    return report(io, {.exit = ExitCode::failure, .message = failed.what()});
  }
}

Result<store::RecoveryTarget> target_of(RestoreCommand const& command) {
  store::RecoveryTarget target;
  if (command.to_tx) target.tx = schema::TxId{*command.to_tx};
  if (command.to_time.empty()) return target;
  target.time = schema::parse_rfc3339(command.to_time);
  if (target.time) return target;
  return Error{Errc::invalid_params, "--to-time: \"" + command.to_time + "\" is no time such as 2026-01-31T12:00:00Z"};
}

void show_backup(store::RecoveryResult const& restored, RestoreCommand const& command, Io& io) {
  std::string const at = restored.at ? schema::format_rfc3339(*restored.at) : std::string{};
  io.talk << "restored " << command.backup << " to " << command.db << '\n';
  if (restored.purged_later > 0) {
    io.talk << "warning: contents of " << restored.purged_later
            << " records were purged after this moment, and may be in the restored store again: purge them there\n";
  }
  if (!command.is_json) {
    io.data << "restored at transaction " << schema::number(restored.tx);
    if (!at.empty()) io.data << " of " << at;
    io.data << (restored.is_last ? ", the last of the backup" : "") << '\n';
    return;
  }
  json::object result{{"db", command.db},
                      {"from", restored.from.string()},
                      {"tx", schema::number(restored.tx)},
                      {"segments", restored.segments},
                      {"removed", restored.removed},
                      {"purged_later", restored.purged_later}};
  if (!at.empty()) result["at"] = at;
  io.data << schema::json::to_text(result) << '\n';
}

/// Restores beside the place, takes out what must stay gone, and gives the rest its name: at no moment is there a store
/// that has it.
ExitCode run_restore_without(RestoreCommand const& command, store::RecoveryTarget const& target,
                             StopSignal const& stopped, Io& io) {
  auto const erased = read_erased_list(command.erased, "--erased");
  if (!erased) return report(io, erased.error());
  std::filesystem::path const place{command.db};
  if (std::filesystem::exists(place) && !std::filesystem::is_empty(place))
    return refuse_backup(io, {Errc::conflict, place.string() + " is not empty"});
  store::StagingDirectory staging{place};
  Progress progress{io, 0};
  auto restored = store::recover(command.backup, staging.path(), target, stopped, progress.advance());
  progress.clear();
  if (!restored) return refuse_backup(io, restored.error());
  auto const purged = apply_erased(staging.path(), *erased, stopped, progress.advance());
  progress.clear();
  if (!purged) return report(io, purged.error());
  if (auto const named = staging.become_target(); !named) return refuse_backup(io, named.error());
  restored->purged_later = 0;
  show_backup(*restored, command, io);
  io.talk << "erased again: " << *purged << " records\n";
  if (*purged == 0) io.talk << "the backup has nothing that is on the list of --erased and was erased after it\n";
  return ExitCode::ok;
}

ExitCode run_restore(RestoreCommand const& command, Io& io) {
  if (command.db.empty()) return refuse_usage(io, "--db DIR is required: the directory to restore to");
  auto const target = target_of(command);
  if (!target) return refuse_usage(io, target.error().message);
  StopSignal const stopped;
  try {
    if (!command.erased.empty()) return run_restore_without(command, *target, stopped, io);
    Progress progress{io, 0};
    auto const restored = store::recover(command.backup, command.db, *target, stopped, progress.advance());
    progress.clear();
    if (!restored) return refuse_backup(io, restored.error());
    show_backup(*restored, command, io);
  } catch (std::system_error const& failed) {
    return report(io, {.exit = ExitCode::failure, .message = failed.what()});
  }
  return ExitCode::ok;
}

void add_backup_verb(Program& program) {
  CLI::App& app = program.add_verb("backup", "Copies a store while it is written to; adds to backups; prunes them",
                                   Purpose::maintain);
  auto const command = std::make_shared<BackupCommand>();
  command->app = &app;
  app.add_option("path", command->path,
                 "Path of the copy (on the server's machine); must not exist. With --incremental the directory of the "
                 "backups, on this machine. Or the word prune")
      ->type_name("PATH")
      ->required();
  app.add_option("sets", command->sets, "After prune: the directory of the backups")->type_name("DIR");
  app.add_flag("--incremental", command->is_incremental,
               "Adds what is new since the last backup in the directory; a server may hold the store");
  app.add_option("--new-base-after", command->new_base_after,
                 "With --incremental: after so long a new copy of the whole store is made, and a new set begins; 7d, "
                 "12h, 30m")
      ->type_name("AGE");
  app.add_option("--keep", command->keep,
                 "With prune: every moment that is younger can still be restored; 7d, 12h, 30m")
      ->type_name("AGE");
  app.add_option("--keep-hourly", command->hourly,
                 "With prune: keeps the last set of each of the last N hours with sets")
      ->type_name("N");
  app.add_option("--keep-daily", command->daily, "With prune: the same of days")->type_name("N");
  app.add_option("--keep-weekly", command->weekly, "With prune: the same of weeks")->type_name("N");
  app.add_flag("--dry-run", command->is_dry, "With prune: only says what would go");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command](Io& io) { return run_backup(*command, io); });
}

void add_restore_verb(Program& program) {
  CLI::App& app = program.add_verb("restore", "Creates a store from a backup, as of any moment", Purpose::maintain);
  auto const command = std::make_shared<RestoreCommand>();
  app.add_option("backup", command->backup, "A directory that backup made")->type_name("DIR")->required();
  make_setting(app.add_option("--db", command->db, "The store's directory; absent or empty"))->type_name("DIR");
  CLI::Option* const to_tx =
      app.add_option("--to-tx", command->to_tx, "The last transaction that is restored; without it the last there is")
          ->type_name("TX");
  app.add_option("--to-time", command->to_time, "The same, as a time: the last transaction committed by then")
      ->type_name("TIME")
      ->excludes(to_tx);
  app.add_option("--erased", command->erased,
                 "A list of what must stay gone, as person erase --list makes it: what was erased after the backup is "
                 "purged before the store gets its name")
      ->type_name("FILE");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  program.set_work(app, [command](Io& io) { return run_restore(*command, io); });
}

}  // namespace

void add_backup_verbs(Program& program) {
  add_backup_verb(program);
  add_restore_verb(program);
}

}  // namespace whence::tools
