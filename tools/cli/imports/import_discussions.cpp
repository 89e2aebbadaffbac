// Importing a folder of discussions, `{userId}/{discussionId}.json`: each file as records of its own, all or none of
// them.

#include "net/base/errors.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/records/discussion/file_name.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/discussion_file.hpp"
#include "store/files/pair_texts.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using schema::json::DiscussionFile;

enum class ImportResult : std::uint8_t { taken, unchanged, refused };
constexpr std::array<std::string_view, 3> enum_names(ImportResult) noexcept {
  return {"taken", "unchanged", "refused"};
}

/// What became of one file.
struct ImportedFile {
  std::string path = {};  ///< relative to the folder
  ImportResult result = ImportResult::refused;
  std::size_t rounds = 0;
  std::size_t summaries = 0;
  std::optional<std::int64_t> tx = {};
  std::vector<std::string> kept = {};      ///< unknown members that became attributes
  std::vector<std::string> warnings = {};  ///< of the server
  std::vector<std::string> errors = {};    ///< why it was refused, each with its place
};

std::string problem_at(std::string_view path, std::string_view message, std::string_view rule) {
  return std::string(path).append(path.empty() ? "" : ": ").append(message).append(" (").append(rule).append(")");
}

/// Files with this ending in the folders of users, and whatever else looks like one, in the order of their paths.
struct FoundFiles {
  std::vector<fs::path> files = {};    ///< relative
  std::vector<fs::path> skipped = {};  ///< links, and files in no user's folder
};

void take_entry(fs::directory_entry const& entry, fs::path const& relative, FoundFiles& found) {
  if (entry.path().extension() != ".json") return;
  bool const is_file = !entry.is_symlink() && entry.is_regular_file();
  (is_file ? found.files : found.skipped).push_back(relative);
}

FoundFiles find_files(fs::path const& folder) {
  FoundFiles found;
  for (auto const& user : fs::directory_iterator{folder}) {
    auto const name = user.path().filename();
    if (user.is_symlink() || !user.is_directory()) {
      if (user.is_symlink() || name.extension() == ".json") found.skipped.push_back(name);
      continue;
    }
    for (auto const& entry : fs::directory_iterator{user.path()}) {
      take_entry(entry, name / entry.path().filename(), found);
    }
  }
  std::ranges::sort(found.files);
  std::ranges::sort(found.skipped);
  return found;
}

/// Imports file after file. A failure of the connection ends it.
class FolderImport {
 public:
  FolderImport(Caller& caller, fs::path folder, bool is_dry_run)
      : caller_(caller), folder_(std::move(folder)), is_dry_run_(is_dry_run) {}

  CallResult<ImportedFile> import(fs::path const& relative) {
    ImportedFile imported{.path = relative.string()};
    auto const text = read(relative, imported);
    if (!text) return imported;
    auto const file = parse(relative, *text, imported);
    if (!file) return imported;
    imported.rounds = file->state.rounds.size();
    imported.summaries = file->state.summaries.size();
    for (auto const& each : file->kept) imported.kept.push_back(each.path);
    return write(*file, std::move(imported));
  }

 private:
  std::optional<std::string> read(fs::path const& relative, ImportedFile& imported) const {
    std::error_code failed;
    auto const bytes = fs::file_size(folder_ / relative, failed);
    if (!failed && bytes > store::paired_file_bytes_max) {
      imported.errors.push_back("has more than " + std::to_string(store::paired_file_bytes_max) + " bytes");
      return std::nullopt;
    }
    std::ifstream in{folder_ / relative, std::ios::binary};
    std::ostringstream text;
    if (in && bytes > 0) text << in.rdbuf();
    if (failed || !in || text.fail()) {
      imported.errors.emplace_back("cannot be read");
      return std::nullopt;
    }
    return std::move(text).str();
  }

  /// Its ids are in its path, escaped or as another program wrote them.
  static std::optional<DiscussionFile> parse(fs::path const& relative, std::string const& text,
                                             ImportedFile& imported) {
    auto const user = relative.parent_path().string();
    auto const discussion = relative.stem().string();
    if (!schema::is_utf8(user) || !schema::is_utf8(discussion)) {
      imported.errors.emplace_back("its path is not UTF-8");
      return std::nullopt;
    }
    auto file = parse_as(text, schema::id_of_file_name(user), schema::id_of_file_name(discussion));
    bool const is_of_other = !file && std::ranges::any_of(file.error().violations, [](Violation const& each) {
      return each.rule == "identity";
    });
    if (is_of_other) {
      if (auto literal = parse_as(text, user, discussion)) file = std::move(literal);
    }
    if (file) return std::move(*file);
    for (auto const& each : file.error().violations) {
      imported.errors.push_back(problem_at(each.path, each.message, each.rule));
    }
    if (imported.errors.empty()) imported.errors.push_back(file.error().message);
    return std::nullopt;
  }

  static Result<DiscussionFile> parse_as(std::string const& text, std::string const& user,
                                         std::string const& discussion) {
    // The server knows what lies in the future.
    schema::CheckContext const context{.latest_time = {.seconds = std::numeric_limits<std::int64_t>::max()}};
    // The server knows how far a summary may reach beyond the rounds.
    schema::json::DiscussionName const name{
        .user_id = user, .discussion_id = discussion, .missing = {std::numeric_limits<std::int64_t>::max()}};
    return schema::json::parse_discussion_file(text, context, name, schema::json::FileReading::keeping);
  }

  CallResult<bool> is_known(schema::Discussion const& discussion) {
    auto const key = schema::discussion_key(discussion.user_id, discussion.discussion_id);
    auto const ref = schema::format_ref(schema::RecordType::discussion, key);
    auto const found = caller_.call("node.get", json::object{{"ref", ref}});
    if (found) return true;
    if (found.error().exit == ExitCode::not_found && !found.error().rpc_error.is_null()) return false;
    return found.error();
  }

  /// The params of the write, and where each of its records is in the file.
  struct Batch {
    std::string params = "{\"records\":[";
    std::vector<std::string> places = {};

    void add(schema::Record const& record, std::string place) {
      if (!places.empty()) params.push_back(',');
      params.append(schema::json::to_text(record));
      places.push_back(std::move(place));
    }
  };

  /// A known discussion keeps its own members: those of the file may be older.
  static Batch batch_of(DiscussionFile const& file, bool is_known, bool is_dry_run) {
    Batch batch;
    if (!is_known) batch.add(file.state.discussion, "");
    for (auto const& round : file.state.rounds) {
      batch.add(round, "round " + std::to_string(round.round_number) + " ");
    }
    for (auto const& summary : file.state.summaries) {
      batch.add(summary, "summary of round " + std::to_string(summary.round_number) + " ");
    }
    // A copy of what another program recorded: rounds may be missing.
    batch.params.append(is_dry_run ? R"(],"keep_derived":true,"dry_run":true})" : R"(],"keep_derived":true})");
    return batch;
  }

  CallResult<ImportedFile> write(DiscussionFile const& file, ImportedFile imported) {
    auto const known = is_known(file.state.discussion);
    if (!known) return known.error();
    auto const batch = batch_of(file, *known, is_dry_run_);
    imported.result = ImportResult::unchanged;
    if (batch.places.empty()) return imported;
    auto const answer = caller_.call("records.write", batch.params);
    if (!answer) return refused(answer.error(), batch, std::move(imported));
    auto const& result = answer->as_object();
    imported.tx = result.at("tx").to_number<std::int64_t>();
    if (!result.contains("unchanged")) imported.result = ImportResult::taken;
    for (auto const& warning : result.at("warnings").as_array()) {
      imported.warnings.push_back(located(warning.as_object(), batch));
    }
    return imported;
  }

  /// The refusal of a file, unless it is the connection that failed.
  static CallResult<ImportedFile> refused(CallError const& error, Batch const& batch, ImportedFile imported) {
    auto const* const object = error.rpc_error.if_object();
    if (object == nullptr) return error;
    auto const code = object->at("code").to_number<std::int64_t>();
    bool const is_of_server = code == net::wire_code(Errc::busy) || code == net::wire_code(Errc::storage_full) ||
                              code == net::wire_code(Errc::forbidden) || code == net::wire_code(Errc::internal_error);
    if (is_of_server) return error;
    imported.result = ImportResult::refused;
    auto const* const data = object->if_contains("data");
    auto const* const errors =
        data != nullptr && data->is_object() ? data->get_object().if_contains("errors") : nullptr;
    if (errors != nullptr && errors->is_array()) {
      for (auto const& each : errors->get_array()) imported.errors.push_back(located(each.as_object(), batch));
    }
    if (imported.errors.empty()) imported.errors.push_back(error.message);
    return imported;
  }

  static std::string text_in(json::object const& object, std::string_view name) {
    auto const* const value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string{};
  }

  /// An error or a warning about a record, at its place in the file.
  static std::string located(json::object const& problem, Batch const& batch) {
    std::string place;
    auto const* const index = problem.if_contains("index");
    if (index != nullptr && index->is_int64() && static_cast<std::uint64_t>(index->get_int64()) < batch.places.size()) {
      place = batch.places[static_cast<std::size_t>(index->get_int64())];
    }
    return problem_at(place + text_in(problem, "path"), text_in(problem, "message"), text_in(problem, "rule"));
  }

  Caller& caller_;
  fs::path const folder_;
  bool const is_dry_run_;
};

json::array array_of(std::vector<std::string> const& texts) {
  json::array array;
  for (auto const& text : texts) array.emplace_back(text);
  return array;
}

json::object json_of(ImportedFile const& file) {
  json::object object{{"path", file.path}, {"result", schema::name_of(file.result)}};
  if (file.result != ImportResult::refused) {
    object["rounds"] = file.rounds;
    object["summaries"] = file.summaries;
  }
  if (file.tx) object["tx"] = *file.tx;
  for (auto const& [name, list] :
       {std::pair{"kept", &file.kept}, {"warnings", &file.warnings}, {"errors", &file.errors}}) {
    if (!list->empty()) object[name] = array_of(*list);
  }
  return object;
}

void print(ImportedFile const& file, Io& io) {
  io.data << schema::name_of(file.result) << ' ' << net::plain_text::shown(file.path);
  if (file.result != ImportResult::refused) {
    io.data << ": " << file.rounds << " rounds, " << file.summaries << " summaries";
  }
  io.data << '\n';
  for (auto const& path : file.kept) io.data << "  kept as an attribute: " << net::plain_text::shown(path) << '\n';
  for (auto const& warning : file.warnings) io.data << "  warning: " << net::plain_text::shown(warning) << '\n';
  for (auto const& error : file.errors) io.data << "  " << net::plain_text::shown(error) << '\n';
}

void print_summary(std::vector<ImportedFile> const& files, bool is_dry_run, Io& io) {
  auto const count = [&](ImportResult result) { return std::ranges::count(files, result, &ImportedFile::result); };
  io.talk << (is_dry_run ? "checked " : "imported ") << count(ImportResult::taken) << " of " << files.size()
          << " discussions, " << count(ImportResult::unchanged) << " unchanged, " << count(ImportResult::refused)
          << " refused\n";
}

}  // namespace

ExitCode import_discussions(ImportCommand const& command, Io& io) {
  fs::path const folder = command.file;
  auto const found = find_files(folder);
  if (found.files.empty() && found.skipped.empty()) {
    return report(io, {.exit = ExitCode::invalid_input,
                       .message = command.file + " holds no discussions: there is nothing to import"});
  }
  auto const missing = command.is_dry_run ? MissingStore::is_error : MissingStore::is_created;
  CallResult<std::unique_ptr<Caller>> const caller = open_caller(command.target, missing, timeout_none);
  if (!caller) return report(io, caller.error());
  FolderImport import{**caller, folder, command.is_dry_run};
  std::vector<ImportedFile> files;
  for (auto const& path : found.skipped) {
    files.push_back({.path = path.string(), .errors = {"is no file in the folder of a user"}});
  }
  for (auto const& path : found.files) {
    auto imported = import.import(path);
    if (!imported) return report(io, imported.error());
    files.push_back(std::move(*imported));
  }
  if (command.is_json) {
    json::array list;
    for (auto const& file : files) list.push_back(json_of(file));
    io.data << schema::json::to_text(json::object{{"files", std::move(list)}, {"dry_run", command.is_dry_run}}) << '\n';
  } else {
    for (auto const& file : files) print(file, io);
    print_summary(files, command.is_dry_run, io);
  }
  bool const is_refused =
      std::ranges::any_of(files, [](ImportedFile const& file) { return file.result == ImportResult::refused; });
  return is_refused ? ExitCode::invalid_input : ExitCode::ok;
}

}  // namespace whence::tools
