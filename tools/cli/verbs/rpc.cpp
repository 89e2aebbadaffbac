// `whence rpc`: calls any method by its name and prints its result or error unchanged.

#include "net/plain_text/query_value.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"

#include <istream>
#include <iterator>
#include <memory>
#include <ostream>

namespace whence::tools {
namespace {

struct RpcCommand {
  Target target = {};
  std::string method = {};
  std::string params = "{}";
  BoundFlag as_of = {};
  bool is_json = false;  ///< accepted for uniformity: this verb prints nothing but JSON
};

/// The params with `as_of` among them where it was given. They are passed on as text: the method
/// refuses a member that is given twice.
Result<std::string> params_of(RpcCommand const& command, Io& io) {
  std::string params = command.params;
  if (params == "-") params.assign(std::istreambuf_iterator<char>{io.in}, {});
  // Checked here, because text that is not JSON would break the envelope around it.
  Result<schema::json::Document> const parsed = schema::json::parse(params);
  if (!parsed) {
    return Error{.code = Errc::invalid_params, .message = "the params are not JSON: " + parsed.error().message};
  }
  boost::json::object added;
  if (Result<void> put = put_param(added, command.as_of); !put) return put.error();
  boost::json::object const* const given = parsed->value.if_object();
  if (added.empty() || given == nullptr) return params;
  std::string const members = schema::json::to_text(added);
  params.replace(params.find('{'), 1, members.substr(0, members.size() - 1) + (given->empty() ? "" : ","));
  return params;
}

ExitCode run(RpcCommand const& command, Io& io) {
  Result<std::string> const params = params_of(command, io);
  if (!params) return report(io, {.exit = ExitCode::invalid_input, .message = params.error().message});
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!caller) return report(io, caller.error());
  CallResult<boost::json::value> const result = (*caller)->call(command.method, *params);
  if (result) {
    io.data << net::plain_text::answer_text(*result) << '\n';
    return ExitCode::ok;
  }
  if (result.error().rpc_error.is_null()) return report(io, result.error());
  io.talk << schema::json::to_text(result.error().rpc_error) << '\n';
  return result.error().exit;
}

}  // namespace

void add_rpc_verb(Program& program) {
  CLI::App& app =
      program.add_verb("rpc", "Calls a method of the protocol; prints its result or its error as JSON", Purpose::look);
  auto command = std::make_shared<RpcCommand>();
  app.add_option("method", command->method, "The method's name, like lineage.ancestors; rpc.discover lists them")
      ->required();
  app.add_option("params", command->params, "Its params, a JSON object; - reads them from standard input")
      ->type_name("JSON");
  command->as_of.flag = as_of_flag();
  add_flag(app, command->as_of, false);
  add_target_flags(app, command->target);
  app.add_flag("--json", command->is_json, "Changes nothing: JSON is all this verb prints");
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
