// Writes the Prometheus text.

#include "net/http/metrics.hpp"

#include "schema/edges/edge_type.hpp"
#include "schema/records/record_type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <span>
#include <string_view>

namespace whence::net {

namespace {

std::string number_text(double value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void append_head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void append_gauge(std::string& out, std::string_view name, std::string_view help, std::uint64_t value) {
  append_head(out, name, "gauge", help);
  out.append(name).append(" ").append(std::to_string(value)).append("\n");
}

void append_counter(std::string& out, std::string_view name, std::string_view help, std::uint64_t value) {
  append_head(out, name, "counter", help);
  out.append(name).append(" ").append(std::to_string(value)).append("\n");
}

void append_typed(std::string& out, std::string_view name, std::string_view type, std::uint64_t value) {
  out.append(name).append("{type=\"").append(type).append("\"} ").append(std::to_string(value)).append("\n");
}

void append_graph(std::string& out, graph::Snapshot const& snapshot) {
  append_head(out, "whence_nodes", "gauge", "Nodes by type.");
  for (auto const& type : schema::record_types()) {
    if (type.is_node) append_typed(out, "whence_nodes", type.name, snapshot.vertex_count(type.type));
  }
  append_head(out, "whence_edges", "gauge", "Edges by type.");
  schema::EdgeTypeSet seen;
  for (auto const& rule : schema::edge_rules()) {
    if (seen.contains(rule.type)) continue;
    seen.insert(rule.type);
    append_typed(out, "whence_edges", schema::name_of(rule.type), snapshot.edge_count(rule.type));
  }
}

void append_commits(std::string& out, engine::EngineMetrics const& metrics) {
  constexpr std::string_view name = "whence_commit_seconds";
  append_head(out, name, "histogram", "Time to make a group of transactions durable.");
  for (std::size_t i = 0; i < metrics.commit_seconds_buckets.size(); ++i) {
    auto const bounds = std::span{engine::commit_bucket_bounds};
    auto const bound = i < bounds.size() ? number_text(bounds[i]) : std::string{"+Inf"};
    out.append(name).append("_bucket{le=\"").append(bound).append("\"} ");
    out.append(std::to_string(metrics.commit_seconds_buckets[i])).append("\n");
  }
  out.append(name).append("_sum ").append(number_text(metrics.commit_seconds_sum)).append("\n");
  out.append(name).append("_count ").append(std::to_string(metrics.commits)).append("\n");
}

void append_files(std::string& out, FollowerMetrics const& files) {
  constexpr std::string_view name = "whence_discussion_files_total";
  append_head(out, name, "counter", "Attempts to bring the files of a discussion up to date, by result.");
  auto const append = [&](std::string_view result, std::uint64_t value) {
    out.append(name).append("{result=\"").append(result).append("\"} ").append(std::to_string(value)).append("\n");
  };
  append("written", files.written);
  append("failed", files.failed);
  append("edited", files.edited);
  append_head(out, "whence_token_sync_mismatches_total", "counter",
              "Contexts of discussions loaded whose token count was not the one in the file.");
  out.append("whence_token_sync_mismatches_total ").append(std::to_string(files.out_of_sync)).append("\n");
  append_gauge(out, "whence_discussion_files_behind", "Discussions whose files wait to be written.", files.behind);
}

void append_flags(std::string& out, engine::FlagCounts const& counts) {
  constexpr std::string_view name = "whence_flags_total";
  append_head(out, name, "counter", "Flags set on records and citations, by flag.");
  for (std::size_t i = 0; i < counts.by_flag.size(); ++i) {
    out.append(name).append("{flag=\"").append(schema::all_flags[i]).append("\"} ");
    out.append(std::to_string(counts.by_flag[i])).append("\n");
  }
}

void append_capture(std::string& out, capture::CaptureCounts const& counts) {
  auto const append = [&](std::string_view name, std::string_view help, std::uint64_t taken, std::uint64_t dropped) {
    append_head(out, name, "counter", help);
    out.append(name).append("{result=\"taken\"} ").append(std::to_string(taken)).append("\n");
    out.append(name).append("{result=\"dropped\"} ").append(std::to_string(dropped)).append("\n");
  };
  append("whence_capture_spans_total", "Spans received, by result; dropped are those of other kinds.",
         counts.spans_taken, counts.spans_dropped);
  append("whence_capture_logs_total", "Messages and ratings received as log records, by result.", counts.logs_taken,
         counts.logs_dropped);
  append_head(out, "whence_capture_rejected_total", "counter", "Spans and log records refused in a partial success.");
  out.append("whence_capture_rejected_total ").append(std::to_string(counts.rejected)).append("\n");
  append_head(out, "whence_capture_unknown_attributes_total", "counter",
              "Attributes without a meaning here, kept in `attributes` where there is room.");
  out.append("whence_capture_unknown_attributes_total ").append(std::to_string(counts.unknown_attributes)).append("\n");
}

void append_lineage(std::string& out, openlineage::IntakeCounts const& counts) {
  constexpr std::string_view name = "whence_lineage_events_total";
  append_head(out, name, "counter", "Events of OpenLineage received, by result.");
  out.append(name).append("{result=\"taken\"} ").append(std::to_string(counts.taken)).append("\n");
  out.append(name).append("{result=\"refused\"} ").append(std::to_string(counts.refused)).append("\n");
}

void append_checkpoints(std::string& out, engine::CheckpointCounts const& counts) {
  append_gauge(out, "whence_checkpoint_tx", "Last transaction of the checkpoint on disk; 0: there is none.",
               schema::number(counts.tx));
  constexpr std::string_view name = "whence_checkpoints_total";
  append_head(out, name, "counter", "Attempts to make a checkpoint, by result.");
  out.append(name).append("{result=\"made\"} ").append(std::to_string(counts.made)).append("\n");
  out.append(name).append("{result=\"failed\"} ").append(std::to_string(counts.failed)).append("\n");
}

void append_shared_log(std::string& out, store::SharedLogFigures const& log) {
  append_gauge(out, "whence_log_connected", "1 while a server of the replicated log is connected.", log.is_connected);
  append_gauge(out, "whence_log_position", "Sequence of the last message of the replicated log that was taken.",
               log.position);
  append_gauge(out, "whence_log_lag", "Messages of the replicated log that are known and not taken yet.",
               log.last - log.position);
  append_counter(out, "whence_log_refused_total",
                 "Groups that came too late: another node's was first, and they were validated again.", log.refused);
  append_counter(out, "whence_log_unknown_total", "Groups that the replicated log did not confirm in time.",
                 log.unknown);
  append_counter(out, "whence_log_repeated_total",
                 "Times that groups were sent again, since the replicated log had not taken or answered them.",
                 log.repeated);
}

void append_columns(std::string& out, graph::ColumnFigures const& figures) {
  append_gauge(out, "whence_columns_built", "1 once the columns of indexed fields hold what was there at the start.",
               figures.is_built ? 1 : 0);
  append_gauge(out, "whence_columns_bytes", "Memory of the columns of indexed fields, about.", figures.bytes);
  append_gauge(out, "whence_columns_values", "Different values in these columns.", figures.values);
}

void append_search(std::string& out, engine::SearchFigures const& figures, schema::TxId head) {
  auto const lag = schema::number(head) - std::min(schema::number(head), schema::number(figures.tx));
  append_gauge(out, "whence_search_tx", "Last transaction that the index of texts has read.",
               schema::number(figures.tx));
  append_gauge(out, "whence_search_lag", "Transactions that the index of texts has not read yet.", lag);
  append_gauge(out, "whence_search_bytes", "Bytes of the files of the index of texts.", figures.file_bytes);
  append_gauge(out, "whence_search_stopped", "1 while the index of texts does not go on, for want of disk or memory.",
               figures.failure.empty() ? 0 : 1);
  append_counter(out, "whence_search_rebuilds_total",
                 "Times that the index of texts was thrown away, as damaged or of another log.", figures.begun_again);
}

std::string text_of(Namespace const& where, std::uint64_t connections) {
  auto const& service = *where.service;
  auto const& engine = *where.engine;
  std::string out;
  auto const snapshot = engine.snapshot();
  append_gauge(out, "whence_tx", "Last visible transaction.", schema::number(snapshot.tx()));
  append_graph(out, snapshot);
  append_gauge(out, "whence_connections", "Open connections.", connections);
  append_gauge(out, "whence_subscriptions", "Open subscriptions.", service.subscriptions());
  service.request_metrics().append_to(out);
  auto const metrics = engine.metrics();
  append_commits(out, metrics);
  append_flags(out, metrics.flags);
  append_capture(out, service.captured());
  append_lineage(out, service.lineage_counts());
  append_files(out, service.files());
  append_gauge(out, "whence_store_broken",
               "1 once a failure of the disk or of memory has ended writing, until a restart.",
               engine.failure() ? 1 : 0);
  if (auto const log = engine.shared_log()) append_shared_log(out, *log);
  append_checkpoints(out, engine.checkpoints());
  if (auto const* const columns = engine.columns()) append_columns(out, columns->figures());
  if (auto const search = engine.search()) append_search(out, *search, snapshot.tx());
  append_gauge(out, "whence_retention_held",
               "1 while contents are old by the clock and are kept: the clock is doubted.",
               service.is_retention_held() ? 1 : 0);
  append_gauge(out, "whence_clock_behind_seconds", "Seconds by which the clock is behind the last commit.",
               service.clock_behind_s());
  append_gauge(out, "whence_request_memory_bytes", "Bytes that requests and answers hold.", service.memory()->used());
  append_gauge(out, "whence_request_memory_max_bytes", "Bytes that they may hold.", service.memory()->bytes_max());
  append_gauge(out, "whence_store_bytes", "Bytes in use in the store.", engine.stats().file_bytes);
  return out;
}

/// Of the process, whatever the stores.
constexpr std::array<std::string_view, 3> process_metrics = {"whence_connections", "whence_request_memory_bytes",
                                                             "whence_request_memory_max_bytes"};

/// `name{a="b"} 1` with one label more, before the others.
std::string labelled(std::string_view sample, std::string_view label) {
  auto const name_end = sample.find_first_of("{ ");
  bool const has_labels = sample[name_end] == '{';
  std::string text{sample.substr(0, name_end)};
  text.append("{").append(label).append(has_labels ? "," : "}");
  return text.append(sample.substr(has_labels ? name_end + 1 : name_end));
}

/// Joins the texts of several stores: a metric has one head, then the samples of each.
class Families {
 public:
  enum class Process : bool { is_left_out, is_in };

  /// `text` begins with the head of a metric.
  void add(std::string_view text, std::string_view namespace_name, Process process) {
    std::string const label = namespace_name.empty() ? "" : "namespace=\"" + std::string{namespace_name} + "\"";
    Family* family = nullptr;
    bool is_taken = true;
    bool is_new = false;
    bool is_labelled = false;
    while (!text.empty()) {
      auto const line = text.substr(0, text.find('\n') + 1);
      text.remove_prefix(line.size());
      if (line.starts_with(help)) {
        auto const name = line.substr(help.size(), line.find(' ', help.size()) - help.size());
        bool const is_of_process = std::ranges::find(process_metrics, name) != process_metrics.end();
        is_taken = !is_of_process || process == Process::is_in;
        if (is_taken) family = &find(name);
        is_new = is_taken && family->head.empty();
        is_labelled = !label.empty() && !is_of_process;
      }
      if (!is_taken) continue;
      if (line.front() != '#') {
        family->samples.append(is_labelled ? labelled(line, label) : std::string{line});
      } else if (is_new) {
        family->head.append(line);
      }
    }
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (auto const& family : families_) out.append(family.head).append(family.samples);
    return out;
  }

 private:
  static constexpr std::string_view help = "# HELP ";
  struct Family {
    std::string name;
    std::string head = {};
    std::string samples = {};
  };

  Family& find(std::string_view name) {
    auto const found = std::ranges::find(families_, name, &Family::name);
    return found == families_.end() ? families_.emplace_back(Family{.name = std::string{name}}) : *found;
  }

  std::deque<Family> families_;  // in the order in which they came
};

}  // namespace

std::string metrics_text(std::span<Namespace* const> stores, std::uint64_t connections) {
  if (stores.size() == 1 && stores.front()->name.empty()) return text_of(*stores.front(), connections);
  Families families;
  auto process = Families::Process::is_in;
  for (auto const* const each : stores) {
    families.add(text_of(*each, connections), each->name, process);
    process = Families::Process::is_left_out;
  }
  return families.text();
}

std::string metrics_text(Namespace const& where) {
  Families families;
  families.add(text_of(where, 0), where.name, Families::Process::is_left_out);
  return families.text();
}

}  // namespace whence::net
