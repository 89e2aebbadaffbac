// `whence load`: files of records into the graph, batch after batch, each answered before the next is sent: batches of
// up to 1,000 records amortise the wait, and the order and the line of a refusal are clear. Lines are sent as text and
// parsed here only to name a malformed one; batches are cut by the lines alone, so lines appended to a file change its
// last batch.

#include "net/base/errors.hpp"
#include "schema/base/digest.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/verbs/batch_reader.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include <CLI/Validators.hpp>
#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// How often a batch is retried on a busy server before the load gives up.
constexpr int busy_tries_max = 50;
constexpr std::int64_t busy_pause_ms_max = 1'000;

struct LoadCommand {
  Target target = {};
  std::vector<std::string> files = {};
  bool is_ensuring = false;
  std::string mode = {};
  bool is_json = false;
};

struct Totals {
  std::uint64_t records = 0;  ///< of acknowledged batches, dry runs left out
  std::uint64_t transactions = 0;
  std::uint64_t unchanged = 0;  ///< batches that were already written
  std::uint64_t warnings = 0;
  std::uint64_t bytes = 0;  ///< of the files done
  std::int64_t tx = 0;      ///< the highest seen: the answer to a repeated key names the transaction of the first write
};

/// Keys for the batches of one file, by their text, so that a second load of the file writes nothing. The same text
/// twice in a file is written twice and has two keys.
class Keys {
 public:
  std::string key_of(Batch const& batch) {
    std::string key = "load-" + to_hex(schema::sha256(batch.params));
    int const times = ++times_[key];
    return times == 1 ? key : key + "-" + std::to_string(times);
  }

 private:
  std::unordered_map<std::string, int> times_;
};

json::object const* data_of(CallError const& error) {
  json::object const* const object = error.rpc_error.if_object();
  json::value const* const data = object != nullptr ? object->if_contains("data") : nullptr;
  return data != nullptr ? data->if_object() : nullptr;
}

std::optional<std::int64_t> integer_in(json::object const* object, std::string_view member) {
  json::value const* const value = object != nullptr ? object->if_contains(member) : nullptr;
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

bool is_busy(CallError const& error) {
  return integer_in(error.rpc_error.if_object(), "code") == net::wire_code(Errc::busy);
}

/// The params to send: with a key where the batch needs one.
std::string params_of(Batch const& batch, Keys& keys) {
  if (!batch.needs_key) return batch.params;
  std::size_t const after_brace = batch.params.find('{') + 1;
  return "{\"idempotency_key\":\"" + keys.key_of(batch) + "\"," + batch.params.substr(after_brace);
}

/// Writes one batch. A refusal for being busy wrote nothing, so the batch may be sent again.
CallResult<json::value> write(Caller& caller, std::string const& params) {
  for (int tries = 1;; ++tries) {
    CallResult<json::value> answer = caller.call("records.write", params);
    if (answer || !is_busy(answer.error()) || tries == busy_tries_max) return answer;
    std::int64_t const pause = integer_in(data_of(answer.error()), "retry_after_ms").value_or(100);
    std::this_thread::sleep_for(std::chrono::milliseconds{std::clamp<std::int64_t>(pause, 1, busy_pause_ms_max)});
  }
}

/// A new transaction is later than all before it; any other answer means that the batch was already written.
void count(Totals& totals, Batch const& batch, json::object const& answer) {
  std::int64_t const tx = integer_in(&answer, "tx").value_or(totals.tx);
  if (!batch.is_dry_run) {
    totals.records += batch.records;
    ++(tx > totals.tx && !answer.contains("unchanged") ? totals.transactions : totals.unchanged);
  }
  totals.tx = std::max(totals.tx, tx);
  totals.warnings += schema::json::list_at(answer, "warnings").size();
}

/// The refusal of a batch, with the number of the line that caused it.
CallError located(CallError error, std::string const& file, Batch const& batch) {
  if (error.rpc_error.is_null() && error.exit != ExitCode::invalid_input) return error;
  auto const index = static_cast<std::size_t>(integer_in(data_of(error), "index").value_or(0));
  error.message = file + ", line " + std::to_string(batch.line_of(index)) + ": " + error.message;
  return error;
}

CallResult<void> load_stream(std::istream& in, std::string const& name, Caller& caller, LoadCommand const& command,
                             Totals& totals, Progress& progress) {
  BatchReader reader{in, command.is_ensuring, {}, command.mode};
  Keys keys;
  for (;;) {
    Result<std::optional<Batch>> const batch = reader.next();
    if (!batch) return CallError{.exit = ExitCode::invalid_input, .message = name + ", " + batch.error().message};
    if (!*batch) break;
    CallResult<json::value> const answer = write(caller, params_of(**batch, keys));
    if (!answer) return located(answer.error(), name, **batch);
    if (answer->is_object()) count(totals, **batch, answer->get_object());
    progress.show(totals.bytes + reader.bytes(), totals.records);
  }
  totals.bytes += reader.bytes();
  return {};
}

CallResult<void> load_files(Io& io, Caller& caller, LoadCommand const& command, Totals& totals, Progress& progress) {
  for (std::string const& file : command.files) {
    CallResult<void> loaded;
    if (file == "-") {
      loaded = load_stream(io.in, "standard input", caller, command, totals, progress);
    } else {
      std::ifstream in{file, std::ios::binary};
      if (!in) return CallError{.exit = ExitCode::failure, .message = file + " cannot be read"};
      loaded = load_stream(in, file, caller, command, totals, progress);
    }
    if (!loaded) return loaded;
  }
  return {};
}

/// Whether a file of a folder is one of records.
bool holds_records(std::filesystem::path const& file) {
  auto const suffix = file.extension();
  return suffix == ".ndjson" || suffix == ".jsonl";
}

/// The files that are named, and in the place of a folder those in it and below that hold records, by their names. Says
/// which are left out. Fails where a folder has none, or cannot be read.
CallResult<std::vector<std::string>> files_named(std::vector<std::string> const& given, Io& io) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (std::string const& name : given) {
    std::error_code failed;
    if (name == "-" || !fs::is_directory(name, failed)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator each(name, failed), end; !failed && each != end; each.increment(failed)) {
      if (!each->is_regular_file(failed)) continue;
      if (holds_records(each->path())) {
        found.push_back(each->path().string());
      } else {
        io.talk << each->path().string() << " is left out: its name ends in neither .ndjson nor .jsonl\n";
      }
    }
    if (failed) return CallError{.message = name + " cannot be read: " + failed.message()};
    if (found.empty()) return CallError{.message = name + " has no file whose name ends in .ndjson or .jsonl"};
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// Of all files; 0 as soon as one is not a plain file.
std::uint64_t bytes_in(std::vector<std::string> const& files) {
  std::uint64_t total = 0;
  for (std::string const& file : files) {
    std::error_code failed;
    std::uint64_t const bytes = std::filesystem::file_size(file, failed);
    if (failed) return 0;
    total += bytes;
  }
  return total;
}

void print_summary(Io& io, Totals const& totals, double seconds, bool is_json) {
  io.talk << "loaded " << totals.records << " records in " << totals.transactions << " transactions";
  if (totals.unchanged > 0) io.talk << ", " << totals.unchanged << " batches were already written";
  if (totals.warnings > 0) io.talk << ", " << totals.warnings << " warnings";
  io.talk << " (" << rate(totals.records, seconds) << " records/s); the graph is at transaction " << totals.tx << '\n';
  if (!is_json) return;
  std::string text;
  schema::json::Writer{text}
      .begin_object()
      .member("records", totals.records)
      .member("transactions", totals.transactions)
      .member("unchanged", totals.unchanged)
      .member("warnings", totals.warnings)
      .member("tx", totals.tx)
      .end_object();
  io.data << text << '\n';
}

CallResult<std::int64_t> find_head(Caller& caller) {
  CallResult<json::value> const info = caller.call("server.info", "{}");
  if (!info) return info.error();
  return integer_in(info->if_object(), "tx").value_or(0);
}

ExitCode run(LoadCommand command, Io& io) {
  auto files = files_named(command.files, io);
  if (!files) return report(io, files.error());
  command.files = *std::move(files);
  for (std::string const& file : command.files) {  // before a store is made
    if (auto refused = find_unreadable(file))
      return report(io, {.exit = refused->exit, .message = std::move(refused->why)});
  }
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_created, timeout_default);
  if (!caller) return report(io, caller.error());
  CallResult<std::int64_t> const head = find_head(**caller);
  if (!head) return report(io, head.error());
  Totals totals{.tx = *head};
  CallResult<void> loaded;
  double seconds = 0;
  {
    Progress progress{io, bytes_in(command.files)};
    loaded = load_files(io, **caller, command, totals, progress);
    seconds = progress.seconds();
  }
  if (!loaded) report(io, loaded.error());
  print_summary(io, totals, seconds, command.is_json);
  return loaded ? ExitCode::ok : loaded.error().exit;
}

}  // namespace

void add_load_verb(Program& program) {
  CLI::App& app = program.add_verb("load", "Writes files of records, one per line; run again, it skips what is there",
                                   Purpose::write);
  app.footer("A line is a JSON record or a batch {\"records\":[...]}.");
  auto command = std::make_shared<LoadCommand>();
  app.add_option("files", command->files, "NDJSON files, or folders of them; - is standard input")
      ->required()
      ->type_name("FILE");
  app.add_flag("--ensure", command->is_ensuring, "Creates the topics that messages on bare record lines name");
  app.add_option("--mode", command->mode,
                 "How bare record lines are taken: what breaks a rule is refused, or recorded and flagged")
      ->type_name("strict|capture")
      ->check(CLI::IsMember({"strict", "capture"}).description(""));
  add_target_flags(app, command->target);
  app.add_flag("--json", command->is_json, "Prints the summary as one JSON document");
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
