// Importing telemetry that somebody kept: lines of OTLP's JSON form, as the file exporter of a collector writes them.

#include "net/capture/capture.hpp"
#include "net/capture/otlp.hpp"
#include "net/rpc/errors.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/imports/document_lines.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/program.hpp"
#include "tools/cli/transport/http_caller.hpp"

#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

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

/// Takes one document; answers what was rejected of it.
using Take = std::function<CallResult<capture::PartialSuccess>(capture::Signal signal, std::string const& text)>;

CallError failed_import(Error const& error) {
  bool const is_input = error.code == Errc::parse_error || error.code == Errc::limit_exceeded;
  return {.exit = is_input ? ExitCode::invalid_input : exit_code_of(net::wire_code(error.code)),
          .message = error.message};
}

CallResult<capture::PartialSuccess> check_only(capture::Signal signal, std::string const& text) {
  std::size_t unnamed = 0;
  auto const decoded = capture::decode_json(text, signal, unnamed);
  if (!decoded) return failed_import(decoded.error());
  return capture::PartialSuccess{.rejected = unnamed, .message = "a span needs a trace id and a span id"};
}

/// What an OTLP answer says of rejected spans or log records.
capture::PartialSuccess rejected_in(std::string_view answer) {
  capture::PartialSuccess partial;
  auto const parsed = schema::json::parse(answer);
  auto const* const object = parsed ? parsed->value.if_object() : nullptr;
  auto const* const told = object == nullptr ? nullptr : object->if_contains("partialSuccess");
  if (told == nullptr || !told->is_object()) return partial;
  for (auto const& member : told->get_object()) {
    if (member.key() == "errorMessage" && member.value().is_string()) partial.message = member.value().get_string();
    if (member.key() == "errorMessage" || !member.value().is_string()) continue;
    partial.rejected = std::stoull(std::string(member.value().get_string()));  // 64-bit numbers are texts
  }
  return partial;
}

/// The way into the target. What it keeps open lives as long as the function.
CallResult<Take> open_target(ImportCommand const& command) {
  if (command.is_dry_run) return Take{check_only};
  if (!command.target.db.empty()) {
    auto opened = LocalCaller::open_local(command.target.db, MissingStore::is_created);
    if (!opened) return opened.error();
    std::shared_ptr<LocalCaller> const local = std::move(*opened);
    return Take{[local](capture::Signal signal, std::string const& text) -> CallResult<capture::PartialSuccess> {
      auto taken = local->service().capture_telemetry(signal, text);
      if (!taken) return failed_import(taken.error());
      return std::move(*taken);
    }};
  }
  auto const server = find_server(command.target, timeout_default);
  if (!server) return server.error();
  auto const http = std::make_shared<HttpCaller>(*server);
  return Take{[http](capture::Signal signal, std::string const& text) -> CallResult<capture::PartialSuccess> {
    auto const answer = http->post(signal == capture::Signal::traces ? "/v1/traces" : "/v1/logs", text);
    if (!answer) return answer.error();
    return rejected_in(*answer);
  }};
}

struct TelemetryTotals {
  std::uint64_t documents = 0;
  std::uint64_t left_out = 0;  ///< documents of metrics
  std::uint64_t rejected = 0;
};

CallResult<void> take_document(std::string const& text, Take const& take, TelemetryTotals& totals, Io& io) {
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
  auto const take = open_target(command);
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
