// purge: removes what records say, from a store or over a server.

#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct PurgeCommand {
  Target target = {};
  std::vector<std::string> refs = {};
  bool is_dry_run = false;
  bool cascades = false;
  bool is_json = false;
};

void show_list(json::object const& result, std::string_view name, std::string_view said, Io& io) {
  auto const* const list = result.if_contains(name);
  if (list == nullptr || !list->is_array()) return;
  for (json::value const& each : list->get_array()) {
    if (each.is_string()) io.data << said << ' ' << std::string_view{each.get_string()} << '\n';
  }
}

void show(json::object const& result, bool is_dry_run, Io& io) {
  show_list(result, "purged", is_dry_run ? "would purge" : "purged", io);
  show_list(result, "redacted", is_dry_run ? "would redact" : "redacted", io);
  show_list(result, "not_reached", "not reached:", io);
  auto const* const warnings = result.if_contains("warnings");
  if (warnings == nullptr || !warnings->is_array()) return;
  for (json::value const& each : warnings->get_array()) {
    io.talk << "warning: " << std::string_view{each.at("message").as_string()} << '\n';
  }
}

ExitCode run_purge(PurgeCommand const& command, Io& io) {
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!caller) return report(io, caller.error());
  json::object params{{"refs", json::array(command.refs.begin(), command.refs.end())}};
  if (command.is_dry_run) params["dry_run"] = true;
  if (command.cascades) params["cascade"] = true;
  CallResult<json::value> const result = (*caller)->call("records.purge", params);
  if (!result) return report(io, result.error());
  if (command.is_json || !result->is_object()) {
    io.data << schema::json::to_text(*result) << '\n';
  } else {
    show(result->get_object(), command.is_dry_run, io);
  }
  return ExitCode::ok;
}

}  // namespace

void add_purge_verb(Program& program) {
  CLI::App& app = program.add_verb("purge", "Removes what records say, for every moment; their nodes and edges stay",
                                   Purpose::maintain);
  auto command = std::make_shared<PurgeCommand>();
  app.add_option("refs", command->refs, "The records, as Type:id")->required();
  app.add_flag("--dry-run", command->is_dry_run, "Only says what would go");
  app.add_flag("--cascade", command->cascades, "Also responses and answers that were made from nothing else");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command](Io& io) { return run_purge(*command, io); });
}

}  // namespace whence::tools
