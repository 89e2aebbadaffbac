#pragma once
// Every metric of `/metrics`: the one table of their names, kinds, labels and meanings.

#include "schema/types/named_enum.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace whence::net {

/// In the order in which they are written. The wire name of each is in `metrics()`.
enum class Metric : std::uint8_t {
  // of the process
  build_info,
  process_start_time,
  process_cpu,
  process_resident_memory,
  process_open_fds,
  process_max_fds,
  draining,
  connections,
  connections_max,
  websockets,
  bolt_connections,
  busy,
  access_refused,
  request_memory,
  request_memory_max,
  workers,
  worker_tasks_running,
  worker_tasks_waiting,
  tls_certificate_expiry,
  trace_spans,
  // of each store
  tokens,
  token_expiry,
  tx,
  nodes,
  edges,
  subscriptions,
  requests,
  request_seconds,
  commit_seconds,
  inbox_batches,
  inbox_bytes,
  flags,
  capture_spans,
  capture_logs,
  capture_rejected,
  capture_unknown_attributes,
  capture_left_out,
  lineage_events,
  bolt_transactions,
  bolt_results,
  bolt_statements,
  bolt_rows,
  discussion_files,
  discussion_files_behind,
  token_sync_mismatches,
  store_broken,
  store_full,
  store_bytes,
  store_map_bytes,
  store_disk_free_bytes,
  recovery_seconds,
  recovery_replayed,
  checkpoint_tx,
  checkpoint_timestamp,
  checkpoints,
  columns_checkpoints,
  backup_timestamp,
  log_connected,
  log_position,
  log_lag,
  log_refused,
  log_unknown,
  log_repeated,
  log_foreign,
  log_forked,
  columns_built,
  columns_bytes,
  columns_values,
  search_tx,
  search_lag,
  search_bytes,
  search_stopped,
  search_rebuilds,
  retention_held,
  clock_behind,
  end
};

inline constexpr std::size_t metric_count = static_cast<std::size_t>(Metric::end);

enum class MetricKind : std::uint8_t { gauge, counter, histogram };
constexpr std::array<std::string_view, 3> enum_names(MetricKind) noexcept {
  return {"gauge", "counter", "histogram"};
}

/// Whose figure it is: the process has it once, or each store has its own, with the label `namespace` where the store
/// is a namespace's.
enum class MetricScope : std::uint8_t { process, store };

struct MetricInfo {
  Metric metric;
  MetricScope scope;
  MetricKind kind;
  std::string_view name;  ///< with the unit and `_total` at its end, as Prometheus wants it
  std::array<std::string_view, 2> labels = {};
  std::string_view help;  ///< one sentence
};

/// One row for each metric, in the order of `Metric`.
[[nodiscard]] std::span<MetricInfo const> metrics() noexcept;

[[nodiscard]] MetricInfo const& info_of(Metric metric) noexcept;

}  // namespace whence::net
