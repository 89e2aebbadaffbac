// Importing telemetry that somebody kept: lines of OTLP's JSON form, as the file exporter of a collector writes them.

#include "net/capture/capture.hpp"
#include "net/capture/otlp.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/imports/document_lines.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/imports/telemetry_target.hpp"
#include "tools/cli/program/program.hpp"

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace whence::tools {
namespace {

namespace json = boost::json;
namespace capture = net::capture;

/// What a document holds; nothing where it is metrics, of which Whence makes nothing.
CallResult<std::optional<capture::Signal>> signal_of(json::object const& document) {
  auto const has = [&](std::string_view camel, std::string_view snake) {
    return document.contains(camel) || document.contains(snake);
  };
  if (has("resourceSpans", "resource_spans")) return std::optional{capture::Signal::traces};
  if (has("resourceLogs", "resource_logs")) return std::optional{capture::Signal::logs};
  if (has("resourceMetrics", "resource_metrics") || document.empty()) return std::optional<capture::Signal>{};
  return CallError{.exit = ExitCode::invalid_input,
                   .message = "expected an object with resourceSpans, resourceLogs or resourceMetrics"};
}

struct TelemetryTotals {
  std::uint64_t documents = 0;
  std::uint64_t left_out = 0;  ///< documents of metrics
  std::uint64_t rejected = 0;
};

CallResult<void> take_document(std::string const& text, TakeTelemetry const& take, TelemetryTotals& totals, Io& io) {
  if (text.size() > capture::body_bytes_max) {
    return CallError{.exit = ExitCode::invalid_input, .message = "has more than 67108864 bytes"};
  }
  auto const parsed = schema::json::parse(text);
  if (!parsed) return CallError{.exit = ExitCode::invalid_input, .message = parsed.error().message};
  if (!parsed->value.is_object()) return CallError{.exit = ExitCode::invalid_input, .message = "expected an object"};
  auto const signal = signal_of(parsed->value.get_object());
  if (!signal) return signal.error();
  ++totals.documents;
  if (!*signal) {
    ++totals.left_out;
    return {};
  }
  auto const taken = take(**signal, text);
  if (!taken) return taken.error();
  totals.rejected += taken->rejected;
  if (taken->rejected > 0) io.talk << "rejected " << taken->rejected << ": " << taken->message << '\n';
  return {};
}

}  // namespace

ExitCode import_telemetry(ImportCommand const& command, Io& io) {
  auto const take = open_telemetry_target(command);
  if (!take) return report(io, take.error());
  std::ifstream file;
  if (command.file != "-") file.open(command.file, std::ios::binary);
  TelemetryTotals totals;
  auto const done = read_documents(
      command.file == "-" ? io.in : file, capture::body_bytes_max,
      [&](std::uint64_t /*line*/, std::string const& text) { return take_document(text, *take, totals, io); });
  if (!done) return report(io, done.error());
  if (command.is_json) {
    json::object const result{{"documents", totals.documents},
                              {"left_out", totals.left_out},
                              {"rejected", totals.rejected},
                              {"dry_run", command.is_dry_run}};
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << totals.documents << " documents";
    if (totals.left_out > 0) io.talk << ", " << totals.left_out << " of metrics left out";
    io.talk << '\n';
  }
  return ExitCode::ok;
}

}  // namespace whence::tools
