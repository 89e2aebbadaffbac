// Restoring a jsonl export, line by line, as transactions.

#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "store/upkeep/empty_place.hpp"
#include "tools/cli/imports/gone_records.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/process/scratch_directory.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/local_caller.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <ostream>
#include <system_error>
#include <utility>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t piece_bytes = std::size_t{1} << 20;  ///< about the size of one call

struct Imported {
  std::uint64_t lines = 0;
  std::uint64_t transactions = 0;
  std::size_t gone = 0;  ///< records of the history that go by transactions of their own
};

CallError is_not_empty() {
  return {.exit = ExitCode::conflict, .message = "the store is not empty; a history needs an empty one"};
}

/// Whole transactions of lines on their way to `admin.restore`.
class HistorySender {
 public:
  HistorySender(Caller& caller, bool keeps_statuses, std::uint64_t bytes, Io& io)
      : caller_(caller), keeps_statuses_(keeps_statuses), progress_(io, bytes) {}

  CallResult<Imported> send(std::istream& in) {
    for (std::string line; std::getline(in, line);) {
      if (CallResult<void> const taken = take(line); !taken) return taken.error();
    }
    auto const lines = imported_.lines;
    imported_.gone = gone_.count();
    for (auto const& line : gone_.lines_after(imported_.transactions, at_)) {
      if (CallResult<void> const taken = take(line); !taken) return taken.error();
    }
    imported_.lines = lines;
    if (CallResult<void> const flushed = flush(); !flushed) return flushed.error();
    return imported_;
  }

 private:
  CallResult<void> take(std::string const& line) {
    ++imported_.lines;
    bytes_ += line.size() + 1;
    auto const document = schema::json::parse(line);
    json::value const* const tx =
        document && document->value.is_object() ? document->value.get_object().if_contains("tx") : nullptr;
    if (tx == nullptr) {
      bool const is_record = document && document->value.is_object() && document->value.get_object().contains("$type$");
      std::string const why = is_record  ? "it is a record, which `whence load` writes"
                              : document ? "not an event"
                                         : document.error().message;
      return invalid_input("line " + std::to_string(imported_.lines) + " is not a line of a jsonl export: " + why);
    }
    if (*tx != imported_.transactions) {
      if (*tx != imported_.transactions + 1) {
        return invalid_input("line " + std::to_string(imported_.lines) + " holds transaction " +
                             schema::json::to_text(*tx) + ", which does not follow " +
                             std::to_string(imported_.transactions));
      }
      if (events_.size() > piece_bytes) {
        if (CallResult<void> flushed = flush(); !flushed) return flushed;
      }
      ++imported_.transactions;
      json::value const* const at = document->value.get_object().if_contains("at");
      at_ = at != nullptr && at->is_string() ? std::string{at->get_string()} : std::string{};
    }
    gone_.take(document->value.get_object());
    if (events_.empty()) first_line_ = imported_.lines;
    if (!events_.empty()) events_.push_back(',');
    schema::json::append_string(events_, line);
    return {};
  }

  CallResult<void> flush() {
    if (events_.empty()) return {};
    auto const params = "{\"events\":[" + events_ + "],\"first_line\":" + std::to_string(first_line_) +
                        (keeps_statuses_ ? ",\"keep_statuses\":true}" : "}");
    events_.clear();
    CallResult<json::value> const answer = caller_.call("admin.restore", params);
    if (!answer) return answer.error();
    progress_.show(bytes_, imported_.lines);
    return {};
  }

  Caller& caller_;
  bool const keeps_statuses_;
  Progress progress_;
  Imported imported_ = {};
  GoneRecords gone_ = {};
  std::string at_ = {};  ///< the time of the last transaction
  std::string events_ = {};
  std::uint64_t first_line_ = 1;
  std::uint64_t bytes_ = 0;  ///< of the lines that were taken
};

/// The input as a file that can be read twice: standard input is kept in `scratch` first.
CallResult<fs::path> find_file(ImportCommand const& command, ScratchDirectory const& scratch, Io& io) {
  if (command.file != "-") return fs::path(command.file);
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
  std::error_code unknown;
  auto const bytes = fs::file_size(file, unknown);
  return HistorySender(caller, command.keeps_statuses, unknown ? 0 : bytes, io).send(in);
}

/// Writes the history to a new store in `directory`.
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

CallError error_of(Error const& error) {
  return {.exit = exit_code_of(error.code), .message = error.message};
}

CallResult<Imported> import_into_store(ImportCommand const& command, Io& io) {
  auto const& db = command.target.db;
  auto place = store::EmptyPlace::find(db);
  if (!place) return error_of(place.error());
  if (!*place) return is_not_empty();
  ScratchDirectory const scratch = ScratchDirectory::beside(db);
  CallResult<fs::path> const file = find_file(command, scratch, io);
  if (!file) return file.error();
  auto const store = scratch.path() / "store";
  CallResult<Imported> built = build(command, *file, store, io);
  if (!built || command.is_dry_run) return built;
  if (Result<void> const taken = (*place)->take(store); !taken) return error_of(taken.error());
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

}  // namespace

ExitCode import_history(ImportCommand const& command, Io& io) {
  CallResult<Imported> const imported =
      command.target.db.empty() ? import_into_server(command, io) : import_into_store(command, io);
  if (!imported) return report(io, imported.error());
  if (command.is_json) {
    json::object const result{{"lines", imported->lines},
                              {"tx", imported->transactions},
                              {"dry_run", command.is_dry_run},
                              {"gone", imported->gone}};
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << imported->lines << " events of "
            << imported->transactions << " transactions\n";
    if (imported->gone > 0)
      io.talk << imported->gone << " records were gone when this was exported, after its moment: here they go last\n";
  }
  return ExitCode::ok;
}

}  // namespace whence::tools
