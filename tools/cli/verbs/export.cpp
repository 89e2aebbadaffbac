// `whence export`: the graph, or a part of it, as a file for other tools. From a store the file is written directly; a
// server makes it, and the verb downloads it, checks its digest and cancels the job, so that nothing is left.

#include "net/params/exports.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/cases/write.hpp"
#include "tools/cli/exports/run.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/process/stop_signal.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/verbs/export_target.hpp"

#include <filesystem>
#include <memory>
#include <ostream>
#include <system_error>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct ExportCommand {
  Target target = {};
  ExportPlace place = {};
  std::string format = {};
  BoundFlag as_of = {};
  std::string ancestors = {};
  std::string descendants = {};
  std::string select = {};
  std::optional<std::uint32_t> depth = {};
  bool is_reduced = false;
  std::vector<std::string> options = {};
  std::vector<std::string> refs = {};  ///< of a case
};

CallError export_usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

/// Whether a case is asked for, which is made of answers, not of the graph.
CallResult<bool> is_case(ExportCommand const& command) {
  bool const is_named =
      command.format == case_format || (command.format.empty() && command.place.path.ends_with(case_suffix));
  if (is_named && command.refs.empty()) return export_usage("html shows answers: --ref REF is required");
  if (!is_named && !command.format.empty() && !command.refs.empty()) {
    return export_usage("--ref is of --format html; " + command.format +
                        " takes --ancestors, --descendants or --select");
  }
  return !command.refs.empty();
}

CallResult<exports::Format const*> format_of(ExportCommand const& command) {
  if (!command.format.empty()) {
    if (auto const* const format = exports::find_format(command.format)) return format;
    auto names = schema::names_in(exports::formats());
    names.push_back(case_format);
    return export_usage("--format: \"" + command.format + "\" is no format" +
                        schema::alternatives(command.format, names));
  }
  if (auto const* const format = exports::find_format_by_suffix(command.place.path)) return format;
  return export_usage("--format is required where the name of the output does not imply it");
}

/// A part of the graph by one of the short flags, or as `export.start` takes it.
CallResult<json::value> select_of(ExportCommand const& command) {
  if (!command.select.empty()) {
    auto document = schema::json::parse(command.select);
    if (!document) return export_usage("--select: " + document.error().message);
    return std::move(document->value);
  }
  bool const goes_up = !command.ancestors.empty();
  if (!goes_up && command.descendants.empty()) {
    if (command.depth) return export_usage("--depth needs --ancestors or --descendants");
    return json::value("whole");
  }
  json::object params{{"ref", goes_up ? command.ancestors : command.descendants}};
  if (command.depth) params["depth"] = *command.depth;
  return json::value{{"method", goes_up ? "lineage.ancestors" : "lineage.descendants"}, {"params", std::move(params)}};
}

CallResult<json::object> options_of(ExportCommand const& command) {
  json::object options;
  for (auto const& option : command.options) {
    auto const equals = option.find('=');
    if (equals == std::string::npos) return export_usage("--option: \"" + option + "\" is not NAME=VALUE");
    options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  if (command.place.path.ends_with(exports::zstd_suffix)) options["compress"] = "zstd";
  return options;
}

/// The params of `export.start`.
CallResult<json::object> params_of(ExportCommand const& command, exports::Format const& format) {
  auto select = select_of(command);
  if (!select) return select.error();
  auto options = options_of(command);
  if (!options) return options.error();
  json::object params{{"select", std::move(*select)}, {"format", format.name}};
  if (auto const put = put_param(params, command.as_of); !put) return export_usage(put.error().message);
  if (command.is_reduced) params["reduced"] = true;
  if (!options->empty()) params["options"] = std::move(*options);
  return params;
}

/// One run of the verb.
class Export {
 public:
  Export(ExportCommand const& command, exports::Format const& format, json::object params, Io& io)
      : command_(command), format_(format), params_(std::move(params)), progress_(io, 0) {}

  [[nodiscard]] CallResult<void> run() {
    auto target = ExportTarget::create(command_.place, format_);
    if (!target) return target.error();
    try {
      auto const manifest = run_export({.target = command_.target, .progress = progress_, .stopped = stopped_}, format_,
                                       params_, *target);
      if (!manifest) return manifest.error();
      target->finish(*manifest);
    } catch (std::system_error const& failed) {
      bool const is_taken = failed.code() == std::errc::file_exists;
      return CallError{.exit = is_taken ? ExitCode::conflict : ExitCode::failure, .message = failed.what()};
    }
    return {};
  }

 private:
  ExportCommand const& command_;
  exports::Format const& format_;
  json::object const params_;
  Progress progress_;
  StopSignal stopped_;
};

ExitCode run(ExportCommand const& command, CLI::App const& app, Io& io) {
  auto const has_pages = is_case(command);
  if (!has_pages) return report(io, has_pages.error());
  if (*has_pages) {
    auto const written = write_case({.target = command.target,
                                     .path = command.place.path,
                                     .may_replace = command.place.may_replace,
                                     .refs = command.refs,
                                     .as_of = command.as_of},
                                    io);
    return written ? ExitCode::ok : report(io, in_own_words(written.error(), app));
  }
  auto const format = format_of(command);
  if (!format) return report(io, format.error());
  auto const& row = **format;
  if (row.is_folder() && command.place.is_stdout()) {
    return report(io, export_usage(std::string(row.name) + " writes a folder: -o PATH is required"));
  }
  auto params = params_of(command, row);
  if (!params) return report(io, params.error());
  io.data.flush();
  auto const done = Export(command, row, std::move(*params), io).run();
  OwnWord const words[] = {{"ref", command.ancestors.empty() ? "--descendants" : "--ancestors"}};
  return done ? ExitCode::ok : report(io, in_own_words(done.error(), app, words));
}

}  // namespace

void add_export_verb(Program& program) {
  CLI::App& app =
      program.add_verb("export", "Writes the graph, or a part of it, as a file for other tools", Purpose::look);
  auto command = std::make_shared<ExportCommand>();
  std::string names;
  for (auto const& row : exports::formats()) names.append(names.empty() ? "" : "|").append(row.name);
  names.append("|").append(case_format);
  app.add_option("--format", command->format, "What is written; default: by the suffix of the output")
      ->type_name(names);
  app.add_option("-o,--output", command->place.path, "File or folder to make; - is standard output; .zst compresses")
      ->type_name("PATH")
      ->capture_default_str();
  command->as_of.flag = as_of_flag();
  add_flag(app, command->as_of, false);
  auto* const ancestors =
      app.add_option("--ancestors", command->ancestors, "Only this node and what it was made from")->type_name("REF");
  auto* const descendants =
      app.add_option("--descendants", command->descendants, "Only this node and what was made from it")
          ->type_name("REF");
  auto* const select =
      app.add_option("--select", command->select, "Only the nodes that a method returns, in the form of export.start");
  select->type_name("JSON")->excludes(ancestors)->excludes(descendants);
  ancestors->excludes(descendants);
  auto* const depth =
      app.add_option("--depth", command->depth, "For --ancestors and --descendants: the largest number of edges away");
  auto* const reduced = app.add_flag("--reduced", command->is_reduced,
                                     "Without edges that longer paths imply; not jsonl, prov-json, prov-n");
  auto* const option = app.add_option("--option", command->options,
                                      "formulas=keep|escape (csv), direction=influence|stored (not "
                                      "jsonl, prov-json, prov-n), compress=zstd; may be repeated");
  option->type_name("NAME=VALUE");
  auto* const manifest =
      app.add_option("--manifest", command->place.manifest, "Path of the manifest; default: beside the output");
  manifest->type_name("FILE");
  app.add_option("--ref", command->refs, "For html: an answer with everything it rests on; may be repeated")
      ->type_name("REF")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->excludes(ancestors)
      ->excludes(descendants)
      ->excludes(select)
      ->excludes(depth)
      ->excludes(reduced)
      ->excludes(option)
      ->excludes(manifest);
  app.add_flag("--force", command->place.may_replace, "Replaces what is there");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run(*command, app, io); });
}

}  // namespace whence::tools
