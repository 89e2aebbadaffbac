// Params to jobs, and the state of jobs to JSON.

#include "net/calls/export_calls.hpp"

#include "engine/jobs/jobs.hpp"
#include "engine/values/id_source.hpp"
#include "net/base/errors.hpp"
#include "net/calls/export_params.hpp"
#include "net/params/exports.hpp"
#include "net/params/params.hpp"
#include "net/state/service_state.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/writer.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace whence::net {
namespace {

Error unknown_job(std::string const& job) {
  return error_from(Violation{.code = Errc::not_found,
                              .rule = "job",
                              .path = "/job",
                              .seen = schema::cut(job, schema::limits::seen_bytes_max),
                              .message = "there is no such job"});
}

/// The work of a job: the export's files go to the job's folder, its manifest becomes the job's text.
engine::JobWork work_of(PreparedExport prepared) {
  return [prepared = std::make_shared<PreparedExport const>(std::move(prepared))](
             engine::JobContext const& context) -> Result<engine::JobOutput> {
    auto report =
        exports::write_export(prepared->source, prepared->request, context.files, context.progress, context.interrupt);
    if (!report) return report.error();
    return engine::JobOutput{.files = std::move(report->files), .text = std::move(report->manifest)};
  };
}

/// Sends `$/progress` with the job as id, where the client asked for it.
engine::JobProgress progress_of(std::string const& job, boost::json::object const& params, Progress const& progress) {
  auto const* const asked = params.if_contains("progress");
  bool const is_wanted = asked != nullptr && asked->is_bool() && asked->get_bool();
  if (!is_wanted || !progress.notify_later) return {};
  return [notify = progress.notify_later('"' + job + '"')](std::uint64_t done, std::uint64_t total) {
    notify(done, total, "written");
  };
}

void write_files(schema::json::Writer& out, std::string const& job, engine::JobStatus const& status) {
  out.key("files").begin_array();
  if (status.output != nullptr) {
    for (auto const& file : status.output->files) {
      out.begin_object().member("name", std::string_view(file.name)).member("bytes", file.bytes);
      out.member("sha256", schema::to_hex(file.sha256)).member("url", "/export/" + job + "/" + file.name).end_object();
    }
  }
  out.end_array();
}

}  // namespace

Result<std::string> start_export(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  auto prepared = prepare_export(service.engine, params, *progress.interrupt, progress.is_admin);
  if (!prepared) return prepared.error();
  auto const job = "exp_" + engine::RandomIds{}.uuid();
  auto const tx = prepared->source.view.snapshot.tx();
  auto const started = service.jobs->start({.name = job,
                                            .tx = tx,
                                            .work = work_of(std::move(*prepared)),
                                            .on_progress = progress_of(job, params, progress)});
  if (!started) return started.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("job", std::string_view(job)).member("tx", schema::number(tx)).end_object();
  return text;
}

Result<std::string> export_status(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<ExportJobParams>(params);
  if (!asked) return asked.error();
  auto const status = service.jobs->status(asked->job);
  if (!status) return unknown_job(asked->job);
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("job", std::string_view(asked->job)).member("state", schema::name_of(status->state));
  out.member("tx", schema::number(status->tx)).member("done", status->done).member("total", status->total);
  write_files(out, asked->job, *status);
  if (status->output != nullptr) out.key("manifest").raw(status->output->text);
  if (status->error) write_error(out.key("error"), *status->error);
  out.end_object();
  return text;
}

Result<std::string> cancel_export(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<ExportJobParams>(params);
  if (!asked) return asked.error();
  if (!service.jobs->cancel(asked->job)) return unknown_job(asked->job);
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("job", std::string_view(asked->job));
  out.member("state", schema::name_of(engine::JobState::cancelled)).end_object();
  return text;
}

}  // namespace whence::net
