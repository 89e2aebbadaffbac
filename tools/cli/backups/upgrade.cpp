// `whence upgrade`: a store of an older format becomes one of the last.

#include "store/upkeep/upgrade.hpp"

#include "schema/json/json.hpp"
#include "tools/cli/options/settings.hpp"
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

struct UpgradeCommand {
  std::string db = {};
  std::string backup = {};
  bool has_no_backup = false;
  bool is_dry = false;
  bool is_json = false;
};

ExitCode refuse_upgrade(Io& io, Error const& error) {
  return report(io, {.exit = exit_code_of(error.code), .message = error.message});
}

void show_upgrade(json::object const& result, std::string const& said, UpgradeCommand const& command, Io& io) {
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.data << said << '\n';
  }
}

/// Where the copy goes: beside the store, unless it is named.
std::string backup_path(UpgradeCommand const& command, unsigned format) {
  if (command.has_no_backup) return {};
  if (!command.backup.empty()) return command.backup;
  auto path = std::filesystem::absolute(command.db).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.string() + ".format-" + std::to_string(format);
}

ExitCode run_upgrade(UpgradeCommand const& command, Io& io) {
  if (command.db.empty())
    return report(io, {.exit = ExitCode::usage, .message = "--db DIR is required: the store to upgrade"});
  StopSignal const stopped;
  try {
    auto const format = store::find_format(command.db);
    if (!format) return refuse_upgrade(io, format.error());
    auto const formats = "from format " + std::to_string(*format) + " to " + std::to_string(store::last_format());
    auto const backup = backup_path(command, *format);
    json::object result{{"db", command.db}, {"from", *format}, {"to", store::last_format()}};
    if (command.is_dry && *format < store::last_format()) {
      show_upgrade(result,
                   "would upgrade " + command.db + " " + formats +
                       (backup.empty() ? ", without a copy" : ", after copying it to " + backup),
                   command, io);
      return ExitCode::ok;
    }
    auto const done = store::upgrade(command.db, backup, stopped);
    if (!done) return refuse_upgrade(io, done.error());
    result["upgraded"] = done->written.has_value();
    if (!done->written) {
      show_upgrade(result, command.db + " has format " + std::to_string(done->to) + ", the last: nothing to do",
                   command, io);
      return ExitCode::ok;
    }
    if (!backup.empty()) result["backup"] = backup;
    result["tx"] = schema::number(done->written->tx);
    show_upgrade(
        result,
        "upgraded " + command.db + " " + formats + (backup.empty() ? "" : "; as it was before it is in " + backup),
        command, io);
  } catch (std::system_error const& failed) {
    return report(io, {.exit = ExitCode::failure, .message = failed.what()});
  }
  return ExitCode::ok;
}

}  // namespace

void add_upgrade_verb(Program& program) {
  CLI::App& app = program.add_verb("upgrade", "Brings a store of an older format to the last", Purpose::maintain);
  auto const command = std::make_shared<UpgradeCommand>();
  make_setting(app.add_option("--db", command->db, "The store's directory; no server may hold it"))->type_name("DIR");
  CLI::Option* const backup =
      app.add_option("--backup", command->backup,
                     "Where the store is copied to before, a path that does not exist (default: beside it, as "
                     "DIR.format-N)")
          ->type_name("DIR");
  app.add_flag("--no-backup", command->has_no_backup, "Makes no copy: one is there already, or there is no room")
      ->excludes(backup);
  app.add_flag("--dry-run", command->is_dry, "Only says what would be done");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  program.set_work(app, [command](Io& io) { return run_upgrade(*command, io); });
}

}  // namespace whence::tools
