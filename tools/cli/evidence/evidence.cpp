// `whence evidence`: what a store knows of a period, in a folder that can be read without it.

#include "net/plain_text/shown.hpp"
#include "queries/export/formats/table.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "store/files/destination.hpp"
#include "tools/cli/cases/form.hpp"
#include "tools/cli/cases/gather.hpp"
#include "tools/cli/evidence/demands.hpp"
#include "tools/cli/evidence/proof.hpp"
#include "tools/cli/evidence/reads.hpp"
#include "tools/cli/evidence/tally.hpp"
#include "tools/cli/exports/run.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/program/program.hpp"

#include <memory>
#include <ostream>
#include <system_error>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;
using store::Destination;

struct EvidenceCommand {
  Target target = {};
  std::string from = {};
  std::string to = {};
  std::vector<std::string> agents = {};
  std::vector<std::string> topics = {};
  std::vector<std::string> reads = {};  ///< files of `serve --audit-reads`
  std::string path = {};
  bool may_replace = false;
};

constexpr std::string_view events_name = "events.jsonl";
constexpr std::string_view report_name = "report.json";
constexpr std::string_view page_name = "index.html";
constexpr std::string_view manifest_name = "manifest.json";

/// Passes the lines of a history that are of the period on to a file.
class EventSink final : public schema::Sink {
 public:
  EventSink(Tally& tally, schema::Sink& out, std::optional<CallError>& failure)
      : tally_(tally), out_(out), failure_(failure) {}

  void write(std::string_view bytes) override {
    digest_.update(bytes);
    size_ += bytes.size();
    while (!bytes.empty() && !failure_) {
      auto const end = bytes.find('\n');
      line_.append(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      take_line();
    }
  }

  /// Of all bytes of the history, which is what its digest is of.
  [[nodiscard]] schema::FileSummary finish() override {
    if (!line_.empty() && !failure_) take_line();
    return {.name = std::string(events_name), .bytes = size_, .sha256 = digest_.finish()};
  }

 private:
  void take_line() {
    auto const taken = tally_.take(line_);
    if (!taken) failure_ = taken.error();
    if (taken && *taken) out_.write(line_.append("\n"));
    line_.clear();
  }

  Tally& tally_;
  schema::Sink& out_;
  std::optional<CallError>& failure_;
  schema::Sha256 digest_ = {};
  std::uint64_t size_ = 0;
  std::string line_ = {};
};

/// The one file of a history, read as it comes.
class EventFolder final : public schema::SinkFolder {
 public:
  EventFolder(Tally& tally, schema::Sink& out) : tally_(tally), out_(out) {}
  [[nodiscard]] std::unique_ptr<schema::Sink> open(std::string_view) override {
    return std::make_unique<EventSink>(tally_, out_, failure_);
  }
  [[nodiscard]] std::optional<CallError> const& failure() const noexcept { return failure_; }

 private:
  Tally& tally_;
  schema::Sink& out_;
  std::optional<CallError> failure_ = {};
};

json::array table_of_demands() {
  json::array rows;
  for (auto const& each : demands()) {
    rows.push_back(json::object{{"source", each.source},
                                {"paragraph", each.paragraph},
                                {"asks", each.asks},
                                {"answer", each.answer},
                                {"unanswered", each.unanswered}});
  }
  return rows;
}

json::array texts_of(std::vector<std::string> const& texts) {
  json::array list;
  for (auto const& each : texts) list.emplace_back(each);
  return list;
}

/// Every file that a folder may have.
std::vector<std::string> own_names() {
  std::vector<std::string> names;
  for (auto const name :
       {events_name, report_name, page_name, manifest_name, before_name, after_name, consistency_name}) {
    names.emplace_back(name);
  }
  for (std::size_t i = 1; i <= proof_files_max; ++i) names.push_back(proof_name(i));
  return names;
}

struct Period {
  schema::Time from;
  std::string to;  ///< as the protocol has it
};

CallResult<Period> period_of(EvidenceCommand const& command, schema::Time now) {
  auto const from = schema::parse_rfc3339(beginning_of(command.from, now));
  std::string const to = command.to.empty() ? schema::format_rfc3339(now) : moment_of(command.to, now);
  auto const end = schema::parse_rfc3339(to);
  if (!from || !end) {
    return CallError{.exit = ExitCode::usage,
                     .message = std::string(!from ? "--from" : "--to") +
                                ": must be a time (2025-10-11T09:00:00Z), a date, yesterday, or -7d"};
  }
  if (*end < *from) {
    return CallError{.exit = ExitCode::usage,
                     .message = command.to.empty() ? "--from: is in the future" : "--to: is before --from"};
  }
  return Period{.from = *from, .to = to};
}

/// One run of the verb.
class Evidence {
 public:
  Evidence(EvidenceCommand const& command, Io& io)
      : command_(command), io_(io), now_(schema::SystemClock().now()), progress_(io, 0) {}

  [[nodiscard]] CallResult<std::uint64_t> run() {
    auto const period = period_of(command_, now_);
    if (!period) return period.error();
    auto form = find_case_form(command_.target);
    if (!form) return form.error();
    auto created = Destination::create(command_.path, Destination::Shape::folder,
                                       {.is_allowed = command_.may_replace, .own_names = own_names()});
    if (!created) return call_error(created.error());
    try {
      return write(*period, std::move(*form), *created);
    } catch (std::system_error const& failed) {
      bool const is_taken = failed.code() == std::errc::file_exists;
      return CallError{.exit = is_taken ? ExitCode::conflict : ExitCode::failure, .message = failed.what()};
    }
  }

 private:
  [[nodiscard]] CallResult<std::uint64_t> write(Period const& period, std::string form, Destination& folder) {
    Tally tally({.from = period.from, .agents = command_.agents, .topics = command_.topics});
    if (auto const read = read_events(period, tally, folder); !read) return read.error();
    auto data = gather(period, tally, folder);
    if (!data) return data.error();
    auto const page = filled_case(std::move(form), json::value(*data), {});
    if (!page) return page.error();
    put_file(folder, report_name, schema::json::to_text(json::value(*data)) + '\n');
    put_file(folder, page_name, *page);
    put_manifest(folder);
    folder.commit();
    for (auto const& name : tally.unmet())
      io_.talk << "warning: no record is of " << net::plain_text::shown(name) << '\n';
    return data->at("evidence").at("events").to_number<std::uint64_t>();
  }

  [[nodiscard]] CallResult<void> read_events(Period const& period, Tally& tally, Destination& folder) {
    auto const out = folder.open(events_name);
    EventFolder events(tally, *out);
    json::object const params{{"format", "jsonl"}, {"select", "whole"}, {"as_of", period.to}};
    auto const manifest = run_export({.target = command_.target, .progress = progress_, .stopped = stopped_},
                                     *exports::find_format("jsonl"), params, events);
    if (!manifest) return manifest.error();
    if (events.failure()) return *events.failure();
    summaries_.push_back(out->finish());
    summaries_.back().name = events_name;
    return {};
  }

  /// The report, in the form that the page reads.
  [[nodiscard]] CallResult<json::object> gather(Period const& period, Tally& tally, Destination& folder) {
    auto const caller = open_caller(command_.target, MissingStore::is_error, timeout_default);
    if (!caller) return caller.error();
    if (auto const asked = tally.ask_writers(**caller); !asked) return asked.error();
    auto const info = (*caller)->call("server.info", json::object{});
    if (!info) return info.error();
    auto const described = (*caller)->call("rpc.discover", json::object{});
    if (!described) return described.error();
    json::object report = tally.report();
    auto proof = put_proof(**caller, tally.pieces(),
                           [&](std::string_view name, std::string_view text) { put_file(folder, name, text); });
    if (!proof) return proof.error();
    report["proof"] = std::move(*proof);
    report["reads"] = nullptr;
    if (!command_.reads.empty()) {
      ReadCounts reads;
      auto const to = schema::parse_rfc3339(period.to);
      if (auto const taken = reads.take_files(command_.reads, period.from, to.value_or(now_)); !taken) {
        return taken.error();
      }
      report["reads"] = reads.report();
    }
    report["from"] = schema::format_rfc3339(period.from);
    report["to"] = period.to;
    report["scope"] = json::object{{"agents", texts_of(command_.agents)}, {"topics", texts_of(command_.topics)}};
    report["demands"] = table_of_demands();
    auto& gaps = report["gaps"].as_object();
    bool const is_server = command_.target.db.empty();
    gaps["uptime_s"] = is_server ? info->at("uptime_s") : json::value(nullptr);
    auto const* const unread = info->as_object().if_contains("not_understood");
    gaps["not_understood"] = unread == nullptr ? json::value(json::array{}) : *unread;
    return json::object{{"form", case_form},
                        {"whence", info->at("version")},
                        {"made", schema::format_rfc3339(now_)},
                        {"types", described->at("x-whence-types")},
                        {"evidence", std::move(report)}};
  }

  void put_file(Destination& folder, std::string_view name, std::string_view text) {
    auto const file = folder.open(name);
    file->write(text);
    summaries_.push_back(file->finish());
    summaries_.back().name = name;
  }

  void put_manifest(Destination& folder) {
    std::string text;
    schema::json::Writer out(text);
    out.begin_object().key("files").begin_array();
    for (auto const& file : summaries_) {
      out.begin_object().member("name", std::string_view(file.name)).member("bytes", file.bytes);
      out.member("sha256", schema::to_hex(file.sha256)).end_object();
    }
    out.end_array().end_object();
    auto const file = folder.open(manifest_name);
    file->write(text + '\n');
    static_cast<void>(file->finish());
  }

  EvidenceCommand const& command_;
  Io& io_;
  schema::Time now_;
  Progress progress_;
  StopSignal stopped_;
  std::vector<schema::FileSummary> summaries_ = {};
};

ExitCode run(EvidenceCommand const& command, CLI::App const& app, Io& io) {
  auto const events = Evidence(command, io).run();
  if (!events) return report(io, in_own_words(events.error(), app));
  io.data << *events << " events in " << command.path << '\n';
  return ExitCode::ok;
}

}  // namespace

void add_evidence_verb(Program& program) {
  CLI::App& app =
      program.add_verb("evidence", "Writes what happened in a period, for an audit, as a folder", Purpose::look);
  auto command = std::make_shared<EvidenceCommand>();
  app.add_option("--from", command->from, "Events from this time on; also a date or yesterday (its begin, UTC), -7d")
      ->type_name("TIME")
      ->required();
  app.add_option("--to", command->to, "Events up to this time; also a date or yesterday (its end, UTC); default: now")
      ->type_name("TIME");
  app.add_option("--agent", command->agents,
                 "Only responses of this agent, with what was said of them; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--topic", command->topics,
                 "Only what belongs to this topic, with what was said of it; may be repeated")
      ->type_name("ID")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--reads", command->reads,
                 "A file of serve --audit-reads, of which the reads in the period are counted; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("-o,--output", command->path, "Folder to make")->type_name("PATH")->required();
  app.add_flag("--force", command->may_replace, "Replaces what is there");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run(*command, app, io); });
}

}  // namespace whence::tools
