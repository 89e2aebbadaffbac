// `whence import`: a store from its history (jsonl), the records of a PROV-JSON document, a folder of discussions,
// telemetry, or lineage events.

#include "queries/export/format.hpp"
#include "queries/export/zstd_sink.hpp"
#include "schema/base/suggest.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/process/scratch_directory.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view jsonl = "jsonl";
constexpr std::string_view prov_json = "prov-json";
constexpr std::string_view discussions = "discussions";
constexpr std::string_view otlp_json = "otlp-json";
constexpr std::string_view openlineage = "openlineage";
constexpr std::string_view langfuse_export = "langfuse-export";
constexpr std::string_view phoenix_jsonl = "phoenix-jsonl";
constexpr std::array formats = {jsonl, prov_json, discussions, otlp_json, openlineage, langfuse_export, phoenix_jsonl};

CallError import_usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

std::string format_names() {
  std::string names;
  for (std::string_view const name : formats) names.append(names.empty() ? "" : "|").append(name);
  return names;
}

/// By `--format`, else by the file's name, else by its first bytes; standard input is jsonl.
CallResult<std::string_view> format_of(ImportCommand const& command) {
  auto const named = std::ranges::find(formats, command.format);
  if (named != formats.end()) return *named;
  if (!command.format.empty()) {
    return import_usage("--format: \"" + command.format + "\" is no format" +
                        schema::alternatives(command.format, formats));
  }
  if (command.file.ends_with(".jsonl")) return jsonl;
  if (command.file == "-") return jsonl;
  std::ifstream in{command.file, std::ios::binary};
  std::string first;
  std::getline(in, first);
  return first.starts_with("{\"tx\":") || first.empty() ? jsonl : prov_json;
}

/// The first bytes of a file.
std::string head_of(std::string const& file) {
  std::ifstream in{file, std::ios::binary};
  std::string head(std::size_t{4096}, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

/// Whether a document begins as an event of OpenLineage does, or a list of such.
bool is_lineage(std::string_view text) {
  auto const has = [&](std::string_view name) { return text.find(name) != std::string_view::npos; };
  bool const is_other = text.starts_with("{\"tx\":") || has("\"prefix\"");  // a history, PROV-JSON
  return (text.starts_with('{') || text.starts_with('[')) && !is_other && has("\"eventTime\"") &&
         (has("\"run\"") || has("\"job\"") || has("\"dataset\""));
}

/// What a document of a known kind is that is not read; empty for others.
std::string_view unread_kind(std::string_view file, std::string_view head) {
  constexpr std::string_view blank = " \t\r\n\xEF\xBB\xBF";
  auto const begin = head.find_first_not_of(blank);
  auto const text = begin == std::string_view::npos ? std::string_view{} : head.substr(begin);
  if (file.ends_with(".provn") || text.starts_with("document\n") || text.starts_with("document\r\n") ||
      text.starts_with("document ")) {
    return "PROV-N is written, not read: convert it to PROV-JSON";
  }
  if (is_lineage(text)) return "these are events of OpenLineage: import them with --format openlineage";
  bool const is_record = text.starts_with('{') && text.find("\"$type$\"") != std::string_view::npos;
  if (is_record && text.find("\"prefix\"") == std::string_view::npos)
    return "these are records: `whence load` writes them";
  if (text.starts_with('<')) return "XML (PROV-XML, RDF/XML, GraphML) is not read: convert it to PROV-JSON";
  bool const is_turtle = file.ends_with(".ttl") || file.ends_with(".trig") || text.starts_with("@prefix") ||
                         text.starts_with("@base") || text.starts_with("PREFIX ");
  if (is_turtle) return "Turtle and TriG (PROV-O) are not read: convert them to PROV-JSON";
  bool const is_linked = text.starts_with('{') && text.find("\"@context\"") != std::string_view::npos &&
                         text.find("\"prefix\"") == std::string_view::npos;
  if (is_linked && (text.find("ro/crate") != std::string_view::npos || file.ends_with("ro-crate-metadata.json"))) {
    return "an RO-Crate is not read: import the PROV-JSON file of its provenance";
  }
  if (is_linked) return "JSON-LD is not read: convert it to PROV-JSON";
  return {};
}

CallError not_found(std::string message) {
  return {.exit = ExitCode::not_found, .message = std::move(message)};
}

/// Whether the command itself says that the file is a history: that of an empty store is empty.
bool is_named_history(ImportCommand const& command) {
  return command.format == jsonl || (command.format.empty() && command.file.ends_with(".jsonl"));
}

/// Whether there is anything to import; before a store is opened or made. A device or pipe is asked when it is read.
CallResult<void> check_file(ImportCommand const& command, Io& io) {
  auto const refuse_empty = [&]() -> CallResult<void> {
    auto const empty = (command.file == "-" ? "standard input" : command.file) + " is empty: ";
    if (!is_named_history(command)) {
      return CallError{.exit = ExitCode::invalid_input, .message = empty + "there is nothing to import"};
    }
    io.talk << empty << "the history of an empty store\n";
    return {};
  };
  if (command.file == "-") {
    if (io.in.peek() == std::istream::traits_type::eof()) return refuse_empty();
    return {};
  }
  std::error_code failed;
  auto const status = fs::status(command.file, failed);
  if (!fs::exists(status)) {
    auto refused = find_unreadable(command.file);
    return refused ? CallError{.exit = refused->exit, .message = std::move(refused->why)} : not_found(command.file);
  }
  bool const wants_folder = command.format == discussions;
  if (fs::is_directory(status) != wants_folder) {
    return not_found(command.file +
                     (wants_folder ? " is no folder" : " is a folder: --format discussions imports one"));
  }
  if (wants_folder) return {};
  std::ifstream in{command.file, std::ios::binary};
  if (!in) return CallError{.message = command.file + " cannot be read: " + std::generic_category().message(errno)};
  if (fs::is_regular_file(status) && fs::file_size(command.file, failed) == 0 && !failed) return refuse_empty();
  return {};
}

ExitCode run(ImportCommand const& command, Io& io);

/// A file that is packed is unpacked beside temporary files and taken from there.
ExitCode run_packed(ImportCommand const& command, Io& io) {
  ScratchDirectory const scratch = ScratchDirectory::beside(fs::temp_directory_path() / "whence-import");
  auto name = fs::path(command.file).filename().string();
  if (name.ends_with(exports::zstd_suffix)) name.resize(name.size() - exports::zstd_suffix.size());
  auto const plain = scratch.path() / (name.empty() ? "input" : name);
  std::ifstream in{command.file, std::ios::binary};
  std::ofstream out{plain, std::ios::binary};
  auto const unpacked = exports::unpack_zstd(in, out);
  if (!unpacked) {
    return report(io, {.exit = ExitCode::invalid_input, .message = command.file + ": " + unpacked.error().message});
  }
  out.close();
  if (!out) return report(io, {.message = "cannot unpack " + command.file + " to " + plain.string()});
  auto taken = command;
  taken.file = plain.string();
  return run(taken, io);
}

ExitCode run(ImportCommand const& command, Io& io) {
  CallResult<std::string_view> const format = format_of(command);
  if (!format) return report(io, format.error());
  if (CallResult<void> const checked = check_file(command, io); !checked) return report(io, checked.error());
  try {
    auto const head = command.file == "-" || *format == discussions ? std::string{} : head_of(command.file);
    if (head.starts_with(exports::zstd_magic)) return run_packed(command, io);
    if (head.starts_with(gzip_magic)) {
      return report(io, {.exit = ExitCode::invalid_input,
                         .message = command.file + ": gzip is not read, .zst is: unpack it with gunzip first"});
    }
    bool const may_be_other = *format == prov_json || (command.format.empty() && is_lineage(head));
    auto const unread = may_be_other ? unread_kind(command.file, head) : std::string_view{};
    if (!unread.empty()) {
      return report(io, {.exit = ExitCode::invalid_input, .message = command.file + ": " + std::string(unread)});
    }
    if (*format == discussions) return import_discussions(command, io);
    if (*format == otlp_json) return import_telemetry(command, io);
    if (*format == openlineage) return import_lineage(command, io);
    if (*format == langfuse_export) return import_kept_spans(command, read_langfuse, io);
    if (*format == phoenix_jsonl) return import_kept_spans(command, read_phoenix, io);
    return *format == prov_json ? import_document(command, io) : import_history(command, io);
  } catch (std::system_error const& failed) {
    return report(io, {.message = failed.what()});
  }
}

}  // namespace

void add_import_verb(Program& program) {
  CLI::App& app =
      program.add_verb("import", "Restores a store from an export, or takes what other programs kept", Purpose::write);
  app.footer("What others kept: a PROV-JSON document, discussions, telemetry, lineage events.");
  auto command = std::make_shared<ImportCommand>();
  app.add_option("file", command->file, "The file to import; - is standard input; of discussions their folder")
      ->required()
      ->type_name("FILE");
  app.add_option(
         "--format", command->format,
         "What the file is; discussions are a folder {userId}/{discussionId}.json. Default: jsonl or prov-json by the "
         "file's name or first bytes, jsonl on standard input")
      ->type_name(format_names());
  app.add_flag("--dry-run", command->is_dry_run, "Only checks; writes nothing");
  app.add_flag("--keep-statuses", command->keeps_statuses,
               "Keeps the deprecations of the file, for a history made under another --deprecate-below");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
