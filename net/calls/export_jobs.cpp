// A job is a state under one mutex and a task on a thread of its own pool, whose priority is low: writers and readers
// come first.

#include "net/calls/export_jobs.hpp"

#include "engine/engine.hpp"
#include "net/rpc/errors.hpp"
#include "net/session/request_interrupt.hpp"
#include "schema/json/writer.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace whence::net {
namespace {

namespace fs = std::filesystem;

constexpr int niceness = 10;
constexpr std::chrono::milliseconds notice_interval{100};

enum class State : std::uint8_t { running, done, failed, cancelled };

std::string_view name_of(State state) noexcept {
  constexpr std::string_view names[] = {"running", "done", "failed", "cancelled"};
  return names[static_cast<std::size_t>(state)];
}

Error unknown_job(std::string const& job) {
  return error_from(Violation{.code = Errc::not_found,
                              .rule = "job",
                              .path = "/job",
                              .seen = schema::cut(job, schema::limits::seen_bytes_max),
                              .message = "there is no such job"});
}

Error failure_of(std::system_error const& failed) {
  bool const is_full = failed.code() == std::errc::no_space_on_device;
  return {.code = is_full ? Errc::storage_full : Errc::internal_error, .message = failed.what()};
}

}  // namespace

/// Invariant: `files` and `manifest` are there in state `done` only.
struct ExportJobs::Job {
  std::string name;
  fs::path folder;
  std::uint64_t tx = 0;
  std::optional<PreparedExport> prepared = {};  ///< until it has ended
  Notify notify = {};
  std::atomic<bool> is_cancelled = false;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint64_t> total = 0;

  // Guarded by the jobs' mutex.
  State state = State::running;
  std::vector<exports::FileSummary> files = {};
  std::string manifest = {};
  std::optional<Error> error = {};
};

ExportJobs::ExportJobs(engine::Engine const& engine, Alarms& alarms)
    : folder_(engine.directory() / "exports"), alarms_(alarms), pool_(std::make_unique<WorkerPool>(running_max)) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

ExportJobs::~ExportJobs() {
  {
    std::lock_guard const lock(mutex_);
    for (auto const& [name, job] : jobs_) job->is_cancelled = true;
  }
  pool_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result<std::string> ExportJobs::start(PreparedExport prepared, std::function<Notify(std::string)> const& make_notify) {
  auto const job = std::make_shared<Job>();
  job->name = "exp_" + engine::RandomIds{}.uuid();
  job->folder = folder_ / job->name;
  job->tx = schema::number(prepared.source.view.snapshot.tx());
  job->prepared = std::move(prepared);
  if (make_notify) job->notify = make_notify('"' + job->name + '"');
  {
    std::lock_guard const lock(mutex_);
    if (jobs_.size() >= jobs_max) {
      return Error{.code = Errc::limit_exceeded,
                   .message = "there are " + std::to_string(jobs_max) + " exports already; cancel one"};
    }
    jobs_.emplace(job->name, job);
  }
  pool_->post([this, job] { run(*job); });
  return job->name;
}

void ExportJobs::run(Job& job) {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
  RequestInterrupt const interrupt(job.is_cancelled, RequestInterrupt::Moment::max(),
                                   RequestInterrupt::steps_unbounded);
  auto next_notice = std::chrono::steady_clock::now();
  auto const progress = [&](std::uint64_t done, std::uint64_t total) {
    job.done = done;
    job.total = total;
    auto const now = std::chrono::steady_clock::now();
    if (!job.notify || (done < total && now < next_notice)) return;
    next_notice = now + notice_interval;
    job.notify(done, total, "written");
  };
  auto const write = [&]() -> Result<exports::ExportReport> {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    auto destination = exports::Destination::create(job.folder, exports::Destination::Shape::folder, true);
    if (!destination) return destination.error();
    auto const compression = job.prepared->request.options.compression;
    auto report = exports::write_export(
        job.prepared->source, job.prepared->request,
        [&](std::string_view name) { return destination->open(name, compression); }, progress, interrupt);
    if (report) destination->commit();
    return report;
  };
  Result<exports::ExportReport> report = Error{};
  try {
    report = write();
  } catch (std::system_error const& failed) {
    report = failure_of(failed);
  } catch (std::exception const& failed) {
    report = Error{.code = Errc::internal_error, .message = failed.what()};
  }
  {
    std::lock_guard const lock(mutex_);
    job.prepared.reset();  // the snapshot and what it keeps alive
    if (job.is_cancelled) {
      job.state = State::cancelled;
    } else if (report) {
      job.state = State::done;
      job.files = std::move(report->files);
      job.manifest = std::move(report->manifest);
    } else {
      job.state = State::failed;
      job.error = report.error();
    }
  }
  std::error_code ignored;
  if (job.is_cancelled) fs::remove_all(job.folder, ignored);
  alarms_.set({.deadline = std::chrono::steady_clock::now() + files_kept_for},
              [jobs = weak_from_this(), name = job.name](bool) {
                if (auto const self = jobs.lock()) self->forget(name);
              });
}

void ExportJobs::forget(std::string const& name) {
  std::lock_guard const lock(mutex_);
  auto const found = jobs_.find(name);
  if (found == jobs_.end()) return;
  std::error_code ignored;
  fs::remove_all(found->second->folder, ignored);
  jobs_.erase(found);
}

Result<std::shared_ptr<ExportJobs::Job>> ExportJobs::get(std::string const& name) const {
  auto const found = jobs_.find(name);
  if (found == jobs_.end()) return unknown_job(name);
  return found->second;
}

Result<std::string> ExportJobs::status(std::string const& name) const {
  std::lock_guard const lock(mutex_);
  auto const found = get(name);
  if (!found) return found.error();
  Job const& job = **found;
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("job", std::string_view(job.name)).member("state", name_of(job.state));
  out.member("tx", job.tx).member("done", job.done.load()).member("total", job.total.load());
  out.key("files").begin_array();
  for (auto const& file : job.files) {
    out.begin_object().member("name", std::string_view(file.name)).member("bytes", file.bytes);
    out.member("sha256", schema::to_hex(file.sha256))
        .member("url", "/export/" + job.name + "/" + file.name)
        .end_object();
  }
  out.end_array();
  if (!job.manifest.empty()) out.key("manifest").raw(job.manifest);
  if (job.error) write_error(out.key("error"), *job.error);
  out.end_object();
  return text;
}

Result<std::string> ExportJobs::cancel(std::string const& name) {
  std::lock_guard const lock(mutex_);
  auto const found = get(name);
  if (!found) return found.error();
  Job& job = **found;
  job.is_cancelled = true;
  std::error_code ignored;
  if (job.state != State::running) fs::remove_all(job.folder, ignored);
  job.state = State::cancelled;
  job.files.clear();
  job.manifest.clear();
  job.error.reset();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("job", std::string_view(job.name)).member("state", name_of(job.state)).end_object();
  return text;
}

std::optional<ExportFile> ExportJobs::find(std::string const& name, std::string_view file_name) const {
  std::lock_guard const lock(mutex_);
  auto const found = jobs_.find(name);
  if (found == jobs_.end()) return std::nullopt;
  Job const& job = *found->second;
  auto const file = std::ranges::find(job.files, file_name, &exports::FileSummary::name);
  if (file == job.files.end()) return std::nullopt;
  return ExportFile{.path = job.folder / file->name, .sha256 = file->sha256};
}

}  // namespace whence::net
