// `whence update`: the next version of a context unit, from the last one and what changed.

#include "net/plain_text/cell.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct UpdateCommand {
  Target target = {};
  std::string ref = {};
  std::vector<std::string> members = {};
  bool is_json = false;
};

/// The members that are no texts: their values are JSON.
constexpr std::array<std::string_view, 3> json_members = {"attributes", "contribution_weight", "derived_from"};

/// `MEMBER=VALUE` as a param. `null` clears a member of any kind.
CallResult<void> add_member(std::string const& given, json::object& params) {
  auto const wrong = [](std::string message) {
    return CallError{.exit = ExitCode::usage, .message = std::move(message)};
  };
  auto const equals = given.find('=');
  if (equals == std::string::npos || equals == 0) return wrong(given + " is not MEMBER=VALUE");
  auto const name = given.substr(0, equals);
  auto const value = given.substr(equals + 1);
  if (name == "ref" || params.contains(name)) return wrong(name + " is given twice");
  bool const is_text = value != "null" && std::ranges::find(json_members, name) == json_members.end();
  if (is_text) {
    params[name] = value;
    return {};
  }
  auto parsed = schema::json::parse(value);
  if (!parsed) return wrong(name + " is not JSON: " + parsed.error().message);
  params[name] = std::move(parsed->value);
  return {};
}

ExitCode run_update(UpdateCommand const& command, CLI::App const& app, Io& io) {
  json::object params{{"ref", command.ref}};
  for (auto const& member : command.members) {
    if (auto const added = add_member(member, params); !added) return report(io, added.error());
  }
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  CallResult<json::value> const result = (*caller)->call("unit.update", params);
  std::vector<OwnWord> words;
  words.reserve(params.size());
  for (auto const& member : params) {
    if (member.key() != "ref") words.push_back({member.key(), member.key()});
  }
  if (!result) return report(io, in_own_words(result.error(), app, words));
  if (command.is_json || !result->is_object()) {
    io.data << schema::json::to_text(*result) << '\n';
  } else {
    io.data << net::plain_text::cell(result->get_object(), "ref") << '\n';
  }
  return ExitCode::ok;
}

}  // namespace

void add_update_verb(Program& program) {
  CLI::App& app = program.add_verb("update", "Records the next version of a context unit", Purpose::write);
  app.footer(
      "Members that are left out stay; null clears one. attributes, derived_from and contribution_weight are JSON.");
  auto command = std::make_shared<UpdateCommand>();
  app.add_option("ref", command->ref, "The unit, in its newest version")->type_name("REF")->required();
  app.add_option("members", command->members, "What changes")->type_name("MEMBER=VALUE")->required();
  add_target_flags(app, command->target);
  app.add_flag("--json", command->is_json, "Prints the method's result as one JSON document");
  program.set_work(app, [command, &app](Io& io) { return run_update(*command, app, io); });
}

}  // namespace whence::tools
