// Making a service, and calling it without a connection.

#include "net/service/service.hpp"

#include "net/calls/discussion_calls.hpp"
#include "net/files/edit_watch.hpp"
#include "net/openlineage/request.hpp"
#include "net/service/waiting_call.hpp"
#include "net/state/service_state.hpp"
#include "schema/json/writer.hpp"

#include <future>
#include <system_error>
#include <utility>

#include <malloc.h>

namespace whence::net {

namespace {

/// Logs what became of a checkpoint.
engine::CheckpointReport checkpoint_report(LogSink log) {
  if (!log) return {};
  return [log = std::move(log)](Result<store::CheckpointFigures> const& made) {
    LogEvent event{.level = made ? LogLevel::info : LogLevel::warning,
                   .component = "server",
                   .event = made ? "checkpoint_made" : "checkpoint_failed",
                   .data = {}};
    schema::json::Writer data{event.data};
    data.begin_object();
    if (made) data.member("tx", schema::number(made->tx)).member("bytes", made->bytes);
    data.end_object();
    if (!made) event.error = made.error().message + "; the next start replays the log, nothing else is amiss";
    log(event);
  };
}

}  // namespace

Service::Service(engine::Engine& engine, ServiceConfig const& config, schema::Clock const& clock)
    : Service(engine, config, clock, SharedWork::make(config)) {}

Service::Service(engine::Engine& engine, ServiceConfig const& config, schema::Clock const& clock, SharedWork work)
    : state_(std::make_unique<ServiceState>(engine, config, clock, std::move(work))) {}

Service::~Service() = default;

void Service::watch_files() {
  auto const& folder = state_->engine.config().files;
  if (state_->engine.files() == nullptr || edits_) return;
  try {
    edits_ = std::make_unique<EditWatch>(
        folder, [state = state_.get()](engine::DiscussionIds const& ids) { look_at_files(*state, ids); });
  } catch (std::system_error const& failure) {  // they are still looked at when a context is loaded
    if (!state_->config.log) return;
    LogEvent event{.level = LogLevel::warning, .component = "files", .event = "files_not_watched", .data = {}};
    schema::json::Writer(event.data).begin_object().end_object();
    event.error = failure.what();
    state_->config.log(event);
  }
}

std::string Service::call(std::string_view message, Role role) {
  return call_and_wait(*state_, message, {.role = role});
}

void Service::keep_checkpoints() {
  state_->engine.keep_checkpoints(checkpoint_report(state_->config.log));
}

void Service::finish_checkpoints() {
  state_->engine.finish_checkpoints(checkpoint_report(state_->config.log));
}

std::string const& Service::openrpc() const {
  return state_->openrpc;
}

std::uint64_t Service::subscriptions() const {
  return state_->subscriptions;
}

FollowerMetrics Service::files() const {
  return state_->files->metrics();
}

Result<capture::PartialSuccess> Service::capture_telemetry(capture::Signal signal, std::string_view text) {
  std::size_t unnamed = 0;
  auto decoded = capture::decode_json(text, signal, unnamed);
  if (!decoded) return decoded.error();
  std::promise<Result<capture::PartialSuccess>> answered;
  auto answer = answered.get_future();
  state_->capture.submit(capture::read_telemetry(std::move(*decoded), capture::now_nanos()),
                         [&](Result<capture::PartialSuccess> result) { answered.set_value(std::move(result)); });
  auto taken = answer.get();
  if (taken) taken->rejected += unnamed;
  return taken;
}

Result<std::string> Service::capture_lineage(std::string_view batch) {
  std::promise<Result<std::string>> answered;
  openlineage::submit_batch(state_->openlineage, batch, {},
                            [&](Result<std::string> answer) { answered.set_value(std::move(answer)); });
  return answered.get_future().get();
}

capture::CaptureCounts Service::captured() const {
  return state_->capture.counts();
}

openlineage::IntakeCounts Service::lineage_counts() const {
  return state_->openlineage.counts();
}

std::optional<engine::JobFile> Service::find_export(std::string const& job, std::string_view name) const {
  return state_->jobs->find_file(job, name);
}

std::shared_ptr<MemoryBudget> const& Service::memory() const noexcept {
  return state_->memory;
}
void Service::trim_memory() {
  state_->memory->adapt();
  if (!state_->memory->take_trim()) return;
  state_->upkeep.post(
      [] { ::malloc_trim(0); });  // the allocator keeps what was freed; this takes milliseconds a gigabyte
}
void Service::look_at_clock() {
  state_->clock_watch.look();
}
void Service::look_at_log() {
  state_->forks.look();
  auto const figures = state_->engine.shared_log();
  if (!figures || figures->foreign == 0 || !state_->config.log) return;
  if (state_->foreign_told.exchange(figures->foreign) == figures->foreign) return;
  LogEvent event{.level = LogLevel::warning, .component = "server", .event = "log_foreign", .data = {}};
  schema::json::Writer{event.data}.begin_object().member("sequence", figures->last_foreign).end_object();
  event.error = "the replicated log has messages that no node has written; they were stepped over";
  state_->config.log(event);
}
std::uint64_t Service::clock_behind_s() const {
  return state_->clock_watch.behind_s();
}
bool Service::is_retention_held() const noexcept {
  return state_->retention.is_held();
}
RequestMetrics const& Service::request_metrics() const {
  return state_->metrics;
}

}  // namespace whence::net
