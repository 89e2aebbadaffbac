// What is erased cannot be taken back. So files are checked to be writable before, and an error after it says that it
// is done and how to get what is missing.

#include "tools/cli/personal/erasure.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/output/whole_files.hpp"
#include "tools/cli/personal/erased_list.hpp"

#include <filesystem>
#include <fstream>
#include <ostream>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;
using net::plain_text::shown;
using schema::json::list_at;

constexpr std::string_view list_flag = "--list";

/// One older backup and what it still has.
void show_backup_holding(json::object const& backup, std::ostream& to) {
  to << "older backup " << shown(cell(backup, "path")) << " still has";
  for (auto const& [type, count] : schema::json::object_at(backup, "types")) to << ' ' << shown(type) << ": " << count;
  if (backup.contains("not_looked_at")) to << " (it was not looked at: this is as it was made)";
  to << '\n';
}

/// Whether an erasure found nothing: all of it was erased before.
bool was_erased_before(json::object const& answer) {
  return list_at(answer, "purged").empty() && cell(answer, "erasure").empty();
}

/// Where a certificate is wanted; where it cannot be had now, the error says how to get it later.
CallResult<void> certify_erased(KeptOfErasure const& kept, json::object const& result, Caller& caller, Io& io) {
  auto const ref = cell(result, "erasure");
  if (kept.certificate.empty() || ref.empty()) return {};
  auto certified = certify(kept, ref, caller, io);
  if (certified) return {};
  auto error = certified.error();
  error.message = "it is erased, but there is no certificate yet; get it by `whence person certificate " + ref +
                  "`: " + error.message;
  return error;
}

}  // namespace

void show_erased(json::object const& result, bool is_dry_run, std::ostream& to) {
  auto const each = [&](std::string_view name, std::string_view word) {
    for (auto const& ref : list_at(result, name)) to << word << ' ' << shown(std::string_view{ref.as_string()}) << '\n';
  };
  each("purged", is_dry_run ? "would erase" : "erased");
  each("redacted", is_dry_run ? "would redact" : "redacted");
  each("shared", "stays:");
  each("not_reached", "not reached:");
  for (auto const& backup : list_at(result, "backups")) show_backup_holding(backup.as_object(), to);
}

void show_kept(json::object const& result, std::ostream& to) {
  for (auto const& warning : list_at(result, "warnings"))
    to << "warning: " << shown(cell(warning.as_object(), "message")) << '\n';
}

bool show_proposed(json::object const& result, Io& io) {
  auto const ref = cell(result, "proposed");
  if (ref.empty()) return false;
  io.data << "proposed as " << ref << '\n';
  io.talk << "nothing is gone yet; another user confirms it until " << shown(cell(result, "confirm_until"))
          << ": whence proposal confirm " << ref << '\n';
  return true;
}

CallResult<void> add_to_list(std::string const& file, json::object const& result, std::string_view again) {
  if (file.empty()) return {};
  auto added = add_to_erased_list(file, list_at(result, "list"), list_flag);
  if (added) return {};
  auto error = added.error();
  error.message += "; what is gone is gone, and `" + std::string(again) + "` makes its list";
  return error;
}

CallResult<void> check_writable(KeptOfErasure const& kept) {
  if (kept.list == "-") return CallError{.exit = ExitCode::usage, .message = "--list needs a file; nothing was erased"};
  for (auto const& path : {kept.list, kept.certificate}) {
    if (path.empty()) continue;
    std::error_code ignored;
    bool const was_there = std::filesystem::exists(path, ignored);
    if (was_there && path == kept.list && !std::filesystem::is_regular_file(path, ignored))
      return CallError{.exit = ExitCode::failure, .message = path + " is no file; nothing was erased"};
    if (was_there && path == kept.certificate)
      return CallError{.exit = ExitCode::conflict, .message = path + " exists already; nothing was erased"};
    bool const is_writable = std::ofstream(path, std::ios::binary | std::ios::app).is_open();
    if (is_writable && !was_there) std::filesystem::remove(path, ignored);
    if (!is_writable)
      return CallError{.exit = ExitCode::failure, .message = "cannot write " + path + "; nothing was erased"};
  }
  std::error_code ignored;
  bool const has_list = !kept.list.empty() && std::filesystem::is_regular_file(kept.list, ignored) &&
                        std::filesystem::file_size(kept.list, ignored) > 0;
  auto const list = has_list ? read_erased_list(kept.list, list_flag) : CallResult<std::vector<ErasedRecord>>{};
  if (!list) {
    auto error = list.error();
    error.message += "; nothing was erased";
    return error;
  }
  return {};
}

CallResult<void> certify(KeptOfErasure const& kept, std::string const& ref, Caller& caller, Io& io) {
  auto const certificate = caller.call("person.certificate", json::object{{"ref", ref}});
  if (!certificate) return certificate.error();
  auto const text = schema::json::to_text(*certificate) + "\n";
  if (!kept.certificate.empty()) return write_whole_file(kept.certificate, text);
  io.data << text;
  return {};
}

ExitCode finish_erased(KeptOfErasure const& kept, json::object const& answer, bool is_json, Caller& caller, Io& io) {
  if (is_json) {
    io.data << schema::json::to_text(json::value(answer)) << '\n';
  } else {
    show_erased(answer, false, io.data);
    if (auto const ref = cell(answer, "erasure"); !ref.empty()) io.data << "recorded as " << ref << '\n';
  }
  auto const again = "whence person erase PERSON --dry-run --list " + kept.list;
  if (auto const listed = add_to_list(kept.list, answer, again); !listed) return report(io, listed.error());
  if (was_erased_before(answer)) {
    io.talk << "nothing was left to erase: no certificate is written; `whence find ProvActivity` has the "
               "record of the erasure, and `whence person certificate REF` its certificate\n";
    return ExitCode::ok;
  }
  auto const certified = certify_erased(kept, answer, caller, io);
  return certified ? ExitCode::ok : report(io, certified.error());
}

}  // namespace whence::tools
