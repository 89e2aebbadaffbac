// Importing a PROV-JSON document, of any origin, as records.

#include "net/plain_text/shown.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"
#include "schema/prov/document.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
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

/// The section of a PROV document that declares things of a type; empty for what is none.
std::string_view section_of(std::string_view type) {
  if (type == "ProvEntity") return "entity";
  if (type == "ProvActivity") return "activity";
  return type == "ProvAgent" ? "agent" : "";
}

/// The place in the document of what the server says about a path of a record; empty where it is not a thing of PROV.
std::string place_in_document(std::string_view record_text, std::string_view path) {
  constexpr std::string_view list = "/relations/";
  auto const record = schema::json::parse(record_text);
  auto const* const thing = record ? record->value.if_object() : nullptr;
  auto const section = thing == nullptr ? std::string_view{} : section_of(schema::json::text_at(*thing, "$type$"));
  if (section.empty()) return {};
  std::string pointer;
  if (auto const bundle = schema::json::text_at(*thing, "bundle"); !bundle.empty()) {
    schema::append_step(pointer.append("/bundle"), bundle);
  }
  std::size_t item = 0;
  bool const is_of_relation =
      path.starts_with(list) &&
      std::from_chars(path.data() + list.size(), path.data() + path.size(), item).ec == std::errc{};
  auto const& relations = schema::json::list_at(*thing, "relations");
  if (!is_of_relation || item >= relations.size()) {
    schema::append_step(pointer, section);
    schema::append_step(pointer, schema::json::text_at(*thing, "qname"));
    return pointer;
  }
  auto const& relation = relations[item].as_object();
  schema::append_step(pointer, schema::json::text_at(relation, "relation"));
  schema::append_step(pointer, schema::json::text_at(relation, "id"));
  if (auto const* const place = relation.if_contains("place")) {
    schema::append_step(pointer, schema::json::to_text(*place));
  }
  return pointer;
}

/// Says what the server warned of, by the places of the document where it has them.
void tell_answer(json::array const& warnings, std::vector<std::string> const& records, Io& io) {
  for (auto const& each : warnings) {
    auto const* const warning = each.if_object();
    auto const* const index = warning == nullptr ? nullptr : warning->if_contains("index");
    bool const has_record = index != nullptr && index->is_int64() && index->get_int64() >= 0 &&
                            static_cast<std::size_t>(index->get_int64()) < records.size();
    auto const place = has_record ? place_in_document(records[static_cast<std::size_t>(index->get_int64())],
                                                      schema::json::text_at(*warning, "path"))
                                  : std::string{};
    if (place.empty()) {
      io.talk << "warning: " << schema::json::to_text(each) << '\n';
    } else {
      io.talk << "warning: " << place << ": " << schema::json::text_at(*warning, "message") << " ("
              << schema::json::text_at(*warning, "rule") << ")\n";
    }
  }
}

std::string params_of(std::span<std::string const> refs, char const* more) {
  json::array const names(refs.begin(), refs.end());
  return "{\"refs\":" + schema::json::to_text(names) + more + "}";
}

/// Parts of `refs`, as many as one call takes.
std::vector<std::span<std::string const>> calls_of(std::span<std::string const> refs) {
  std::vector<std::span<std::string const>> calls;
  for (; !refs.empty(); refs = refs.subspan(calls.back().size())) {
    calls.push_back(refs.first(std::min<std::size_t>(refs.size(), schema::limits::refs_max)));
  }
  return calls;
}

/// Whether these refs may be purged later: else nothing is written, or it would stay half done.
CallResult<void> may_purge(Caller& caller, std::vector<std::string> const& refs) {
  for (auto const each : calls_of(refs)) {
    CallResult<json::value> const tried = caller.call("records.purge", params_of(each, ",\"dry_run\":true"));
    bool const is_absent = !tried && tried.error().exit == ExitCode::not_found;  // they are not there yet
    if (!tried && !is_absent) return tried.error();
  }
  return {};
}

CallResult<json::value> write_records(Caller& caller, std::vector<std::string_view> const& records, bool is_dry_run) {
  std::string params = "{\"keep_derived\":true,\"mode\":\"capture\",\"records\":[";
  for (auto const record : records) params.append(params.ends_with('[') ? "" : ",").append(record);
  params.append(is_dry_run ? "],\"dry_run\":true}" : "]}");
  return caller.call("records.write", params);
}

/// Of `refs` those whose purge takes nothing else. An earlier import of the document left a deleted stand-in under the
/// same ref, and a purge of that would take what was made with it.
CallResult<std::vector<std::string>> alone_among(Caller& caller, std::span<std::string const> refs) {
  CallResult<json::value> const tried = caller.call("records.purge", params_of(refs, ",\"dry_run\":true"));
  if (!tried) return tried.error();
  std::set<std::string_view> const named(refs.begin(), refs.end());
  auto const& going = tried->as_object().at("purged").as_array();
  bool const is_alone = std::ranges::all_of(
      going, [&](json::value const& each) { return named.contains(std::string_view{each.as_string()}); });
  if (is_alone) return std::vector(refs.begin(), refs.end());
  std::vector<std::string> alone;
  if (refs.size() == 1) return alone;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    auto const found = alone_among(caller, refs.subspan(i, 1));
    if (!found) return found.error();
    alone.insert(alone.end(), found->begin(), found->end());
  }
  return alone;
}

/// Purges what nothing was made from, so that the purge takes nothing else.
CallResult<void> purge_alone(Caller& caller, std::vector<std::string> const& refs) {
  for (auto const each : calls_of(refs)) {
    auto const alone = alone_among(caller, each);
    if (!alone) return alone.error();
    if (alone->empty()) continue;
    auto const purged = caller.call("records.purge", params_of(*alone, ""));
    if (!purged) return purged.error();
  }
  return {};
}

/// A document on its way into the store: the refs of what stands for deleted records, and the texts of all records.
struct Parts {
  std::vector<std::string> early = {};  ///< queries: a purge takes what was made with one, so it precedes that
  std::vector<std::string> late = {};   ///< others: what follows them must agree with what they say
  std::vector<std::string_view> early_records = {};
  std::vector<std::string_view> other_records = {};
  std::vector<std::string_view> loaded_records = {};  ///< documents, after what they were loaded from
};

Parts parts_of(schema::json::ProvImport const& import) {
  Parts parts;
  for (std::size_t i = 0; i < import.records.size(); ++i) {  // those that stand for deleted ones come first
    bool const is_early = i < import.deleted.size() && import.deleted[i].starts_with("Query:");
    if (i < import.deleted.size()) (is_early ? parts.early : parts.late).push_back(import.deleted[i]);
    bool const is_loaded = i + import.loaded >= import.records.size();
    (is_early    ? parts.early_records
     : is_loaded ? parts.loaded_records
                 : parts.other_records)
        .push_back(import.records[i]);
  }
  if (parts.other_records.empty()) std::swap(parts.other_records, parts.loaded_records);
  return parts;
}

/// Writes the parts one after the other, and takes away what only stands for deleted records.
CallResult<json::value> write_parts(Caller& caller, schema::json::ProvImport const& import, Parts const& parts) {
  if (!parts.early.empty()) {
    auto const written = write_records(caller, parts.early_records, false);
    if (!written) return written;
    if (auto const purged = purge_alone(caller, parts.early); !purged) return purged.error();
  }
  auto answer = write_records(caller, parts.other_records, false);
  if (!answer) return answer;
  if (!parts.loaded_records.empty()) {
    auto const written = write_records(caller, parts.loaded_records, false);
    if (!written) return written;
    answer->as_object()["tx"] = written->as_object().at("tx");
  }
  for (auto const each : calls_of(import.deleted)) {
    auto const removed = caller.call("records.delete", params_of(each, ",\"force\":true"));
    if (!removed) return removed;
    answer->as_object()["tx"] = removed->as_object().at("tx");
  }
  if (auto const purged = purge_alone(caller, parts.late); !purged) return purged.error();
  return answer;
}

/// Writes the records of a document. Nothing is written where they are refused. Gives the answer about them, with the
/// transaction after which the store has what the document says.
CallResult<json::value> write_document(Caller& caller, schema::json::ProvImport const& import, bool is_dry_run,
                                       Io& io) {
  std::vector<std::string_view> const all(import.records.begin(), import.records.end());
  if (import.deleted.empty() && import.loaded == 0) return write_records(caller, all, is_dry_run);
  if (auto const allowed = may_purge(caller, import.deleted); !allowed) return allowed.error();
  auto tried = write_records(caller, all, true);
  if (!tried || is_dry_run) return tried;
  auto answer = write_parts(caller, import, parts_of(import));
  if (!answer && import.deleted.empty()) io.talk << "whence: a part of the document is there: import again\n";
  if (!answer && !import.deleted.empty()) {
    io.talk << "whence: what only stands for deleted records may still be there: import again\n";
  }
  return answer;
}

using schema::json::ProvStanding;
using Standings = std::unordered_map<std::string, ProvStanding>;

/// Scores are sums of numbers that are rounded.
constexpr double score_tolerance = 1e-9;

/// One row, so that the answer has no pages.
constexpr std::string_view standing_query =
    "UNWIND $refs AS ref MATCH (n {ref: ref}) "
    "RETURN collect([ref, n.status, CASE WHEN n.feedbacks > 0 THEN n.score END])";

CallResult<Standings> read_standings(Caller& caller, std::span<ProvStanding const> of) {
  json::array refs;
  for (auto const& each : of) refs.emplace_back(each.ref);
  json::object const params{{"cypher", standing_query}, {"params", {{"refs", std::move(refs)}}}};
  CallResult<json::value> const answer = caller.call("query", params);
  if (!answer) return answer.error();
  Standings standings;
  for (auto const& row : answer->as_object().at("rows").at(0).at(0).as_array()) {
    auto const& values = row.as_array();
    auto const is_rated = values.at(2).is_number();
    ProvStanding now{.ref = std::string{values.at(0).as_string()}, .path = {}, .status = {}, .score = {}};
    if (auto const* const status = values.at(1).if_string()) now.status = std::string{*status};
    if (is_rated) now.score = values.at(2).to_number<double>();
    standings.insert_or_assign(now.ref, now);
  }
  return standings;
}

bool is_same_score(std::optional<double> one, std::optional<double> other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return std::abs(*one - *other) <= score_tolerance;
}

std::string standing_text(ProvStanding const& standing) {
  std::string text = standing.status;
  if (!standing.score) return text + " without a score";
  schema::json::append_number(text.append(" with the score "), *standing.score);
  return text;
}

/// A warning for each record whose status or score is another than what is said: they follow from the order of writes
/// and the settings of the store.
CallResult<std::vector<Violation>> compare_standings(Caller& caller, std::span<ProvStanding const> said) {
  std::vector<Violation> warnings;
  while (!said.empty()) {
    auto const part = said.first(std::min<std::size_t>(said.size(), schema::limits::refs_max));
    said = said.subspan(part.size());
    auto const standings = read_standings(caller, part);
    if (!standings) return standings.error();
    for (auto const& each : part) {
      auto const now = standings->find(each.ref);
      if (each.status.empty() || now == standings->end()) continue;
      if (now->second.status == each.status && is_same_score(now->second.score, each.score)) continue;
      warnings.push_back(
          {.rule = "prov_status",
           .path = each.path,
           .seen = each.status,
           .message = "is " + standing_text(now->second) + " here, and the document says " + standing_text(each)});
    }
  }
  return warnings;
}

/// Says which statuses and scores are not those of the document.
void tell_standings(Caller& caller, schema::json::ProvImport const& import, Io& io) {
  auto const differences = compare_standings(caller, import.standings);
  if (differences) return tell_warnings(*differences, io);
  io.talk << "warning: statuses and scores were not compared with the document: " << differences.error().message
          << '\n';
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
  json::object result{{"records", import->records.size()}, {"dry_run", command.is_dry_run}};
  if (!import->records.empty()) {
    CallResult<json::value> const answer = write_document(**caller, *import, command.is_dry_run, io);
    if (!answer) return report(io, answer.error());
    tell_answer(answer->as_object().at("warnings").as_array(), import->records, io);
    result["tx"] = answer->as_object().at("tx");
    if (!command.is_dry_run) tell_standings(**caller, *import, io);
  }
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << import->records.size() << " records\n";
  }
  return ExitCode::ok;
}

}  // namespace whence::tools
