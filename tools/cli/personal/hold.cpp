// `whence hold`: what must stay although it is old or somebody would remove it.

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/personal/person_name.hpp"
#include "tools/cli/program/program.hpp"

#include <array>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;
using net::plain_text::shown;

struct HoldCommand {
  Target target = {};
  std::string action = {};
  std::vector<std::string> refs = {};
  std::string person = {};
  std::string topic = {};
  std::string query = {};
  std::string reason = {};
  bool is_all = false;
  bool is_json = false;
};

/// `{"type": ..., "where": {...}}`; where it is no JSON the server says so.
json::value query_of(std::string const& text) {
  auto document = schema::json::parse(text);
  return document ? std::move(document->value) : json::value(text);
}

json::object params_of(HoldCommand const& command) {
  json::object params;
  if (command.action == "list") {
    params["limit"] = 10'000;
    if (command.is_all) params["all"] = true;
    return params;
  }
  params["reason"] = command.reason;
  if (command.action == "clear") {
    constexpr std::string_view prefix = "Hold:";
    auto const& given = command.refs.empty() ? std::string{} : command.refs.front();
    params["id"] = given.starts_with(prefix) ? given.substr(prefix.size()) : given;
    return params;
  }
  if (!command.refs.empty()) params["refs"] = json::array(command.refs.begin(), command.refs.end());
  if (!command.person.empty()) params["person"] = person_named(command.person);
  if (!command.topic.empty()) params["topic"] = command.topic;
  if (!command.query.empty()) params["query"] = query_of(command.query);
  return params;
}

void show_hold(json::object const& hold, Io& io) {
  io.data << "Hold:" << shown(cell(hold, "id")) << "  " << shown(cell(hold, "timestamp"));
  if (auto const person = cell(hold, "person"); !person.empty()) io.data << "  person " << shown(person);
  if (auto const topic = cell(hold, "topic"); !topic.empty()) io.data << "  topic " << shown(topic);
  if (auto const* const refs = hold.if_contains("refs")) io.data << "  " << refs->as_array().size() << " refs";
  if (auto const query = cell(hold, "query"); !query.empty()) io.data << "  query " << shown(query);
  io.data << "  " << shown(cell(hold, "reason"));
  if (auto const cleared = cell(hold, "cleared"); !cleared.empty()) io.data << "  cleared: " << shown(cleared);
  io.data << '\n';
}

constexpr std::array<OwnWord, 1> clear_words = {{{"id", "REF"}}};

/// Of a hold that is cleared, the ref is the argument.
std::span<OwnWord const> hold_words(HoldCommand const& command) {
  return command.action == "clear" ? std::span<OwnWord const>{clear_words} : std::span<OwnWord const>{};
}

/// What the verb needs besides its flags; empty: nothing more.
std::string_view missing_in(HoldCommand const& command) {
  bool const names_one = command.refs.size() == 1 && !command.refs.front().empty();
  if (command.action == "clear" && !names_one) return "whence hold clear HOLD --reason TEXT: one hold is needed";
  bool const names_something =
      !command.refs.empty() || !command.person.empty() || !command.topic.empty() || !command.query.empty();
  if (command.action == "set" && !names_something) {
    return "whence hold set: name what is held: REF, --person, --topic or --query";
  }
  return {};
}

ExitCode run_hold(HoldCommand const& command, CLI::App const& app, Io& io) {
  if (auto const missing = missing_in(command); !missing.empty()) {
    io.talk << missing << '\n';
    return ExitCode::usage;
  }
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  auto const result = (*caller)->call("hold." + command.action, params_of(command));
  if (!result) return report(io, in_own_words(result.error(), app, hold_words(command)));
  auto const& answer = result->as_object();
  if (command.is_json) {
    io.data << schema::json::to_text(*result) << '\n';
  } else if (auto const* const holds = answer.if_contains("holds")) {
    for (auto const& each : holds->as_array()) show_hold(each.as_object(), io);
  } else {
    io.data << cell(answer, "ref") << '\n';
    if (answer.contains("unchanged")) io.talk << "it was cleared before, and stays as it was\n";
  }
  return ExitCode::ok;
}

}  // namespace

void add_hold_verb(Program& program) {
  CLI::App& app =
      program.add_verb("hold", "Sets, lists or clears what must not expire or be removed", Purpose::maintain);
  auto command = std::make_shared<HoldCommand>();
  app.add_option("action", command->action, "set, list or clear")
      ->type_name("ACTION")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"set", "list", "clear"}));
  app.add_option("refs", command->refs, "Nodes to hold, or the hold to clear")->type_name("REF");
  app.add_option("--person", command->person, "Holds everything of this Person")->type_name("ID");
  app.add_option("--topic", command->topic, "Holds everything of this Topic")->type_name("ID");
  app.add_option(
         "--query", command->query,
         "Holds the records of a type that match when they would be removed: '{\"type\": \"Response\", \"where\": "
         "{\"agent\": \"a\"}}'")
      ->type_name("JSON");
  app.add_option("--reason", command->reason, "Why")->type_name("TEXT");
  app.add_flag("--all", command->is_all, "Of a list: also those that were cleared");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run_hold(*command, app, io); });
}

}  // namespace whence::tools
