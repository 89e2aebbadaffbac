// `whence export`: the graph, or a part of it, as a file for other tools. From a store the file is written directly; a
// server makes it and the verb downloads it.

#include "net/params/exports.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/process/stop_signal.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/download.hpp"
#include "tools/cli/transport/http_caller.hpp"
#include "tools/cli/transport/local_caller.hpp"
#include "tools/cli/verbs/export_target.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <system_error>
#include <thread>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds poll_first{5};
constexpr std::chrono::milliseconds poll_most{250};

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
};

CallError export_usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

CallResult<exports::Format const*> format_of(ExportCommand const& command) {
  if (!command.format.empty()) {
    if (auto const* const format = exports::find_format(command.format)) return format;
    return export_usage("--format: \"" + command.format + "\" is no format" +
                        schema::alternatives(command.format, schema::names_in(exports::formats())));
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
      auto const manifest = command_.target.db.empty() ? fetch(*target) : write(*target);
      if (!manifest) return manifest.error();
      target->finish(*manifest);
    } catch (std::system_error const& failed) {
      bool const is_taken = failed.code() == std::errc::file_exists;
      return CallError{.exit = is_taken ? ExitCode::conflict : ExitCode::failure, .message = failed.what()};
    }
    return {};
  }

 private:
  [[nodiscard]] CallResult<std::string> write(ExportTarget& target);
  [[nodiscard]] CallResult<std::string> fetch(ExportTarget& target);
  [[nodiscard]] CallResult<json::object> wait(Caller& caller, json::object const& job);
  [[nodiscard]] CallResult<void> fetch_file(DialConfig const& server, json::object const& file, ExportTarget& target);

  ExportCommand const& command_;
  exports::Format const& format_;
  json::object const params_;
  Progress progress_;
  StopSignal stopped_;
};

CallResult<std::string> Export::write(ExportTarget& target) {
  auto const local = LocalCaller::open_local(command_.target.db, MissingStore::is_error);
  if (!local) return local.error();
  auto const prepared = net::prepare_export((*local)->engine(), params_, stopped_);
  if (!prepared) return call_error(prepared.error());
  auto const report = exports::write_export(
      prepared->source, prepared->request, target,
      [&](std::uint64_t done, std::uint64_t total) { progress_.show_part(done, total); }, stopped_);
  if (!report) return call_error(report.error());
  return report->manifest;
}

CallResult<std::string> Export::fetch(ExportTarget& target) {
  auto const server = find_server(command_.target, timeout_default);
  if (!server) return server.error();
  HttpCaller caller(*server);
  auto const started = caller.call("export.start", params_);
  if (!started) return started.error();
  json::object const job{{"job", started->as_object().at("job")}};
  auto const status = wait(caller, job);
  CallResult<void> fetched;
  if (status) {
    for (auto const& file : status->at("files").as_array()) {
      fetched = fetch_file(*server, file.as_object(), target);
      if (!fetched) break;
    }
  }
  static_cast<void>(caller.call("export.cancel", job));  // deletes its files on the server
  if (!status) return status.error();
  if (!fetched) return fetched.error();
  return schema::json::to_text(status->at("manifest"));
}

/// Polls until the job has ended.
CallResult<json::object> Export::wait(Caller& caller, json::object const& job) {
  for (auto pause = poll_first;; pause = std::min(pause * 2, poll_most)) {
    auto polled = caller.call("export.status", job);
    if (!polled) return polled.error();
    auto& status = polled->as_object();
    auto const state = std::string_view(status.at("state").as_string());
    if (state == "done") return std::move(status);
    if (state != "running") {
      auto const* const error = status.if_contains("error");
      std::string const why = error == nullptr ? "" : ": " + schema::json::to_text(*error);
      return CallError{.exit = ExitCode::failure, .message = "the export was " + std::string(state) + why};
    }
    if (stopped_.has_come()) return CallError{.exit = ExitCode::failure, .message = "stopped"};
    progress_.show_part(status.at("done").to_number<std::uint64_t>(), status.at("total").to_number<std::uint64_t>());
    std::this_thread::sleep_for(pause);
  }
}

CallResult<void> Export::fetch_file(DialConfig const& server, json::object const& file, ExportTarget& target) {
  // The server may be anybody: it chooses among the names of the format.
  auto const name = std::string_view(file.at("name").as_string());
  if (!ExportTarget::may_hold(format_, name)) {
    return CallError{
        .exit = ExitCode::failure,
        .message = "the server names \"" + std::string(name) + "\", which is no file of " + std::string(format_.name)};
  }
  auto const out = target.open(name);
  auto fetched = download(server, std::string(file.at("url").as_string()), stopped_.has_come(),
                          [&](std::string_view bytes) { out->write(bytes); });
  if (!fetched) return fetched;
  auto const summary = out->finish();
  if (schema::to_hex(summary.sha256) == file.at("sha256").as_string()) return {};
  return CallError{.exit = ExitCode::failure, .message = summary.name + ": not the bytes that the server wrote"};
}

ExitCode run(ExportCommand const& command, Io& io) {
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
  return done ? ExitCode::ok : report(io, done.error());
}

}  // namespace

void add_export_verb(Program& program) {
  CLI::App& app =
      program.add_verb("export", "Writes the graph, or a part of it, as a file for other tools", Purpose::look);
  auto command = std::make_shared<ExportCommand>();
  std::string names;
  for (auto const& row : exports::formats()) names.append(names.empty() ? "" : "|").append(row.name);
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
  app.add_option("--depth", command->depth, "For --ancestors and --descendants: the largest number of edges away");
  app.add_flag("--reduced", command->is_reduced, "Without edges that longer paths imply; not jsonl, prov-json, prov-n");
  app.add_option("--option", command->options,
                 "formulas=keep|escape (csv), direction=influence|stored, "
                 "compress=zstd; may be repeated")
      ->type_name("NAME=VALUE");
  app.add_option("--manifest", command->place.manifest, "Path of the manifest; default: beside the output")
      ->type_name("FILE");
  app.add_flag("--force", command->place.may_replace, "Replaces what is there");
  add_target_flags(app, command->target);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
