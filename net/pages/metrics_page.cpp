// Collects the figures of the server and its stores.

#include "net/pages/metrics_page.hpp"

#include "net/base/version.hpp"
#include "net/metrics/bolt_figures.hpp"
#include "net/metrics/exposition.hpp"
#include "net/metrics/process_figures.hpp"
#include "net/state/service_state.hpp"
#include "net/tracing/tracer.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace whence::net {

namespace {

using M = Metric;

std::uint64_t as_number(bool value) noexcept {
  return value ? 1 : 0;
}

void add_graph(Exposition& out, graph::Snapshot const& snapshot) {
  out.add(M::tx, schema::number(snapshot.tx()));
  for (auto const& type : schema::record_types()) {
    if (type.is_node) out.add(M::nodes, snapshot.vertex_count(type.type), {type.name});
  }
  schema::EdgeTypeSet seen;
  for (auto const& rule : schema::edge_rules()) {
    if (seen.contains(rule.type)) continue;
    seen.insert(rule.type);
    out.add(M::edges, snapshot.edge_count(rule.type), {schema::name_of(rule.type)});
  }
}

void add_writes(Exposition& out, engine::EngineMetrics const& metrics) {
  out.add_histogram(M::commit_seconds, engine::commit_bucket_bounds, metrics.commit_seconds_buckets,
                    metrics.commit_seconds_sum);
  out.add(M::inbox_batches, metrics.inbox_batches);
  out.add(M::inbox_bytes, metrics.inbox_bytes);
  for (std::size_t i = 0; i < metrics.flags.by_flag.size(); ++i) {
    out.add(M::flags, metrics.flags.by_flag[i], {schema::all_flags[i]});
  }
}

void add_capture(Exposition& out, capture::CaptureCounts const& counts, openlineage::IntakeCounts const& lineage) {
  out.add(M::capture_spans, counts.spans_taken, {"taken"});
  out.add(M::capture_spans, counts.spans_dropped, {"dropped"});
  out.add(M::capture_logs, counts.logs_taken, {"taken"});
  out.add(M::capture_logs, counts.logs_dropped, {"dropped"});
  out.add(M::capture_rejected, counts.rejected);
  out.add(M::capture_unknown_attributes, counts.unknown_attributes);
  out.add(M::capture_left_out, counts.left_out);
  out.add(M::lineage_events, lineage.taken, {"taken"});
  out.add(M::lineage_events, lineage.refused, {"refused"});
}

void add_bolt(Exposition& out, bolt::Figures const& figures) {
  out.add(M::bolt_transactions, figures.transactions.load());
  out.add(M::bolt_results, figures.results.load());
  out.add(M::bolt_statements, figures.statements.load());
  out.add(M::bolt_rows, figures.rows.load());
}

void add_files(Exposition& out, FollowerMetrics const& files) {
  out.add(M::discussion_files, files.written, {"written"});
  out.add(M::discussion_files, files.failed, {"failed"});
  out.add(M::discussion_files, files.edited, {"edited"});
  out.add(M::discussion_files_behind, files.behind);
  out.add(M::token_sync_mismatches, files.out_of_sync);
}

void add_time(Exposition& out, Metric metric, std::optional<std::int64_t> seconds) {
  if (seconds) out.add(metric, static_cast<std::uint64_t>(std::max<std::int64_t>(*seconds, 0)));
}

void add_disk(Exposition& out, engine::Engine const& engine) {
  out.add(M::store_broken, as_number(engine.failure().has_value()));
  out.add(M::store_full, as_number(engine.no_room().has_value()));
  auto const stats = engine.stats();
  out.add(M::store_bytes, stats.file_bytes);
  out.add(M::store_map_bytes, stats.map_bytes);
  std::error_code unknown;
  auto const space = std::filesystem::space(engine.directory(), unknown);
  if (!unknown) out.add(M::store_disk_free_bytes, std::uint64_t{space.available});
  auto const checkpoints = engine.checkpoints();
  out.add(M::recovery_seconds, checkpoints.start_seconds);
  out.add(M::recovery_replayed, checkpoints.replayed);
  out.add(M::checkpoint_tx, schema::number(checkpoints.tx));
  add_time(out, M::checkpoint_timestamp, checkpoints.written_at_s);
  out.add(M::checkpoints, checkpoints.made, {"made"});
  out.add(M::checkpoints, checkpoints.failed, {"failed"});
  out.add(M::columns_checkpoints, checkpoints.columns_made, {"made"});
  out.add(M::columns_checkpoints, checkpoints.columns_failed, {"failed"});
  add_time(out, M::backup_timestamp, engine.last_backup_s());
}

void add_shared_log(Exposition& out, store::SharedLogFigures const& log) {
  out.add(M::log_connected, as_number(log.is_connected));
  out.add(M::log_position, log.position);
  out.add(M::log_lag, log.last - log.position);
  out.add(M::log_refused, log.refused);
  out.add(M::log_unknown, log.unknown);
  out.add(M::log_repeated, log.repeated);
  out.add(M::log_foreign, log.foreign);
}

void add_columns(Exposition& out, graph::ColumnFigures const& figures) {
  out.add(M::columns_built, as_number(figures.is_built));
  out.add(M::columns_bytes, std::uint64_t{figures.bytes});
  out.add(M::columns_values, std::uint64_t{figures.values});
}

void add_search(Exposition& out, engine::SearchFigures const& figures, schema::TxId head) {
  auto const lag = schema::number(head) - std::min(schema::number(head), schema::number(figures.tx));
  out.add(M::search_tx, schema::number(figures.tx));
  out.add(M::search_lag, std::uint64_t{lag});
  out.add(M::search_bytes, figures.file_bytes);
  out.add(M::search_stopped, as_number(!figures.failure.empty()));
  out.add(M::search_rebuilds, figures.begun_again);
}

void add_tokens(Exposition& out, TokenTable const& tokens, schema::Time now) {
  if (tokens.is_open()) return;
  auto const figures = tokens.figures(now);
  out.add(M::tokens, figures.valid, {"valid"});
  out.add(M::tokens, figures.expired, {"expired"});
  out.add(M::tokens, figures.revoked, {"revoked"});
  if (figures.next_end) add_time(out, M::token_expiry, figures.next_end->seconds);
}

void add_store(Exposition& out, Namespace const& where) {
  out.enter(where.name);
  add_tokens(out, *where.tokens.get(), where.service->state().clock.now());
  auto const& service = *where.service;
  auto const& engine = *where.engine;
  auto const snapshot = engine.snapshot();
  add_graph(out, snapshot);
  out.add(M::subscriptions, service.subscriptions());
  service.request_metrics().add_to(out);
  add_writes(out, engine.metrics());
  add_capture(out, service.captured(), service.lineage_counts());
  add_bolt(out, *where.service->state().bolt_figures);
  add_files(out, service.files());
  add_disk(out, engine);
  if (auto const log = engine.shared_log()) add_shared_log(out, *log);
  out.add(M::log_forked, as_number(where.service->state().forks.fork().has_value()));
  if (auto const* const columns = engine.columns()) add_columns(out, columns->figures());
  if (auto const search = engine.search()) add_search(out, *search, snapshot.tx());
  out.add(M::retention_held, as_number(service.is_retention_held()));
  out.add(M::clock_behind, service.clock_behind_s());
}

void add_process(Exposition& out) {
  out.add(M::build_info, std::uint64_t{1}, {version(), build_info()});
  auto const figures = process_figures();
  if (!figures) return;
  out.add(M::process_start_time, figures->start_s);
  out.add(M::process_cpu, figures->cpu_s);
  out.add(M::process_resident_memory, figures->resident_bytes);
  out.add(M::process_open_fds, figures->open_fds);
  out.add(M::process_max_fds, figures->max_fds);
}

void add_shell(Exposition& out, ShellFigures const& shell, std::uint64_t busy_requests) {
  out.add(M::draining, as_number(shell.is_draining));
  out.add(M::connections, shell.connections);
  out.add(M::connections_max, shell.connections_max);
  out.add(M::websockets, shell.websockets);
  out.add(M::bolt_connections, shell.bolt_connections);
  out.add(M::busy, busy_requests, {"request"});
  out.add(M::busy, shell.busy_http, {"http"});
  out.add(M::busy, shell.busy_websockets, {"websocket"});
  out.add(M::busy, shell.busy_connections, {"connection"});
  out.add(M::busy, shell.busy_bolt, {"bolt"});
  out.add(M::access_refused, shell.access_refused);
  add_time(out, M::tls_certificate_expiry, shell.certificate_expiry_s);
}

/// What the services of a process share.
void add_shared_work(Exposition& out, Service& service) {
  if (auto const& tracer = service.state().config.tracer) {
    auto const counts = tracer->counts();
    out.add(M::trace_spans, counts.sent, {"sent"});
    out.add(M::trace_spans, counts.dropped, {"dropped"});
    out.add(M::trace_spans, counts.failed, {"failed"});
  }
  out.add(M::request_memory, std::uint64_t{service.memory()->used()});
  out.add(M::request_memory_max, std::uint64_t{service.memory()->bytes_max()});
  auto const& pool = service.state().pool;
  auto const load = pool.load();
  out.add(M::workers, std::uint64_t{pool.threads()});
  out.add(M::worker_tasks_running, std::uint64_t{load.running});
  out.add(M::worker_tasks_waiting, std::uint64_t{load.waiting});
}

}  // namespace

std::string metrics_text(std::span<Namespace* const> stores, ShellFigures const& shell) {
  Exposition out;
  std::uint64_t busy = 0;
  for (auto const* const each : stores) busy += each->service->request_metrics().busy();
  add_process(out);
  add_shell(out, shell, busy);
  add_shared_work(out, *stores.front()->service);
  for (auto const* const each : stores) add_store(out, *each);
  return out.text();
}

std::string metrics_text(Namespace const& where) {
  Exposition out;
  add_store(out, where);
  return out.text(MetricScope::store);
}

}  // namespace whence::net
