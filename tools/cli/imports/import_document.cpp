// Importing a PROV-JSON document, of any origin, as records.

#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/prov/document.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/program/program.hpp"

#include <fstream>
#include <istream>
#include <memory>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;

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

/// Says why a document is refused: each violation once, on a line of its own.
ExitCode refuse_document(Error const& error, Io& io) {
  auto const text_of = [](Violation const& each) {
    return (each.path.empty() ? std::string{} : each.path + ": ") + each.message + " (" + each.rule + ")";
  };
  auto const& violations = error.violations;
  auto const code = report(io, {.exit = ExitCode::invalid_input,
                                .message = violations.empty() ? error.message : text_of(violations.front())});
  for (std::size_t i = 1; i < violations.size(); ++i) {
    io.talk << "  " << net::plain_text::shown(text_of(violations[i])) << '\n';
  }
  return code;
}

void tell_warnings(std::vector<Violation> const& warnings, Io& io) {
  for (Violation const& each : warnings) {
    io.talk << "warning: " << each.path << ": " << each.message << " (" << each.rule << ")\n";
  }
}

/// Whether these refs may be purged later: else nothing is written, or it would stay half done.
CallResult<void> may_purge(Caller& caller, std::vector<std::string> const& refs) {
  json::array const names(refs.begin(), refs.end());
  CallResult<json::value> const tried =
      caller.call("records.purge", schema::json::to_text(json::object{{"refs", names}, {"dry_run", true}}));
  if (tried || tried.error().exit == ExitCode::not_found) return {};  // they are not there yet
  return tried.error();
}

/// Deletes what was deleted where the document was made, and then what stood for its content. Gives the transaction.
CallResult<json::value> remove_again(Caller& caller, std::vector<std::string> const& refs) {
  json::array const names(refs.begin(), refs.end());
  auto const params = schema::json::to_text(json::object{{"refs", names}, {"force", true}});
  CallResult<json::value> const deleted = caller.call("records.delete", params);
  if (!deleted) return deleted.error();
  CallResult<json::value> const purged =
      caller.call("records.purge", schema::json::to_text(json::object{{"refs", names}}));
  if (!purged) return purged.error();
  return purged->as_object().at("tx");
}

}  // namespace

ExitCode import_document(ImportCommand const& command, Io& io) {
  CallResult<std::string> const text = read_input(command, io);
  if (!text) return report(io, text.error());
  auto const import = schema::json::read_prov_json(*text);
  if (!import) return refuse_document(import.error(), io);
  tell_warnings(import->warnings, io);
  auto const missing = command.is_dry_run ? MissingStore::is_error : MissingStore::is_created;
  CallResult<std::unique_ptr<Caller>> const caller = open_caller(command.target, missing, timeout_none);
  if (!caller) return report(io, caller.error());
  if (!import->deleted.empty()) {
    if (auto const allowed = may_purge(**caller, import->deleted); !allowed) return report(io, allowed.error());
  }
  json::object result{{"records", import->records.size()}, {"dry_run", command.is_dry_run}};
  if (!import->records.empty()) {
    std::string params = "{\"keep_derived\":true,\"mode\":\"capture\",\"records\":[";
    for (auto const& record : import->records) params.append(params.ends_with('[') ? "" : ",").append(record);
    params.append(command.is_dry_run ? "],\"dry_run\":true}" : "]}");
    CallResult<json::value> const answer = (*caller)->call("records.write", params);
    if (!answer) return report(io, answer.error());
    for (auto const& warning : answer->as_object().at("warnings").as_array()) {
      io.talk << "warning: " << schema::json::to_text(warning) << '\n';
    }
    result["tx"] = answer->as_object().at("tx");
    if (!import->deleted.empty() && !command.is_dry_run) {
      auto const removed = remove_again(**caller, import->deleted);
      if (!removed) {
        io.talk
            << "whence: the records are written, and what only stands for deleted ones is still there: import again\n";
        return report(io, removed.error());
      }
      result["tx"] = *removed;
    }
  }
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << import->records.size() << " records\n";
  }
  return ExitCode::ok;
}

}  // namespace whence::tools
