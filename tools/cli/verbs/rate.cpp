// `whence rate`: what somebody thinks of a response or an answer.

#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct RateCommand {
  Target target = {};
  std::string ref = {};
  double score = 0;
  std::string text = {};
  std::string user = {};
  bool is_json = false;
};

ExitCode run_rate(RateCommand const& command, CLI::App const& app, Io& io) {
  json::object record{{"$type$", "FeedbackRecord"},
                      {"timestamp", schema::format_rfc3339(schema::SystemClock{}.now())},
                      {"score", command.score}};
  bool const is_bare = command.ref.starts_with("resp_");
  record[is_bare ? "response_id" : "ref"] = command.ref;
  if (!command.text.empty()) record["feedback_text"] = command.text;
  if (!command.user.empty()) record["user_id"] = command.user;
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  json::array records;
  records.push_back(std::move(record));
  CallResult<json::value> const result =
      (*caller)->call("records.write", json::object{{"records", std::move(records)}});
  constexpr OwnWord words[] = {{"response_id", "REF"}, {"feedback_text", "--text"}, {"user_id", "--user"}};
  if (!result) return report(io, of_own_record(result.error(), app, words));
  auto const* const refs = result->is_object() ? result->get_object().if_contains("refs") : nullptr;
  if (command.is_json || refs == nullptr || !refs->is_array() || refs->get_array().empty()) {
    io.data << schema::json::to_text(*result) << '\n';
  } else {
    io.data << std::string_view{refs->get_array().back().as_string()} << '\n';
  }
  return ExitCode::ok;
}

}  // namespace

void add_rate_verb(Program& program) {
  CLI::App& app = program.add_verb("rate", "Records what somebody thinks of a response or an answer", Purpose::write);
  auto command = std::make_shared<RateCommand>();
  app.add_option("ref", command->ref, "The response or answer")->type_name("REF")->required();
  app.add_option("score", command->score, "-1 (bad) to 1 (good)")->type_name("SCORE")->required();
  app.add_option("--text", command->text, "What they said")->type_name("TEXT");
  app.add_option("--user", command->user, "Who they are")->type_name("ID");
  app.add_flag("--json", command->is_json, "Prints the method's result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run_rate(*command, app, io); });
}

}  // namespace whence::tools
