// `whence proposal`: purges and erasures that wait for a second user.

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/personal/erasure.hpp"
#include "tools/cli/program/program.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;
using net::plain_text::shown;

struct ProposalCommand {
  Target target = {};
  std::string action = {};
  std::string ref = {};
  KeptOfErasure kept = {};
  bool is_all = false;
  bool is_json = false;
};

/// What is proposed, in a few words.
std::string subject_of(json::object const& proposal) {
  if (auto const person = cell(proposal, "person"); !person.empty()) return "erase Person:" + person;
  auto const& refs = schema::json::list_at(proposal, "refs");
  if (refs.empty()) return "what is purged";
  std::string text = "purge " + std::string(refs.front().as_string());
  if (refs.size() > 1) text += " and " + std::to_string(refs.size() - 1) + " more";
  return proposal.contains("cascade") ? text + " with what was made from nothing else" : text;
}

void show_proposal(json::object const& proposal, std::ostream& to) {
  to << shown(cell(proposal, "ref")) << "  " << shown(cell(proposal, "state")) << "  until "
     << shown(cell(proposal, "confirm_until")) << "  by " << shown(cell(proposal, "proposed_by")) << "  "
     << shown(subject_of(proposal));
  if (auto const reason = cell(proposal, "reason"); !reason.empty()) to << "  " << shown(reason);
  if (auto const who = cell(proposal, "confirmed_by"); !who.empty()) to << "  confirmed by " << shown(who);
  if (auto const who = cell(proposal, "withdrawn_by"); !who.empty()) to << "  withdrawn by " << shown(who);
  to << '\n';
  if (auto const* const types = schema::json::find_object(proposal, "types")) {
    to << "  would go:";
    for (auto const& [type, count] : *types) to << ' ' << shown(type) << ": " << count;
    to << '\n';
  }
  if (auto const* const refused = schema::json::find_object(proposal, "refused"))
    to << "  would be refused: " << shown(cell(*refused, "message")) << '\n';
}

void show_all(json::object const& answer, std::ostream& to) {
  for (auto const& each : schema::json::list_at(answer, "proposals")) show_proposal(each.as_object(), to);
}

ExitCode run_proposal(ProposalCommand const& command, CLI::App const& app, Io& io) {
  bool const is_list = command.action == "list";
  if (!is_list && command.ref.empty()) {
    io.talk << "whence proposal " << command.action << " REF: a proposal is needed\n";
    return ExitCode::usage;
  }
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!caller) return report(io, caller.error());
  bool const is_confirmed = command.action == "confirm";
  if (auto const writable = is_confirmed ? check_writable(command.kept) : CallResult<void>{}; !writable)
    return report(io, writable.error());
  json::object params;
  if (!is_list) params["ref"] = command.ref;
  if (is_confirmed && !command.kept.list.empty()) params["list"] = true;
  if (command.is_all) params["all"] = true;
  auto const method = is_list ? std::string{"purge.proposals"} : "purge." + command.action;
  auto const result = (*caller)->call(method, params);
  if (!result) return report(io, in_own_words(result.error(), app));
  auto const& answer = result->as_object();
  if (is_confirmed) return finish_erased(command.kept, answer, command.is_json, **caller, io);
  if (command.is_json) {
    io.data << schema::json::to_text(*result) << '\n';
  } else if (is_list) {
    show_all(answer, io.data);
  } else {
    io.data << cell(answer, "ref") << '\n';
  }
  return ExitCode::ok;
}

}  // namespace

void add_proposal_verb(Program& program) {
  CLI::App& app = program.add_verb(
      "proposal", "Lists, confirms or withdraws purges and erasures that another user proposed", Purpose::maintain);
  app.footer(
      "A server with --four-eyes only takes down what purge and person erase ask for, until another user confirms it.");
  auto command = std::make_shared<ProposalCommand>();
  app.add_option("action", command->action, "list, confirm or withdraw")
      ->type_name("ACTION")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"list", "confirm", "withdraw"}));
  app.add_option("ref", command->ref, "The proposal, as purge or person erase printed it")->type_name("REF");
  app.add_option("--list", command->kept.list,
                 "Of a confirmation: the file of what must stay gone, which is added to; restore --erased applies it")
      ->type_name("FILE");
  app.add_option("-o,--output", command->kept.certificate,
                 "Of a confirmation: the file that the certificate of an erasure is written to")
      ->type_name("FILE");
  app.add_flag("--all", command->is_all, "Of a list: also those that nobody can confirm any more");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run_proposal(*command, app, io); });
}

}  // namespace whence::tools
