// `whence demo`: writes the story into a graph, then shows a lineage and an impact from it.

#include "tools/cli/demo_story.hpp"
#include "tools/cli/program.hpp"
#include "tools/cli/serve.hpp"
#include "tools/cli/settings.hpp"
#include "tools/cli/target.hpp"
#include "tools/cli/tree.hpp"
#include "tools/cli/views.hpp"

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
  ServeOptions serve = {.db = {}};  ///< `db` stays empty where it is not given: then a passing store is used
  std::string url = {};
  bool is_serving = false;
};

/// A directory that goes with its owner.
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

CallResult<void> tell(Caller& caller) {
  for (std::string_view batch : story_batches()) {
    CallResult<json::value> const written = caller.call("records.write", batch);
    if (!written) return written.error();
  }
  return {};
}

CallResult<json::object> ask(Caller& caller, std::string_view method, json::object const& params) {
  CallResult<json::value> answer = caller.call(method, params);
  if (!answer) return answer.error();
  if (!answer->is_object()) return CallError{.message = "the result is no object"};
  return std::move(answer->get_object());
}

/// What the tree says of a node: its record's telling members, and its status where that is worth a word.
std::string note_of(json::object const& node) {
  json::value const* const record = node.if_contains("record");
  std::string note = record != nullptr && record->is_object() ? details(record->get_object()) : std::string{};
  std::string const status = cell(node, "status");
  return status.empty() || status == "active" ? note : note + "  [" + status + "]";
}

CallResult<void> show_story_lineage(Caller& caller, Io& io) {
  json::array const include{"record", "status"};
  CallResult<json::object> const lineage =
      ask(caller, "lineage.ancestors", {{"ref", story_response}, {"form", "graph"}, {"include", include}});
  if (!lineage) return lineage.error();
  CallResult<json::object> const start = ask(caller, "node.get", {{"ref", story_response}, {"include", include}});
  if (!start) return start.error();
  NodeNotes notes;
  for (json::object const* answer : {&*lineage, &*start}) {
    for (json::value const& node : answer->at("nodes").as_array()) {
      notes[cell(node.as_object(), "ref")] = note_of(node.as_object());
    }
  }
  io.data << "What " << story_response << " was made from:\n\n"
          << draw_tree(story_response, lineage->at("edges").as_array(), notes) << '\n';
  return {};
}

CallResult<void> show_story_impact(Caller& caller, Io& io) {
  CallResult<json::object> const impact = ask(caller, "impact.analyze", {{"refs", json::array{story_deprecated}}});
  if (!impact) return impact.error();
  io.data << "What " << story_deprecated << ", deprecated by feedback, had a part in:\n\n";
  show_impact(*impact, io);
  return {};
}

CallResult<void> perform(Caller& caller, Io& io) {
  if (CallResult<void> const told = tell(caller); !told) return told;
  if (CallResult<void> const shown_lineage = show_story_lineage(caller, io); !shown_lineage) return shown_lineage;
  return show_story_impact(caller, io);
}

ExitCode perform_on(Target const& target, Io& io) {
  CallResult<std::unique_ptr<Caller>> caller = open_caller(target, MissingStore::is_created, timeout_default);
  if (!caller) return report(io, caller.error());
  CallResult<void> const performed = perform(**caller, io);
  return performed ? ExitCode::ok : report(io, performed.error());
}

/// The story is over and the store closed again before the server opens it.
ExitCode perform_and_serve(DemoCommand const& command, Io& io) {
  ServeOptions options = command.serve;
  if (options.db.empty()) options.db = ServeOptions{}.db;
  Result<ServeConfig> const config = check(options);
  if (!config) return report(io, {.exit = ExitCode::usage, .message = config.error().message});
  if (ExitCode const performed = perform_on({.db = options.db}, io); performed != ExitCode::ok) return performed;
  io.data << '\n';
  return serve(*config, io);
}

ExitCode run(DemoCommand const& command, Io& io) {
  if (command.is_serving) return perform_and_serve(command, io);
  std::optional<PassingDirectory> passing;
  Target target{.db = command.serve.db, .url = command.url, .token_file = command.serve.token_file};
  if (target.db.empty() && target.url.empty()) target.db = passing.emplace().path().string();
  return perform_on(target, io);
}

}  // namespace

void add_demo_verb(Program& program) {
  CLI::App& app = program.add_verb("demo",
                                   "Writes a small story and shows what it was made from; without --db or --url into "
                                   "a store that is deleted again");
  auto command = std::make_shared<DemoCommand>();
  add_serve_flags(app, command->serve);
  CLI::Option* const url = app.add_option("--url", command->url, "Writes it to this server")->type_name("URL");
  make_setting(url)->excludes(app.get_option("--db"));
  app.add_flag("--serve", command->is_serving,
               "Serves the store afterwards (default " + ServeOptions{}.db + "), with serve's flags")
      ->excludes(url);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
