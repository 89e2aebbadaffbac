// `whence demo`: writes the story into a graph, then queries it: lineages, impacts and a trace.

#include "net/plain_text/cell.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/labels.hpp"
#include "tools/cli/output/trees.hpp"
#include "tools/cli/output/views.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/serve/serve.hpp"
#include "tools/cli/verbs/demo_story.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <system_error>

#include <boost/json/array.hpp>
#include <unistd.h>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct DemoCommand {
  ServeOptions serve = {.db = {}};  ///< `db` stays empty if it is not given: then a temporary store is used
  std::string url = {};
  std::string token_file = {};  ///< of the client; `serve` has those of the server
  bool is_serving = false;
};

/// A directory that is deleted with its owner.
class PassingDirectory {
 public:
  PassingDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "whence-demo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::system_error{errno, std::generic_category(), "mkdtemp"};
    path_ = name;
  }
  ~PassingDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PassingDirectory(PassingDirectory const&) = delete;
  PassingDirectory& operator=(PassingDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

CallResult<void> write_story(Caller& caller) {
  for (std::string_view batch : story_batches()) {
    CallResult<json::value> const written = caller.call("records.write", batch);
    if (!written) return written.error();
  }
  CallResult<json::value> const answered = caller.call("rag.answer", story_answer());
  if (!answered) return answered.error();
  return {};
}

CallResult<json::object> ask(Caller& caller, std::string_view method, json::object const& params) {
  CallResult<json::value> answer = caller.call(method, params);
  if (!answer) return answer.error();
  if (!answer->is_object()) return CallError{.message = "the result is not an object"};
  return std::move(answer->get_object());
}

json::array all_of_a_node() {
  return {"record", "status"};
}

CallResult<void> show_lineage_of(Caller& caller, std::string_view ref, Io& io) {
  CallResult<json::object> const lineage =
      ask(caller, "lineage.ancestors", {{"ref", ref}, {"form", "graph"}, {"include", all_of_a_node()}});
  if (!lineage) return lineage.error();
  CallResult<json::object> const start = ask(caller, "node.get", {{"ref", ref}, {"include", all_of_a_node()}});
  if (!start) return start.error();
  io.data << "What " << ref << " was made from:\n\n";
  print_tree(ref, *lineage, &*start, io);
  io.data << '\n';
  return {};
}

CallResult<json::object> ask_impact(Caller& caller, std::string_view ref) {
  json::object const params{{"refs", json::array{json::value(ref)}}, {"include", json::array{"record"}}};
  CallResult<json::object> impact = ask(caller, "impact.analyze", params);
  if (impact) replace_records_by_labels(*impact);
  return impact;
}

CallResult<void> show_story_impact(Caller& caller, Io& io) {
  CallResult<json::object> const impact = ask_impact(caller, story_deprecated);
  if (!impact) return impact.error();
  io.data << "What " << story_deprecated << ", deprecated by feedback, had a part in:\n\n";
  show_impact(*impact, io);
  io.data << '\n';
  return {};
}

/// One call answers it; only the summaries of its answer are shown.
CallResult<void> show_story_summaries(Caller& caller, Io& io) {
  CallResult<json::object> impact = ask_impact(caller, story_outdated);
  if (!impact) return impact.error();
  json::array summaries;
  for (json::value const& node : impact->at("nodes").as_array()) {
    if (net::plain_text::cell(node.as_object(), "type") == "Summary") summaries.push_back(node);
  }
  (*impact)["nodes"] = std::move(summaries);
  io.data << "Which summaries rest on " << story_outdated << ", deprecated by feedback:\n\n";
  show_impact(*impact, io);
  io.data << '\n';
  return {};
}

CallResult<void> show_story_trace(Caller& caller, Io& io) {
  json::object const params{{"ref", story_keyword}, {"include", all_of_a_node()}};
  CallResult<json::object> const traced = ask(caller, "trace", params);
  if (!traced) return traced.error();
  io.data << "Where " << story_keyword << " comes from:\n\n";
  show_trace(params, *traced, io);
  io.data << '\n';
  return {};
}

CallResult<void> show_story_answer(Caller& caller, Io& io) {
  CallResult<json::object> const got = ask(caller, "rag.get", {{"request_id", story_request}});
  if (!got) return got.error();
  io.data << "What was answered to " << story_request << ":\n\n";
  show_answer(*got, io);
  io.data << '\n';
  return {};
}

CallResult<void> show_chunk_impact(Caller& caller, Io& io) {
  CallResult<json::object> const impact = ask_impact(caller, story_chunk);
  if (!impact) return impact.error();
  io.data << "Which answers rest on " << story_chunk << ", which is out of date:\n\n";
  show_impact(*impact, io);
  return {};
}

CallResult<void> perform(Caller& caller, Io& io) {
  CallResult<void> done = write_story(caller);
  if (done) done = show_lineage_of(caller, story_response, io);
  if (done) done = show_story_impact(caller, io);
  if (done) done = show_lineage_of(caller, story_summary, io);
  if (done) done = show_story_summaries(caller, io);
  if (done) done = show_story_trace(caller, io);
  if (done) done = show_story_answer(caller, io);
  if (done) done = show_lineage_of(caller, story_discussed, io);
  if (done) done = show_chunk_impact(caller, io);
  return done;
}

ExitCode perform_on(Target const& target, Io& io) {
  CallResult<std::unique_ptr<Caller>> caller = open_caller(target, MissingStore::is_created, timeout_default);
  if (!caller) return report(io, caller.error());
  CallResult<void> const performed = perform(**caller, io);
  return performed ? ExitCode::ok : report(io, performed.error());
}

/// The store is closed again before the server opens it.
ExitCode perform_and_serve(DemoCommand const& command, Io& io) {
  ServeOptions options = command.serve;
  if (options.db.empty()) options.db = ServeOptions{}.db;
  options.db_flag = nullptr;  // the demo is at the root
  Result<ServeConfig> const config = check(options);
  if (!config) return report(io, {.exit = ExitCode::usage, .message = config.error().message});
  if (ExitCode const performed = perform_on({.db = options.db}, io); performed != ExitCode::ok) return performed;
  io.data << '\n';
  return serve(*config, io);
}

ExitCode run(DemoCommand const& command, Io& io) {
  if (command.is_serving) return perform_and_serve(command, io);
  std::optional<PassingDirectory> passing;
  Target target{.db = command.serve.db, .url = command.url, .token_file = command.token_file};
  if (target.db.empty() && target.url.empty()) target.db = passing.emplace().path().string();
  return perform_on(target, io);
}

}  // namespace

void add_demo_verb(Program& program) {
  CLI::App& app = program.add_verb("demo", "Writes a small story and shows what it was made from", Purpose::serve);
  app.footer("Without --db or --url the story goes into a store that is deleted again.");
  auto command = std::make_shared<DemoCommand>();
  add_serve_flags(app, command->serve);
  CLI::Option* const url = app.add_option("--url", command->url, "Writes it to this server")->type_name("URL");
  make_setting(url)->excludes(app.get_option("--db"));
  make_setting(app.add_option("--token-file", command->token_file, "With --url: file whose first line is the token"))
      ->type_name("FILE");
  app.add_flag("--serve", command->is_serving,
               "Serves the store afterwards (default " + ServeOptions{}.db + "), with serve's flags")
      ->excludes(url);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
