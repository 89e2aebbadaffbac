// Importing the telemetry that another program keeps: it is translated to OTLP and taken as that.

#include "net/capture/capture.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/imports/document_lines.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/imports/kept_spans.hpp"
#include "tools/cli/imports/telemetry_target.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::capture::Signal;

constexpr std::size_t spans_remembered_max = 1'000'000;
constexpr std::size_t spans_together = 500;                            ///< sent at once
constexpr std::size_t document_bytes_together = std::size_t{8} << 20;  ///< of the documents they are from

struct KeptTotals {
  std::uint64_t spans = 0;
  std::uint64_t ratings = 0;
  std::uint64_t left_out = 0;
  std::uint64_t without_span = 0;  ///< ratings of spans that did not come before them, which alone say their trace
  std::uint64_t refused = 0;       ///< rows and documents that are none, each named with its line
  std::uint64_t rejected = 0;
};

/// Sends what was read in parts.
class KeptImport {
 public:
  KeptImport(ReadKept read, TakeTelemetry take, Io& io) : read_(read), take_(std::move(take)), io_(io) {}

  CallResult<void> add(std::uint64_t line, std::string const& text) {
    auto const document = schema::json::parse_foreign(text);
    if (!document) return refuse(line, document.error().message), CallResult<void>{};
    auto kept = read_(document->value);
    if (!kept) return refuse(line, kept.error().message), CallResult<void>{};
    for (auto const& why : kept->refused) refuse(line, why);
    totals_.left_out += kept->left_out;
    std::erase_if(kept->spans, [&](KeptSpan const& span) { return span.is_made && !made_.insert(span.span).second; });
    for (auto const& span : kept->spans) {
      if (traces_.size() < spans_remembered_max) traces_.try_emplace(span.span, span.trace);
      if (span.parent.empty() && roots_.size() < spans_remembered_max) roots_.try_emplace(span.trace, span.span);
    }
    std::erase_if(kept->ratings, [&](KeptRating& rating) {
      bool const is_known = fill(rating.trace, rating.span, traces_) && fill(rating.span, rating.trace, roots_);
      totals_.without_span += is_known ? 0 : 1;
      return !is_known;
    });
    std::ranges::move(kept->spans, std::back_inserter(waiting_.spans));
    std::ranges::move(kept->ratings, std::back_inserter(waiting_.ratings));
    bytes_ += text.size();
    bool const is_enough = waiting_.spans.size() >= spans_together || bytes_ >= document_bytes_together;
    return is_enough ? send() : CallResult<void>{};
  }

  CallResult<void> send() {
    auto const waiting = std::exchange(waiting_, {});
    bytes_ = 0;
    totals_.spans += waiting.spans.size();
    totals_.ratings += waiting.ratings.size();
    if (!waiting.spans.empty()) {
      if (auto const sent = send(Signal::traces, otlp_of(waiting.spans)); !sent) return sent.error();
    }
    return waiting.ratings.empty() ? CallResult<void>{} : send(Signal::logs, otlp_of(waiting.ratings));
  }

  [[nodiscard]] KeptTotals const& totals() const noexcept { return totals_; }

 private:
  /// Sets one of a rating's names, where it has none, by the other. Whether it has one then.
  static bool fill(std::string& name, std::string const& by, std::unordered_map<std::string, std::string> const& all) {
    if (!name.empty()) return true;
    auto const known = all.find(by);
    if (known != all.end()) name = known->second;
    return known != all.end();
  }

  void refuse(std::uint64_t line, std::string_view why) {
    io_.talk << "line " << line << ": " << why << '\n';
    ++totals_.refused;
  }

  CallResult<void> send(Signal signal, std::string const& text) {
    auto const taken = take_(signal, text);
    if (!taken) return taken.error();
    totals_.rejected += taken->rejected;
    if (taken->rejected > 0) io_.talk << "rejected " << taken->rejected << ": " << taken->message << '\n';
    return {};
  }

  ReadKept const read_;
  TakeTelemetry const take_;
  Io& io_;
  KeptTelemetry waiting_;
  std::unordered_map<std::string, std::string> traces_;  // of the spans that came
  std::unordered_map<std::string, std::string> roots_;   // by trace
  std::unordered_set<std::string> made_;                 // spans of traces that their observations say
  std::size_t bytes_ = 0;
  KeptTotals totals_;
};

}  // namespace

ExitCode import_kept_spans(ImportCommand const& command, ReadKept read, Io& io) {
  auto take = open_telemetry_target(command);
  if (!take) return report(io, take.error());
  std::ifstream file;
  if (command.file != "-") file.open(command.file, std::ios::binary);
  KeptImport import(read, std::move(*take), io);
  auto done = read_documents(command.file == "-" ? io.in : file, net::capture::body_bytes_max,
                             [&](std::uint64_t line, std::string const& text) { return import.add(line, text); });
  auto const sent = import.send();  // what came before a failure too
  if (!done) return report(io, done.error());
  if (!sent) return report(io, sent.error());
  auto const& totals = import.totals();
  if (command.is_json) {
    json::object const result{{"spans", totals.spans},        {"ratings", totals.ratings},
                              {"left_out", totals.left_out},  {"without_span", totals.without_span},
                              {"refused", totals.refused},    {"rejected", totals.rejected},
                              {"dry_run", command.is_dry_run}};
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << totals.spans
            << (totals.spans == 1 ? " span, " : " spans, ") << totals.ratings
            << (totals.ratings == 1 ? " rating" : " ratings");
    if (totals.left_out > 0) io.talk << ", " << totals.left_out << " of no trace left out";
    if (totals.without_span > 0)
      io.talk << ", " << totals.without_span << " left out whose span is not in the file before them";
    if (totals.refused > 0) io.talk << ", " << totals.refused << " refused";
    io.talk << '\n';
  }
  return totals.refused > 0 ? ExitCode::invalid_input : ExitCode::ok;
}

}  // namespace whence::tools
