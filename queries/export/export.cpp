// Drives a format's passes over the exported part of the graph, and writes the manifest. Each pass is cut into slices
// of the walk, which several threads render; the texts are put together in the order of the walk.

#include "queries/export/export.hpp"

#include "graph/walks/reduction.hpp"
#include "queries/export/describe.hpp"
#include "queries/export/edge_rows.hpp"
#include "queries/export/log_lines.hpp"
#include "queries/export/scan.hpp"
#include "queries/export/slices.hpp"
#include "queries/export/walk.hpp"
#include "queries/export/zstd_sink.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/poll.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <utility>

namespace whence::exports {
namespace {

using schema::EdgeType;
using schema::json::Writer;

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
/// Of a text that waits for its turn, before its thread waits too.
constexpr std::size_t held_bytes_max = std::size_t{4} << 20;

void add(Losses& losses, Losses const& more) {
  for (auto const& [kind, count] : more) losses[kind] += count;
}

/// What the records of a document say, and an import makes otherwise.
void lose_by_import(Part& part, ChangedByImport const& changed) {
  part.lose("rank_changed", changed.ranks);
  part.lose("increment_changed", changed.increments);
  part.lose("act_edge_left_out", changed.act_edges);
  part.lose("edge_to_another", changed.to_others);
  part.lose("version_line_cut", changed.lines);
  part.lose("rating_left_out", changed.ratings);
}

/// Passes text on to the file it belongs to. Files are opened in the order of the format's table.
class Files {
 public:
  Files(Format const& format, FormatOptions const& options, schema::SinkFolder& folder)
      : format_(format), options_(options), folder_(folder) {}

  /// Makes `file` the current one.
  void select(std::size_t file) {
    while (current_ == nullptr || current_place_ < file) {
      close();
      std::size_t const place = next_++;
      current_ = open(format_.files[place]);
      current_place_ = place;
    }
  }

  /// Takes `text` away.
  void write(std::string& text) {
    if (!text.empty()) current_->write(text);
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

/// Counts the nodes and edges that were written. `count` may be called by several threads, the others by the exporting
/// thread.
class Meter {
 public:
  Meter(ExportProgress const& progress, std::uint64_t total) : progress_(progress), total_(total) { report(); }
  void count(std::uint64_t steps) { done_ += steps; }
  void set(std::uint64_t done) {
    done_ = done;
    report();
  }
  void report() {
    if (progress_) progress_(std::min(done_.load(), total_), total_);
  }

 private:
  ExportProgress const& progress_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_ = 0;
};

/// What all passes of an export work with.
struct Run {
  Scan& scan;
  Counts const& counts;
  Files& files;
  Meter& meter;
  schema::Interrupt const& interrupt;
  unsigned threads;
  EdgeDirection direction;

  /// Runs workers, and asks after each slice of the calling thread whether to go on.
  [[nodiscard]] Result<void> work(std::span<std::unique_ptr<SliceWorker> const> workers) const {
    schema::Poll poll(interrupt);
    return work_in_slices(workers, [&]() -> Result<void> {
      meter.report();
      if (poll.must_stop(schema::Poll::steps_between)) return poll.error();
      return {};
    });
  }
};

/// Lets a text out that grew large. False where it never can.
bool let_out(std::string& text, Turn& turn, Files& files) {
  if (text.size() < chunk_bytes) return true;
  if (!turn.has_come() && text.size() < held_bytes_max) return true;
  if (!turn.wait()) return false;
  files.write(text);
  return true;
}

/// One pass over the graph, as all of its workers see it.
struct PassRun {
  Run const& run;
  GraphWriter& writer;
  std::size_t number;
  Pass pass;
  std::uint64_t items = 0;                ///< in the slices taken so far; touched by the thread that takes one
  std::atomic<bool> is_complete = false;  ///< the rest would change nothing
};

/// What the workers on nodes and on edges have in common.
class PassWorker : public SliceWorker {
 public:
  explicit PassWorker(PassRun& pass) : pass_(pass), part_(pass.writer.new_part(pass.number)) {}

  [[nodiscard]] Part& part() noexcept { return *part_; }

  void finish() final {
    pass_.run.files.write(part_->text);
    pass_.writer.join(pass_.number, *part_);
    if (pass_.writer.is_complete(pass_.number)) pass_.is_complete = true;
    pass_.run.meter.count(size());
  }

 protected:
  /// Of the slice that was taken last.
  [[nodiscard]] virtual std::size_t size() const = 0;

  void begin_slice() {
    part_->place = pass_.items;
    pass_.items += size();
  }

  /// After an item; false where no more are to be visited.
  [[nodiscard]] bool end_item(Turn& turn) {
    ++part_->place;
    return let_out(part_->text, turn, pass_.run.files);
  }

  PassRun& pass_;
  std::unique_ptr<Part> part_;
};

class NodeWorker final : public PassWorker {
 public:
  NodeWorker(PassRun& pass, NodeWalk& walk) : PassWorker(pass), walk_(walk) {}

  [[nodiscard]] Result<bool> take() override {
    if (pass_.is_complete) return false;
    auto taken = walk_.next(slice_);
    if (!taken || !*taken) return taken;
    pass_.writer.see(pass_.number, slice_, pass_.items);
    begin_slice();
    return true;
  }

  [[nodiscard]] Result<void> make(Turn& turn) override {
    auto const& view = pass_.run.scan.view();
    auto const visit = [&] {
      pass_.writer.node(pass_.number, node_, *part_);
      return end_item(turn);
    };
    if (!pass_.pass.has_records) {
      for (auto const vertex : slice_) {
        describe(view.snapshot, vertex, node_);
        if (!visit()) break;
      }
      return {};
    }
    Result<void> described;
    auto const read = queries::read_whole(view, slice_, [&](std::size_t i, graph::Said&& said) {
      describe(view.snapshot, slice_[i], node_);
      if (auto* const record = said.find()) {
        described = take_record(view, *record, pass_.pass.has_json, pass_.pass.is_shortened, node_);
        if (pass_.pass.has_json || pass_.pass.is_shortened) part_->lose("deleted_reference_left_out", node_.left_out);
        lose_by_import(*part_, node_.changed);
      }
      return described && visit();
    });
    return described ? read : described;
  }

 private:
  [[nodiscard]] std::size_t size() const override { return slice_.size(); }

  NodeWalk& walk_;
  std::vector<schema::VertexId> slice_ = {};
  Node node_ = {};
};

class EdgeWorker final : public PassWorker {
 public:
  EdgeWorker(PassRun& pass, EdgeWalk& walk) : PassWorker(pass), walk_(walk), rows_(pass.run.scan.view()) {}

  [[nodiscard]] Result<bool> take() override {
    if (pass_.is_complete) return false;
    auto taken = walk_.next(slice_);
    if (taken && *taken) begin_slice();
    return taken;
  }

  [[nodiscard]] Result<void> make(Turn& turn) override {
    rows_.set(slice_);
    rows_.for_each([&](Edge const& edge) {
      if (pass_.run.direction == EdgeDirection::influence && is_against(edge)) {
        Edge turned = edge;
        std::swap(turned.from_vertex, turned.to_vertex);
        std::swap(turned.from, turned.to);
        pass_.writer.edge(pass_.number, turned, *part_);
      } else {
        pass_.writer.edge(pass_.number, edge, *part_);
      }
      return end_item(turn);
    });
    return {};
  }

 private:
  [[nodiscard]] std::size_t size() const override { return slice_.edges.size(); }
  /// Whether it is stored from the effect to the cause.
  static bool is_against(Edge const& edge) {
    return schema::influence_of(edge.type, edge.from_type) == schema::Influence::against;
  }

  EdgeWalk& walk_;
  EdgeSlice slice_ = {};
  EdgeRows rows_;
};

std::uint64_t nodes_of(Pass const& pass, Counts const& counts) {
  if (pass.types.empty()) return counts.all_nodes();
  std::uint64_t nodes = 0;
  for (auto const& row : schema::record_types()) {
    if (pass.types.contains(row.type)) nodes += counts.of(row.type);
  }
  return nodes;
}

/// At most; edges of one type may belong to several passes.
std::uint64_t edges_of(Pass const& pass, Counts const& counts) {
  std::uint64_t edges = 0;
  for (std::size_t i = 1; i < counts.edges.size(); ++i) {
    auto const takes_from = [&](schema::RecordTypeInfo const& row) {
      return counts.of(row.type) > 0 && (!pass.takes || pass.takes(static_cast<EdgeType>(i), row.type));
    };
    if (counts.edges[i] > 0 && std::ranges::any_of(schema::record_types(), takes_from)) edges += counts.edges[i];
  }
  return edges;
}

std::uint64_t steps_of(Pass const& pass, Counts const& counts) {
  switch (pass.over) {
    case Pass::Over::nodes:
      return nodes_of(pass, counts);
    case Pass::Over::edges:
      return edges_of(pass, counts);
    case Pass::Over::nothing:
      break;
  }
  return 0;
}

/// As many as have work.
std::size_t workers_for(PassRun const& pass, std::uint64_t steps) {
  if (pass.pass.is_in_order) return 1;
  auto const slices = 1 + steps / (pass.pass.over == Pass::Over::nodes ? slice_nodes : slice_edges);
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::max(pass.run.threads, 1U), slices));
}

template <class Worker, class Walk>
Result<void> visit_items(PassRun& pass, Walk walk, std::uint64_t steps, Losses& losses) {
  std::vector<std::unique_ptr<SliceWorker>> workers;
  for (auto left = workers_for(pass, steps); left > 0; --left) workers.push_back(std::make_unique<Worker>(pass, walk));
  auto done = pass.run.work(workers);
  for (auto const& worker : workers) add(losses, static_cast<Worker&>(*worker).part().losses);
  return done;
}

Result<void> run_pass(PassRun& pass, Losses& losses) {
  auto const& run = pass.run;
  std::string text;
  pass.writer.begin_pass(pass.number, text);
  run.files.write(text);
  auto const steps = steps_of(pass.pass, run.counts);
  if (steps > 0) {
    auto visited = pass.pass.over == Pass::Over::nodes
                       ? visit_items<NodeWorker>(pass, NodeWalk(run.scan, run.counts, pass.pass.types), steps, losses)
                       : visit_items<EdgeWorker>(pass, EdgeWalk(run.scan, pass.pass.takes), steps, losses);
    if (!visited) return visited;
  }
  auto const last = pass.writer.new_part(pass.number);
  pass.writer.end_pass(pass.number, *last);
  run.files.write(last->text);
  add(losses, last->losses);
  return {};
}

Result<void> write_graph(Run const& run, GraphWriter& writer, std::vector<Pass> const& passes, Losses& losses) {
  std::uint64_t steps = 0;
  for (std::size_t number = 0; number < passes.size(); ++number) {
    run.files.select(passes[number].file);
    // A pass over no items still writes its begin and end.
    PassRun pass{.run = run, .writer = writer, .number = number, .pass = writer.passes()[number]};
    if (auto done = run_pass(pass, losses); !done) return done;
    run.meter.set(steps += steps_of(passes[number], run.counts));
  }
  return {};
}

/// Lines of the log. Progress is counted in transactions.
class LineWorker final : public SliceWorker {
 public:
  LineWorker(Run const& run, LogReader& log) : run_(run), log_(log) {}

  [[nodiscard]] Result<bool> take() override {
    deltas_.clear();
    run_.scan.rest();
    std::size_t size = 0;
    return log_.read([&](graph::Delta&& delta) {
      size += delta.events.size() + delta.edges.size();
      deltas_.push_back(std::move(delta));
      return size < slice_edges;
    });
  }

  [[nodiscard]] Result<void> make(Turn& turn) override {
    for (auto& delta : deltas_) {
      auto appended = append_lines(run_.scan.source(), run_.scan.selection(), std::move(delta), text_);
      if (!appended) return appended;
      if (!let_out(text_, turn, run_.files)) break;
    }
    return {};
  }

  void finish() override {
    run_.files.write(text_);
    run_.meter.count(deltas_.size());
  }

 private:
  Run const& run_;
  LogReader& log_;
  std::vector<graph::Delta> deltas_ = {};
  std::string text_ = {};
};

Result<void> write_lines(Run const& run) {
  run.files.select(0);
  LogReader log(run.scan);
  std::vector<std::unique_ptr<SliceWorker>> workers;
  for (auto left = std::max(run.threads, 1U); left > 0; --left)
    workers.push_back(std::make_unique<LineWorker>(run, log));
  return run.work(workers);
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
  out.end_object();
  return text;
}

/// What a format has no place for would be without effect.
Error without_place(Format const& format, std::string_view rule, std::string path, std::string seen,
                    std::string_view why) {
  return error_from(Violation{.code = Errc::invalid_params,
                              .rule = std::string(rule),
                              .path = std::move(path),
                              .seen = std::move(seen),
                              .message = std::string(format.name).append(why)});
}

Result<void> check_options(Format const& format, FormatOptions const& options) {
  if (options.direction != EdgeDirection::stored && !format.has_edges) {
    return without_place(format, "direction", "/options/direction", "influence",
                         " has records or statements with their links, no edges to turn round");
  }
  if (options.formulas != Formulas::keep && !format.has_cells) {
    return without_place(format, "formulas", "/options/formulas", "escape",
                         " is no table: no spreadsheet runs its texts");
  }
  return {};
}

}  // namespace

Result<void> check_export(Source const& source, ExportRequest const& request) {
  auto const& format = *request.format;
  if (auto const has_place = check_options(format, request.options); !has_place) return has_place.error();
  if (!request.is_reduced) return {};
  if (!format.has_edges) {
    return without_place(format, "reduced", "/reduced", "true",
                         " has records or statements with their links, no edges to leave out");
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
  Outcome outcome{
      .counts = counts, .reduced_edges = scan.left_out_edges(), .losses = {}, .is_closed = scan.is_closed()};
  Files files(format, request.options, folder);
  auto const writer = format.make == nullptr ? nullptr : format.make(request.options);
  auto const passes = writer ? writer->passes() : std::vector<Pass>{};
  std::uint64_t total = writer ? 0 : schema::number(source.view.snapshot.tx());
  for (auto const& pass : passes) total += steps_of(pass, counts);
  Meter meter(progress, total);
  Run const run{.scan = scan,
                .counts = counts,
                .files = files,
                .meter = meter,
                .interrupt = interrupt,
                .threads = std::min(request.threads, threads_max),
                .direction = request.options.direction};
  if (writer) writer->begin(counts, source.view.snapshot.tx());
  auto const written = writer ? write_graph(run, *writer, passes, outcome.losses) : write_lines(run);
  if (!written) return written.error();
  meter.set(total);
  auto summaries = files.finish();
  auto manifest = manifest_of(source, request, outcome, summaries);
  return ExportReport{.files = std::move(summaries), .manifest = std::move(manifest)};
}

}  // namespace whence::exports
