// `whence show`: asks for the parts of a node's page, all of one moment, and prints them.

#include "net/plain_text/cell.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/colour.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/pages/page.hpp"
#include "tools/cli/program/program.hpp"

#include <memory>
#include <ostream>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct ShowCommand {
  Target target = {};
  std::string ref = {};
  BoundFlag as_of = {};
  bool is_json = false;
  std::string colour = {};
};

/// The one node of an answer of `node.get`.
CallResult<json::object> single_node(json::value const& answer) {
  json::object const* const object = answer.if_object();
  json::value const* const nodes = object != nullptr ? object->if_contains("nodes") : nullptr;
  bool const has_node =
      nodes != nullptr && nodes->is_array() && !nodes->get_array().empty() && nodes->get_array().front().is_object();
  if (!has_node) return CallError{.message = "the result has no node"};
  return nodes->get_array().front().get_object();
}

CallResult<PageNode> page_node_of(json::object const& node) {
  auto const type = schema::find_record_type(net::plain_text::cell(node, "type"));
  if (!type) return CallError{.message = "a type that this program does not know: " + schema::json::to_text(node)};
  PageNode page{.ref = net::plain_text::cell(node, "ref"), .type = *type, .record = {}, .mark = {}};
  json::value const* const record = node.if_contains("record");
  if (record != nullptr && record->is_object()) page.record = record->get_object();
  page.mark = net::plain_text::cell(node, "status");
  if (page.mark == "active") page.mark.clear();
  for (char const* const gone : {"expired", "purged"}) {
    if (node.contains(gone)) page.mark = gone;
  }
  return page;
}

/// What a part needs may be missing: a response without a query, an answer that was purged.
bool is_nothing(CallError const& error) {
  return error.exit == ExitCode::not_found;
}

CallResult<void> add_part(Caller& caller, PagePart const& part, json::value const& tx, json::object& parts) {
  json::object params = part.params;
  params["as_of"] = tx;
  CallResult<json::value> answer = caller.call(part.method, params);
  if (answer) {
    parts[part.name] = std::move(*answer);
  } else if (!is_nothing(answer.error())) {
    return answer.error();
  }
  return {};
}

void print_page(PageNode const& page, std::vector<PagePart> const& parts, json::object const& answers, Io& io) {
  print_record(page, io);
  for (PagePart const& part : parts) {
    json::value const* const answer = answers.if_contains(part.name);
    if (answer != nullptr && answer->is_object()) part.print(page, answer->get_object(), io);
  }
}

ExitCode run(ShowCommand const& command, CLI::App const& app, Io& standard) {
  Io io = with_colour(standard, command.colour);
  json::object params{{"ref", command.ref}, {"include", json::array{"record", "status"}}};
  if (Result<void> put = put_param(params, command.as_of); !put)
    return report(io, {.exit = ExitCode::usage, .message = put.error().message});
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  CallResult<json::value> const got = (*caller)->call("node.get", params);
  if (!got) return report(io, in_own_words(got.error(), app));
  CallResult<json::object> const node = single_node(*got);
  if (!node) return report(io, in_own_words(node.error(), app));
  CallResult<PageNode> const page = page_node_of(*node);
  if (!page) return report(io, page.error());
  json::value const& tx = got->get_object().at("tx");
  std::vector<PagePart> const parts = parts_of(*page);
  json::object answers;
  for (PagePart const& part : parts) {
    if (CallResult<void> added = add_part(**caller, part, tx, answers); !added) return report(io, added.error());
  }
  if (command.is_json) {
    json::object const whole{{"tx", tx},
                             {"ref", page->ref},
                             {"type", schema::info(page->type).name},
                             {"node", *node},
                             {"parts", std::move(answers)}};
    io.data << schema::json::to_text(whole) << '\n';
  } else {
    print_page(*page, parts, answers, io);
  }
  return ExitCode::ok;
}

}  // namespace

void add_show_verb(Program& program) {
  CLI::App& app =
      program.add_verb("show", "Prints the page of a node: what it says, its sources, uses, ratings", Purpose::look);
  auto command = std::make_shared<ShowCommand>();
  app.add_option("--ref,ref", command->ref, "The node")->type_name("REF")->required();
  command->as_of.flag = as_of_flag();
  add_flag(app, command->as_of, false);
  add_target_flags(app, command->target);
  app.add_flag("--json", command->is_json, "Prints the node and the answer of each part as one JSON document");
  add_colour_flag(app, command->colour);
  program.set_work(app, [command, &app](Io& io) { return run(*command, app, io); });
}

}  // namespace whence::tools
