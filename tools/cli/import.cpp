// `whence import`: a store from its history (jsonl), tried on a store of its own first, so that a file that is refused
// leaves nothing behind; or a PROV-JSON document translated to records, which are one transaction.

#include "schema/json/json.hpp"
#include "schema/json/prov_document.hpp"
#include "tools/cli/local_caller.hpp"
#include "tools/cli/program.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/scratch_directory.hpp"
#include "tools/cli/target.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t piece_bytes = std::size_t{1} << 20;  ///< about what one call carries
constexpr std::string_view jsonl = "jsonl";
constexpr std::string_view prov_json = "prov-json";

struct ImportCommand {
  Target target = {};
  std::string file = {};
  std::string format = {};
  bool is_dry_run = false;
  bool keeps_statuses = false;
  bool is_json = false;
};

CallError usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

CallError invalid(std::string message) {
  return {.exit = ExitCode::invalid_input, .message = std::move(message)};
}

CallError is_not_empty() {
  return {.exit = ExitCode::conflict, .message = "the store is not empty: a history goes into an empty one"};
}

struct Imported {
  std::uint64_t lines = 0;
  std::uint64_t transactions = 0;
};

/// Whole transactions of lines on their way to `admin.restore`.
class HistorySender {
 public:
  HistorySender(Caller& caller, bool keeps_statuses, Io& io)
      : caller_(caller), keeps_statuses_(keeps_statuses), progress_(io, 0) {}

  CallResult<Imported> send(std::istream& in) {
    for (std::string line; std::getline(in, line);) {
      if (CallResult<void> const taken = take(line); !taken) return taken.error();
    }
    if (CallResult<void> const flushed = flush(); !flushed) return flushed.error();
    return imported_;
  }

 private:
  CallResult<void> take(std::string const& line) {
    ++imported_.lines;
    auto const document = schema::json::parse(line);
    json::value const* const tx =
        document && document->value.is_object() ? document->value.get_object().if_contains("tx") : nullptr;
    if (tx == nullptr) {
      std::string const why = document ? "no event" : document.error().message;
      return invalid("line " + std::to_string(imported_.lines) + " is no line of a jsonl export: " + why);
    }
    if (*tx != imported_.transactions) {
      if (*tx != imported_.transactions + 1) {
        return invalid("line " + std::to_string(imported_.lines) + " holds transaction " + schema::json::to_text(*tx) +
                       ", which does not follow " + std::to_string(imported_.transactions));
      }
      if (events_.size() > piece_bytes) {
        if (CallResult<void> const flushed = flush(); !flushed) return flushed;
      }
      ++imported_.transactions;
    }
    if (events_.empty()) first_line_ = imported_.lines;
    events_.append(events_.empty() ? "" : ",").append(line);
    return {};
  }

  CallResult<void> flush() {
    if (events_.empty()) return {};
    auto const params = "{\"events\":[" + events_ + "],\"first_line\":" + std::to_string(first_line_) +
                        (keeps_statuses_ ? ",\"keep_statuses\":true}" : "}");
    events_.clear();
    CallResult<json::value> const answer = caller_.call("admin.restore", params);
    if (!answer) return answer.error();
    progress_.show(0, imported_.lines);
    return {};
  }

  Caller& caller_;
  bool const keeps_statuses_;
  Progress progress_;
  Imported imported_ = {};
  std::string events_ = {};
  std::uint64_t first_line_ = 1;
};

/// The input as a file that can be read twice: standard input is kept in `scratch` first.
CallResult<fs::path> find_file(ImportCommand const& command, ScratchDirectory const& scratch, Io& io) {
  if (command.file != "-") return fs::path(command.file);
  fs::create_directories(scratch.path());
  auto const kept = scratch.path() / "input";
  std::ofstream out{kept, std::ios::binary};
  if (io.in.peek() != std::istream::traits_type::eof()) out << io.in.rdbuf();
  out.close();
  if (!out) return CallError{.message = "cannot keep standard input in " + kept.string()};
  return kept;
}

CallResult<Imported> send_file(ImportCommand const& command, fs::path const& file, Caller& caller, Io& io) {
  std::ifstream in{file, std::ios::binary};
  if (!in) return CallError{.exit = ExitCode::not_found, .message = "cannot read " + file.string()};
  return HistorySender(caller, command.keeps_statuses, io).send(in);
}

/// Writes the history to a store of its own in `directory`.
CallResult<Imported> build(ImportCommand const& command, fs::path const& file, fs::path const& directory, Io& io) {
  CallResult<std::unique_ptr<LocalCaller>> caller = LocalCaller::open_local(directory, MissingStore::is_created);
  if (!caller) return caller.error();
  return send_file(command, file, **caller, io);
}

CallResult<std::uint64_t> head_of(Caller& caller) {
  CallResult<json::value> const info = caller.call("server.info", "{}");
  if (!info) return info.error();
  return info->as_object().at("tx").to_number<std::uint64_t>();
}

CallResult<void> require_empty(Caller& caller) {
  CallResult<std::uint64_t> const head = head_of(caller);
  if (!head) return head.error();
  return *head == 0 ? CallResult<void>{} : is_not_empty();
}

/// A folder that is missing, empty, or holds an empty store.
CallResult<void> require_empty(std::string const& db) {
  std::error_code failed;
  if (!fs::exists(db, failed) || fs::is_empty(db, failed)) return {};
  CallResult<std::unique_ptr<LocalCaller>> const caller = LocalCaller::open_local(db, MissingStore::is_error);
  if (!caller) return caller.error();
  return require_empty(**caller);
}

/// Puts the files of a finished store into their folder.
void move_files(fs::path const& from, fs::path const& to) {
  if (!fs::exists(to)) return fs::rename(from, to);
  for (auto const& entry : fs::directory_iterator{from}) fs::rename(entry.path(), to / entry.path().filename());
}

CallResult<Imported> import_into_store(ImportCommand const& command, Io& io) {
  auto const& db = command.target.db;
  if (CallResult<void> const empty = require_empty(db); !empty) return empty.error();
  ScratchDirectory const scratch = ScratchDirectory::beside(db);
  CallResult<fs::path> const file = find_file(command, scratch, io);
  if (!file) return file.error();
  auto const store = scratch.path() / "store";
  CallResult<Imported> const built = build(command, *file, store, io);
  if (built && !command.is_dry_run) move_files(store, db);
  return built;
}

CallResult<Imported> import_into_server(ImportCommand const& command, Io& io) {
  CallResult<std::unique_ptr<Caller>> const server = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!server) return server.error();
  if (CallResult<void> const empty = require_empty(**server); !empty) return empty.error();
  ScratchDirectory const scratch = ScratchDirectory::beside(fs::temp_directory_path() / "whence-import");
  CallResult<fs::path> const file = find_file(command, scratch, io);
  if (!file) return file.error();
  CallResult<Imported> tried = build(command, *file, scratch.path() / "store", io);
  if (!tried || command.is_dry_run) return tried;
  return send_file(command, *file, **server, io);
}

// --- PROV-JSON ---

CallResult<std::string> read_input(ImportCommand const& command, Io& io) {
  std::ostringstream text;
  if (command.file == "-") {
    text << io.in.rdbuf();
    return std::move(text).str();
  }
  std::ifstream in{command.file, std::ios::binary};
  if (!in) return CallError{.exit = ExitCode::not_found, .message = "cannot read " + command.file};
  text << in.rdbuf();
  return std::move(text).str();
}

/// What is wrong with a document, as a server would say it.
CallError refused_document(Error const& error) {
  std::string message = error.message;
  for (Violation const& each : error.violations)
    message += "\n  " + each.path + ": " + each.message + " (" + each.rule + ")";
  return {.exit = ExitCode::invalid_input, .message = std::move(message)};
}

void tell_warnings(std::vector<Violation> const& warnings, Io& io) {
  for (Violation const& each : warnings) {
    io.talk << "warning: " << each.path << ": " << each.message << " (" << each.rule << ")\n";
  }
}

ExitCode import_document(ImportCommand const& command, Io& io) {
  CallResult<std::string> const text = read_input(command, io);
  if (!text) return report(io, text.error());
  auto const import = schema::json::read_prov_json(*text);
  if (!import) return report(io, refused_document(import.error()));
  tell_warnings(import->warnings, io);
  auto const missing = command.is_dry_run ? MissingStore::is_error : MissingStore::is_created;
  CallResult<std::unique_ptr<Caller>> const caller = open_caller(command.target, missing, timeout_none);
  if (!caller) return report(io, caller.error());
  json::object result{{"records", import->records.size()}, {"dry_run", command.is_dry_run}};
  if (!import->records.empty()) {
    std::string params = "{\"keep_drawn\":true,\"records\":[";
    for (auto const& record : import->records) params.append(params.ends_with('[') ? "" : ",").append(record);
    params.append(command.is_dry_run ? "],\"dry_run\":true}" : "]}");
    CallResult<json::value> const answer = (*caller)->call("records.write", params);
    if (!answer) return report(io, answer.error());
    for (auto const& warning : answer->as_object().at("warnings").as_array()) {
      io.talk << "warning: " << schema::json::to_text(warning) << '\n';
    }
    result["tx"] = answer->as_object().at("tx");
  }
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << import->records.size() << " records\n";
  }
  return ExitCode::ok;
}

// --- Which of them ---

/// By `--format`, else by the file's name, else by how it begins.
CallResult<std::string_view> format_of(ImportCommand const& command, Io& io) {
  if (command.format == jsonl) return jsonl;
  if (command.format == prov_json) return prov_json;
  if (!command.format.empty()) return usage("--format: \"" + command.format + "\" is neither jsonl nor prov-json");
  if (command.file.ends_with(".jsonl")) return jsonl;
  if (command.file == "-") return io.in.peek() == '{' ? jsonl : prov_json;
  std::ifstream in{command.file, std::ios::binary};
  std::string first;
  std::getline(in, first);
  return first.starts_with("{\"tx\":") || first.empty() ? jsonl : prov_json;
}

ExitCode run(ImportCommand const& command, Io& io) {
  CallResult<std::string_view> const format = format_of(command, io);
  if (!format) return report(io, format.error());
  try {
    if (*format == prov_json) return import_document(command, io);
    CallResult<Imported> const imported =
        command.target.db.empty() ? import_into_server(command, io) : import_into_store(command, io);
    if (!imported) return report(io, imported.error());
    if (command.is_json) {
      json::object const result{
          {"lines", imported->lines}, {"tx", imported->transactions}, {"dry_run", command.is_dry_run}};
      io.data << schema::json::to_text(result) << '\n';
    } else {
      io.talk << (command.is_dry_run ? "checked " : "imported ") << imported->lines << " events of "
              << imported->transactions << " transactions\n";
    }
    return ExitCode::ok;
  } catch (std::system_error const& failed) {
    return report(io, {.message = failed.what()});
  }
}

}  // namespace

void add_import_verb(Program& program) {
  CLI::App& app = program.add_verb("import", "Restores a store from a jsonl export, or takes a PROV-JSON document in");
  auto command = std::make_shared<ImportCommand>();
  app.add_option("file", command->file, "What was exported; - is standard input")->required()->type_name("FILE");
  app.add_option("--format", command->format, "jsonl or prov-json; by its name or its beginning where left out")
      ->type_name("NAME");
  app.add_flag("--dry-run", command->is_dry_run, "Only checks; writes nothing");
  app.add_flag("--keep-statuses", command->keeps_statuses,
               "Takes deprecations as the file tells them, for a history made under another --deprecate-below");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
