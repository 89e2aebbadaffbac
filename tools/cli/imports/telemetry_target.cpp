#include "tools/cli/imports/telemetry_target.hpp"

#include "net/base/errors.hpp"
#include "net/capture/capture.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/transport/http_caller.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace whence::tools {
namespace {

namespace capture = net::capture;

CallError failed_import(Error const& error) {
  bool const is_input = error.code == Errc::parse_error || error.code == Errc::limit_exceeded;
  return {.exit = is_input ? ExitCode::invalid_input : exit_code_of(error.code), .message = error.message};
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
  auto const* const success = object == nullptr ? nullptr : object->if_contains("partialSuccess");
  if (success == nullptr || !success->is_object()) return partial;
  for (auto const& member : success->get_object()) {
    if (member.key() == "errorMessage" && member.value().is_string()) partial.message = member.value().get_string();
    if (member.key() == "errorMessage" || !member.value().is_string()) continue;
    partial.rejected = std::stoull(std::string(member.value().get_string()));  // 64-bit numbers are texts
  }
  return partial;
}

}  // namespace

CallResult<TakeTelemetry> open_telemetry_target(ImportCommand const& command) {
  if (command.is_dry_run) return TakeTelemetry{check_only};
  if (!command.target.db.empty()) {
    auto opened = LocalCaller::open_local(command.target.db, MissingStore::is_created);
    if (!opened) return opened.error();
    std::shared_ptr<LocalCaller> const local = std::move(*opened);
    return TakeTelemetry{
        [local](capture::Signal signal, std::string const& text) -> CallResult<capture::PartialSuccess> {
          auto taken = local->service().capture_telemetry(signal, text);
          if (!taken) return failed_import(taken.error());
          return std::move(*taken);
        }};
  }
  auto const server = find_server(command.target, timeout_default);
  if (!server) return server.error();
  auto const http = std::make_shared<HttpCaller>(*server);
  return TakeTelemetry{[http](capture::Signal signal, std::string const& text) -> CallResult<capture::PartialSuccess> {
    auto const answer = http->post(signal == capture::Signal::traces ? "/v1/traces" : "/v1/logs", text);
    if (!answer) return answer.error();
    return rejected_in(*answer);
  }};
}

}  // namespace whence::tools
