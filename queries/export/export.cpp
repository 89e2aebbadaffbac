// Drives a format's passes over the exported part of the graph, and writes the manifest.

#include "queries/export/export.hpp"

#include "graph/walks/reduction.hpp"
#include "queries/export/scan.hpp"
#include "queries/export/zstd_sink.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace whence::exports {
namespace {

using schema::EdgeType;
using schema::json::Writer;

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr std::uint64_t progress_steps = 1024;

/// Passes text on to the file it belongs to. Files are opened in the order of the format's table.
class Files {
 public:
  Files(Format const& format, FormatOptions const& options, schema::SinkFolder& folder)
      : format_(format), options_(options), folder_(folder) {}

  /// Makes `file` the current one. The files before it that no pass writes to get their heads only.
  void select(std::size_t file, std::vector<std::string_view> const& heads) {
    while (current_ == nullptr || current_place_ < file) {
      close();
      std::size_t const place = next_++;
      current_ = open(format_.files[place]);
      current_place_ = place;
      if (place < heads.size() && !heads[place].empty()) current_->write(heads[place]);
    }
  }

  void write(std::string& text) {
    current_->write(text);
    text.clear();
  }

  std::vector<schema::FileSummary> finish() {
    close();
    return std::move(summaries_);
  }

 private:
  std::unique_ptr<schema::Sink> open(std::string_view name) {
    if (options_.compression == Compression::none) return folder_.open(name);
    return std::make_unique<ZstdSink>(folder_.open(std::string(name).append(zstd_suffix)));
  }

  void close() {
    if (current_ == nullptr) return;
    summaries_.push_back(current_->finish());
    current_.reset();
  }

  Format const& format_;
  FormatOptions const& options_;
  schema::SinkFolder& folder_;
  std::unique_ptr<schema::Sink> current_ = {};
  std::size_t current_place_ = 0;
  std::size_t next_ = 0;
  std::vector<schema::FileSummary> summaries_ = {};
};

/// Counts the nodes and edges that were written, and reports the count now and then.
class Meter {
 public:
  Meter(ExportProgress const& progress, std::uint64_t total) : progress_(progress), total_(total) { report(); }
  void count(std::uint64_t steps = 1) {
    done_ += steps;
    if (done_ - reported_ >= progress_steps) report();
  }
  void finish() {
    done_ = total_;
    report();
  }

 private:
  void report() {
    reported_ = done_;
    if (progress_) progress_(std::min(done_, total_), total_);
  }

  ExportProgress const& progress_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::uint64_t reported_ = 0;
};

std::uint64_t steps_of(Pass const& pass, Counts const& counts) {
  if (pass.over == Pass::Over::edges) return counts.all_edges();
  if (pass.types.empty()) return counts.all_nodes();
  std::uint64_t steps = 0;
  for (auto const& row : schema::record_types()) {
    if (pass.types.contains(row.type)) steps += counts.of(row.type);
  }
  return steps;
}

Result<void> run_pass(Scan const& scan, Pass const& pass, std::size_t place, GraphWriter& writer, Files& files,
                      Meter& meter) {
  std::string text;
  auto const flush = [&](std::size_t bytes_min) {
    if (text.size() >= bytes_min && !text.empty()) files.write(text);
  };
  writer.begin_pass(place, text);
  auto const write_node = [&](Node const& node) {
    writer.node(place, node, text);
    flush(chunk_bytes);
    meter.count();
  };
  auto const write_edge = [&](Edge const& edge) {
    writer.edge(place, edge, text);
    flush(chunk_bytes);
    meter.count();
  };
  auto const visited =
      pass.over == Pass::Over::nodes ? scan.nodes(pass.types, pass.has_records, write_node) : scan.edges(write_edge);
  if (!visited) return visited;
  writer.end_pass(place, text);
  flush(0);
  return {};
}

Result<void> write_graph(Scan const& scan, GraphWriter& writer, Counts const& counts, schema::TxId tx, Files& files,
                         ExportProgress const& progress) {
  auto const passes = writer.passes();
  std::uint64_t total = 0;
  for (auto const& pass : passes) total += steps_of(pass, counts);
  Meter meter(progress, total);
  writer.begin(counts, tx);
  auto const heads = writer.heads();
  for (std::size_t place = 0; place < passes.size(); ++place) {
    files.select(passes[place].file, heads);
    // A pass over no items still writes its begin and end.
    if (auto const run = run_pass(scan, passes[place], place, writer, files, meter); !run) return run;
  }
  meter.finish();
  return {};
}

/// Progress is counted in transactions.
Result<void> write_lines(Scan const& scan, schema::TxId tx, Files& files, ExportProgress const& progress) {
  Meter meter(progress, schema::number(tx));
  files.select(0, {});
  schema::TxId last{0};
  auto const visited = scan.lines([&](std::string& text, schema::TxId reached) {
    files.write(text);
    meter.count(schema::number(reached) - schema::number(last));
    last = reached;
  });
  if (visited) meter.finish();
  return visited;
}

void write_counts(Writer& out, Counts const& counts) {
  out.key("counts").begin_object().key("nodes").begin_object();
  for (auto const& row : schema::record_types()) {
    if (counts.of(row.type) > 0) out.member(row.name, counts.of(row.type));
  }
  std::map<std::string_view, std::uint64_t> by_name;
  for (std::size_t i = 1; i < counts.edges.size(); ++i) {
    if (counts.edges[i] > 0) by_name[schema::name_of(static_cast<EdgeType>(i))] += counts.edges[i];
  }
  out.end_object().key("edges").begin_object();
  for (auto const& [name, count] : by_name) out.member(name, count);
  out.end_object().end_object();
}

struct Outcome {
  Counts counts;
  std::uint64_t reduced_edges;
  Losses losses;
  std::string_view hint;
  bool is_closed;
};

std::string manifest_of(Source const& source, ExportRequest const& request, Outcome const& outcome,
                        std::vector<schema::FileSummary> const& files) {
  auto const& snapshot = source.view.snapshot;
  std::string text;
  Writer out(text);
  out.begin_object().member("whence", std::string_view(source.version));
  out.member("tx", schema::number(snapshot.tx())).member("at", schema::format_rfc3339(snapshot.at()));
  out.member("epoch", std::string_view(source.epoch)).member("format", request.format->name);
  out.key("select").raw(request.select_json).key("as_of").raw(request.as_of_json);
  write_counts(out, outcome.counts);
  if (request.is_reduced) out.member("reduced_edges", outcome.reduced_edges);
  out.key("files").begin_array();
  for (auto const& file : files) {
    out.begin_object().member("name", std::string_view(file.name)).member("bytes", file.bytes);
    out.member("sha256", schema::to_hex(file.sha256)).end_object();
  }
  out.end_array().key("losses").begin_array();
  for (auto const& [kind, count] : outcome.losses) {
    out.begin_object().member("kind", std::string_view(kind)).member("count", count).end_object();
  }
  out.end_array().member("closed", outcome.is_closed);
  if (!outcome.hint.empty()) out.member("import", outcome.hint);
  out.end_object();
  return text;
}

}  // namespace

Result<void> check_export(Source const& source, ExportRequest const& request) {
  if (!request.is_reduced) return {};
  if (!request.format->has_edges) {
    return error_from(Violation{.code = Errc::invalid_params,
                                .rule = "reduced",
                                .path = "/reduced",
                                .seen = "true",
                                .message = std::string(request.format->name) +
                                           " has records or statements with their links, no edges to leave out"});
  }
  if (request.selection) return graph::check_reduction_size(request.selection->vertices().size());
  std::uint64_t nodes = 0;
  for (auto const& row : schema::record_types()) {
    if (row.is_node) nodes += source.view.snapshot.vertex_count(row.type);
  }
  return graph::check_reduction_size(nodes);
}

Result<ExportReport> write_export(Source const& source, ExportRequest const& request, schema::SinkFolder& folder,
                                  ExportProgress const& progress, schema::Interrupt const& interrupt) {
  if (auto const allowed = check_export(source, request); !allowed) return allowed.error();
  auto const& format = *request.format;
  Scan scan(source, request.selection ? &*request.selection : nullptr, interrupt);
  if (request.is_reduced) {
    if (auto const reduced = scan.leave_out_implied_edges(); !reduced) return reduced.error();
  }
  auto const counts = scan.count();
  Outcome outcome{.counts = counts,
                  .reduced_edges = scan.left_out_edges(),
                  .losses = {},
                  .hint = {},
                  .is_closed = scan.is_closed()};
  Files files(format, request.options, folder);
  auto const writer = format.make == nullptr ? nullptr : format.make(request.options);
  auto const tx = source.view.snapshot.tx();
  auto const written =
      writer ? write_graph(scan, *writer, counts, tx, files, progress) : write_lines(scan, tx, files, progress);
  if (!written) return written.error();
  if (writer) {
    outcome.losses = writer->losses();
    outcome.hint = writer->hint();
  }
  auto summaries = files.finish();
  auto manifest = manifest_of(source, request, outcome, summaries);
  return ExportReport{.files = std::move(summaries), .manifest = std::move(manifest)};
}

}  // namespace whence::exports
