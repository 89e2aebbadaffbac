// delete and purge: nodes go from the graph, or what records say goes for every moment. On a terminal both show what
// goes and ask.

#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/labels.hpp"
#include "tools/cli/personal/erasure.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// A list of the result, and what is said of each of its items.
struct ResultList {
  std::string_view name;
  std::string_view would;
  std::string_view done;
};

struct RemoveVerb {
  std::string_view name;
  std::string_view method;
  std::string_view doc;
  Purpose purpose;
  std::string_view extra_param;  ///< a flag of this verb alone
  std::string_view extra_doc;
  std::array<ResultList, 3> lists;
};

constexpr std::array<RemoveVerb, 2> verbs = {
    RemoveVerb{.name = "delete",
               .method = "records.delete",
               .doc = "Deletes nodes; what the graph was before can still be asked for",
               .purpose = Purpose::write,
               .extra_param = "force",
               .extra_doc = "Also units that responses use, and versions that a later one names",
               .lists = {ResultList{"deleted", "would delete", "deleted"},
                         ResultList{"orphaned", "would lose its topic:", "lost its topic:"},
                         ResultList{"dangling", "would lose its attachment:", "lost its attachment:"}}},
    RemoveVerb{
        .name = "purge",
        .method = "records.purge",
        .doc = "Removes what records say, for every moment; their nodes and edges stay",
        .purpose = Purpose::maintain,
        .extra_param = "cascade",
        .extra_doc = "Also responses and answers that were made from nothing else",
        .lists = {ResultList{"purged", "would purge", "purged"}, ResultList{"redacted", "would redact", "redacted"},
                  ResultList{"not_reached", "not reached:", "not reached:"}}}};

struct RemoveCommand {
  RemoveVerb const& verb;
  Target target = {};
  std::vector<std::string> refs = {};
  std::string reason = {};
  std::string list = {};  ///< the file that what must stay gone is added to; empty: none
  bool is_dry_run = false;
  bool has_extra = false;
  bool is_sure = false;
  bool is_json = false;
};

void show(json::object const& result, RemoveVerb const& verb, bool is_dry_run, std::ostream& to, Io& io) {
  if (result.contains("unchanged")) io.talk << "whence: all of it is gone already\n";
  for (auto const& list : verb.lists) {
    for (json::value const& each : schema::json::list_at(result, list.name)) {
      if (!each.is_string()) continue;
      to << (is_dry_run ? list.would : list.done) << ' ' << net::plain_text::shown(std::string_view{each.get_string()})
         << '\n';
    }
  }
  for (json::value const& each : schema::json::list_at(result, "warnings")) {
    io.talk << "warning: " << net::plain_text::shown(std::string_view{each.at("message").as_string()}) << '\n';
  }
}

CallResult<json::value> call(RemoveCommand const& command, Caller& caller, bool is_dry_run) {
  json::object params{{"refs", json::array(command.refs.begin(), command.refs.end())}};
  if (is_dry_run) params["dry_run"] = true;
  if (!command.reason.empty()) params["reason"] = command.reason;
  if (command.has_extra) params[command.verb.extra_param] = true;
  if (!command.list.empty() && is_dry_run == command.is_dry_run) params["list"] = true;
  return caller.call(command.verb.method, params);
}

/// Shows what was made from the nodes, the first of it by name: it stays, without them. A server that cannot say so in
/// time does not keep a person from deciding.
void show_resting(RemoveCommand const& command, Caller& caller, Io& io) {
  constexpr std::size_t named_max = 10;
  json::object const params{{"refs", json::array(command.refs.begin(), command.refs.end())},
                            {"include", json::array{"record"}},
                            {"limit", named_max}};
  auto const found = caller.call("impact.analyze", params);
  if (!found || !found->is_object()) {
    io.talk << "what rests on it is not known" << (found ? "" : ": " + found.error().message) << '\n';
    return;
  }
  auto const& answer = found->get_object();
  auto const& types = schema::json::object_at(schema::json::object_at(answer, "counts"), "by_type");
  if (types.empty()) {
    io.talk << "nothing rests on it\n";
    return;
  }
  std::uint64_t total = 0;
  std::string by_type;
  for (auto const& each : types) {
    auto const count = each.value().is_int64() ? static_cast<std::uint64_t>(each.value().get_int64()) : 0;
    total += count;
    by_type += (by_type.empty() ? "" : ", ") + std::to_string(count) + " " + net::plain_text::shown(each.key());
  }
  io.talk << "what rests on it stays: " << by_type << '\n';
  std::uint64_t named = 0;
  for (json::value const& each : schema::json::list_at(answer, "nodes")) {
    auto const* const node = each.if_object();
    auto const* const ref = node != nullptr ? node->if_contains("ref") : nullptr;
    if (ref == nullptr || !ref->is_string()) continue;
    ++named;
    io.talk << "  " << net::plain_text::shown(std::string_view{ref->get_string()}) << "  "
            << net::plain_text::shown(label_of_node(*node)) << '\n';
  }
  if (total > named) io.talk << "  ... " << total - named << " more\n";
}

/// Shows what would go and what rests on it, and asks a person; true where there is no person to ask.
CallResult<bool> may_go_on(RemoveCommand const& command, Caller& caller, Io& io) {
  if (command.is_sure || command.is_dry_run || !io.is_in_terminal || !io.is_talk_terminal) return true;
  CallResult<json::value> const would = call(command, caller, true);
  if (!would) return would.error();
  if (would->is_object()) show(would->get_object(), command.verb, true, io.talk, io);
  show_resting(command, caller, io);
  io.talk << command.verb.name << "? [y/N] " << std::flush;
  std::string said;
  std::getline(io.in, said);
  return said == "y" || said == "yes";
}

ExitCode run_remove(RemoveCommand const& command, CLI::App const& app, Io& io) {
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!caller) return report(io, caller.error());
  if (auto const writable = check_writable({.list = command.list, .certificate = {}}); !writable)
    return report(io, writable.error());
  CallResult<bool> const goes_on = may_go_on(command, **caller, io);
  if (!goes_on) return report(io, in_own_words(goes_on.error(), app));
  if (!*goes_on) {
    io.talk << "nothing was done\n";
    return ExitCode::failure;
  }
  CallResult<json::value> const result = call(command, **caller, command.is_dry_run);
  if (!result) return report(io, in_own_words(result.error(), app));
  if (command.is_json || !result->is_object()) {
    io.data << schema::json::to_text(*result) << '\n';
  } else if (!show_proposed(result->get_object(), io)) {
    show(result->get_object(), command.verb, command.is_dry_run, io.data, io);
  }
  auto const listed =
      add_to_list(command.list, result->as_object(), "whence purge REF --dry-run --list " + command.list);
  return listed ? ExitCode::ok : report(io, listed.error());
}

void add_remove_verb(Program& program, std::string_view name) {
  auto const& verb = *std::ranges::find(verbs, name, &RemoveVerb::name);
  CLI::App& app = program.add_verb(std::string{verb.name}, std::string{verb.doc}, verb.purpose);
  auto command = std::make_shared<RemoveCommand>(RemoveCommand{.verb = verb});
  app.add_option("refs", command->refs, "The records, as Type:id")->type_name("REF")->required();
  app.add_flag("--dry-run", command->is_dry_run, "Only says what would go");
  app.add_flag("--" + std::string{verb.extra_param}, command->has_extra, std::string{verb.extra_doc});
  app.add_option("--reason", command->reason, "Why: kept in the log, also when the content is gone")->type_name("TEXT");
  if (name == "purge")
    app.add_option("--list", command->list, "The file of what must stay gone, as of person erase")->type_name("FILE");
  app.add_flag("--yes", command->is_sure, "Does not ask, on a terminal either");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run_remove(*command, app, io); });
}

}  // namespace

void add_delete_verb(Program& program) {
  add_remove_verb(program, "delete");
}

void add_purge_verb(Program& program) {
  add_remove_verb(program, "purge");
}

}  // namespace whence::tools
