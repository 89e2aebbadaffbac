// A job of a server is polled until it ends; what it leaves there is deleted in any case.

#include "tools/cli/exports/run.hpp"

#include "net/base/errors.hpp"
#include "net/params/exports.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/transport/download.hpp"
#include "tools/cli/transport/http_caller.hpp"
#include "tools/cli/transport/local_caller.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds poll_first{5};
constexpr std::chrono::milliseconds poll_most{250};

CallResult<std::string> write_from_store(ExportRun const& run, json::object const& params, schema::SinkFolder& files) {
  auto const local = LocalCaller::open_local(run.target.db, MissingStore::is_error);
  if (!local) return local.error();
  auto const prepared = net::prepare_export((*local)->engine(), params, run.stopped);
  if (!prepared) return call_error(prepared.error());
  auto const report = exports::write_export(
      prepared->source, prepared->request, files,
      [&](std::uint64_t done, std::uint64_t total) { run.progress.show_part(done, total); }, run.stopped);
  if (!report) return call_error(report.error());
  return report->manifest;
}

/// Polls until the job has ended.
CallResult<json::object> wait_for(Caller& caller, json::object const& job, ExportRun const& run) {
  for (auto pause = poll_first;; pause = std::min(pause * 2, poll_most)) {
    auto polled = caller.call("export.status", job);
    if (!polled) return polled.error();
    auto& status = polled->as_object();
    auto const state = std::string_view(status.at("state").as_string());
    if (state == "done") return std::move(status);
    if (state != "running") {
      auto const* const error = status.if_contains("error");
      if (error == nullptr) return CallError{.message = "the export was " + std::string(state)};
      auto failed = result_of(json::object{{"error", *error}}).error();
      failed.message.insert(0, "the export failed: ");
      return failed;
    }
    if (run.stopped.has_come()) return CallError{.exit = ExitCode::failure, .message = "stopped"};
    run.progress.show_part(status.at("done").to_number<std::uint64_t>(), status.at("total").to_number<std::uint64_t>());
    std::this_thread::sleep_for(pause);
  }
}

CallResult<void> fetch_file(DialConfig const& server, json::object const& file, ExportRun const& run,
                            exports::Format const& format, schema::SinkFolder& files) {
  // The server may be anybody: it chooses among the names of the format.
  auto const name = std::string_view(file.at("name").as_string());
  if (!may_hold(format, name)) {
    return CallError{
        .exit = ExitCode::failure,
        .message = "the server names \"" + std::string(name) + "\", which is no file of " + std::string(format.name)};
  }
  auto const out = files.open(name);
  auto fetched = download(server, std::string(file.at("url").as_string()), run.stopped.has_come(),
                          [&](std::string_view bytes) { out->write(bytes); });
  if (!fetched) return fetched;
  auto const summary = out->finish();
  if (schema::to_hex(summary.sha256) == file.at("sha256").as_string()) return {};
  return CallError{.exit = ExitCode::failure, .message = summary.name + ": not the bytes that the server wrote"};
}

CallResult<std::string> fetch_from_server(ExportRun const& run, exports::Format const& format,
                                          json::object const& params, schema::SinkFolder& files) {
  auto const server = find_server(run.target, timeout_default);
  if (!server) return server.error();
  HttpCaller caller(*server);
  auto const started = caller.call("export.start", params);
  if (!started) return started.error();
  json::object const job{{"job", started->as_object().at("job")}};
  auto const status = wait_for(caller, job, run);
  CallResult<void> fetched;
  if (status) {
    for (auto const& file : status->at("files").as_array()) {
      fetched = fetch_file(*server, file.as_object(), run, format, files);
      if (!fetched) break;
    }
  }
  static_cast<void>(caller.call("export.cancel", job));  // deletes its files on the server
  if (!status) return status.error();
  if (!fetched) return fetched.error();
  return schema::json::to_text(status->at("manifest"));
}

}  // namespace

CallResult<std::string> run_export(ExportRun const& run, exports::Format const& format, json::object const& params,
                                   schema::SinkFolder& files) {
  return run.target.db.empty() ? fetch_from_server(run, format, params, files) : write_from_store(run, params, files);
}

bool may_hold(exports::Format const& format, std::string_view name) {
  if (!format.is_folder()) return true;
  if (name.ends_with(exports::zstd_suffix)) name.remove_suffix(exports::zstd_suffix.size());
  return std::ranges::find(format.files, name) != format.files.end();
}

}  // namespace whence::tools
