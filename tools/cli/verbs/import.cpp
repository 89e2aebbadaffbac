// `whence import`: a store from its history (jsonl), the records of a PROV-JSON document, or a folder of discussions.

#include "tools/cli/program.hpp"
#include "tools/cli/verbs/import_command.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace whence::tools {
namespace {

constexpr std::string_view jsonl = "jsonl";
constexpr std::string_view prov_json = "prov-json";
constexpr std::string_view discussions = "discussions";

CallError usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

/// By `--format`, else by the file's name, else by its first bytes; standard input is jsonl.
CallResult<std::string_view> format_of(ImportCommand const& command) {
  if (command.format == jsonl) return jsonl;
  if (command.format == prov_json) return prov_json;
  if (command.format == discussions) return discussions;
  if (!command.format.empty()) {
    return usage("--format: \"" + command.format + "\" is none of jsonl, prov-json, discussions");
  }
  if (command.file.ends_with(".jsonl")) return jsonl;
  if (command.file == "-") return jsonl;
  std::ifstream in{command.file, std::ios::binary};
  std::string first;
  std::getline(in, first);
  return first.starts_with("{\"tx\":") || first.empty() ? jsonl : prov_json;
}

ExitCode run(ImportCommand const& command, Io& io) {
  CallResult<std::string_view> const format = format_of(command);
  if (!format) return report(io, format.error());
  try {
    if (*format == discussions) return import_discussions(command, io);
    return *format == prov_json ? import_document(command, io) : import_history(command, io);
  } catch (std::system_error const& failed) {
    return report(io, {.message = failed.what()});
  }
}

}  // namespace

void add_import_verb(Program& program) {
  CLI::App& app = program.add_verb(
      "import", "Restores a store from a jsonl export, or imports a PROV-JSON document or a folder of discussions");
  auto command = std::make_shared<ImportCommand>();
  app.add_option("file", command->file, "The file to import; - is standard input; of discussions their folder")
      ->required()
      ->type_name("FILE");
  app.add_option("--format", command->format,
                 "jsonl, prov-json or discussions ({userId}/{discussionId}.json); default: jsonl or prov-json by the "
                 "file's name or first bytes, jsonl on standard input")
      ->type_name("NAME");
  app.add_flag("--dry-run", command->is_dry_run, "Only checks; writes nothing");
  app.add_flag("--keep-statuses", command->keeps_statuses,
               "Keeps the deprecations of the file, for a history made under another --deprecate-below");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
