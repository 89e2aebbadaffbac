// `whence query`: a query in openCypher from the command line, from standard input or at a prompt.

#include "schema/base/text.hpp"
#include "tools/cli/options/colour.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/query/asked.hpp"
#include "tools/cli/query/prompt.hpp"

#include <istream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <CLI/Validators.hpp>

namespace whence::tools {
namespace {

/// The most rows that can be asked for.
constexpr std::uint64_t rows_max = 1'000'000'000;

struct QueryCommand {
  Target target = {};
  std::string cypher = {};
  std::vector<std::string> values = {};
  BoundFlag as_of = {};
  std::uint64_t limit = 0;
  bool is_json = false;
  bool is_csv = false;
  std::string colour = {};
  CLI::App const* app = nullptr;
};

Result<QuerySettings> settings_of(QueryCommand const& command) {
  QuerySettings settings{.limit = command.limit, .app = command.app};
  if (command.is_json) settings.form = QueryForm::json;
  if (command.is_csv) settings.form = QueryForm::csv;
  if (Result<void> put = put_param(settings.params, command.as_of); !put) return put.error();
  for (std::string const& value : command.values) {
    if (Result<void> added = add_query_value(settings.values, value, false); !added) {
      return Error{.code = Errc::invalid_params, .message = "--param: " + added.error().message};
    }
  }
  return settings;
}

ExitCode run(QueryCommand const& command, Io& standard) {
  Io io = with_colour(standard, command.colour);
  Result<QuerySettings> settings = settings_of(command);
  if (!settings) return report(io, {.exit = ExitCode::usage, .message = settings.error().message});
  bool const is_prompt = command.cypher.empty() && io.is_in_terminal;
  std::string cypher = command.cypher;
  if (!is_prompt && (cypher.empty() || cypher == "-")) cypher.assign(std::istreambuf_iterator<char>{io.in}, {});
  if (!is_prompt && schema::trim_xml(cypher).empty()) {
    return report(io, {.exit = ExitCode::usage, .message = "there is no query: `whence query 'MATCH (n) RETURN n'`"});
  }
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  if (is_prompt) return QueryPrompt{**caller, std::move(*settings), io}.run();
  return answer_query(**caller, *settings, cypher, io);
}

}  // namespace

void add_query_verb(Program& program) {
  CLI::App& app =
      program.add_verb("query", "Answers a query in openCypher; without one, prompts for queries", Purpose::look);
  auto command = std::make_shared<QueryCommand>();
  command->app = &app;
  app.add_option("--cypher,cypher", command->cypher, "The query; - reads it from standard input")->type_name("QUERY");
  app.add_option("--param", command->values, "The value of $NAME in the query; may be repeated")
      ->type_name("NAME=JSON")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->as_of.flag = as_of_flag();
  add_flag(app, command->as_of, false);
  app.add_option("--limit", command->limit, "At most so many rows; all of them where not given")
      ->type_name("NUMBER")
      ->check(CLI::Range(std::uint64_t{1}, rows_max).description(""));
  add_target_flags(app, command->target);
  CLI::Option* const is_json =
      app.add_flag("--json", command->is_json, "Prints the method's result as one JSON document");
  app.add_flag("--csv", command->is_csv, "Prints the rows as CSV (RFC 4180) under the names of the columns")
      ->excludes(is_json);
  add_colour_flag(app, command->colour);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
