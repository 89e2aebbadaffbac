// The graph's image is the content of the store's checkpoint.

#include "engine/checkpoint/checkpoints.hpp"

#include "engine/checkpoint/checkpoint_sink.hpp"
#include "engine/checkpoint/read_graph.hpp"
#include "engine/writer/apply.hpp"
#include "graph/image/image.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace whence::engine {
namespace {

using schema::TxId;

constexpr std::chrono::seconds look_interval{5};
constexpr std::uint64_t last_edges_min = 100'000;           // a last one: what a start replays in 30 ms or more
constexpr std::uint64_t transactions_per_publish = 10'000;  // bounds what the graph keeps for taking back

class MappedImage final : public graph::ImageMemory {
 public:
  explicit MappedImage(store::MappedCheckpoint mapped) : mapped_{std::move(mapped)} {}
  [[nodiscard]] std::span<std::byte> bytes() const noexcept override { return mapped_.bytes(); }

 private:
  store::MappedCheckpoint mapped_;
};

/// Replays what comes after `start`. Returns how many transactions that were.
Result<std::uint64_t> replay(store::Store const& store, graph::Graph& graph, store::ReplayStart const& start) {
  std::uint64_t count = 0;
  auto const replayed = store.replay(
      [&](store::ReplayedCommit const& commit) {
        apply_logged(graph, commit);
        if (++count % transactions_per_publish == 0) graph.publish();
      },
      start);
  if (!replayed) return replayed.error();
  graph.publish();
  return count;
}

/// The moment that a snapshot shows.
store::ReplayStart moment_of(graph::Snapshot const& snapshot) {
  store::ReplayStart moment{.tx = snapshot.tx(), .vertices = snapshot.vertex_count()};
  for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) {
    moment.revisions += snapshot.contents_count(schema::VertexId{v}) - 1;
  }
  return moment;
}

struct FromCheckpoint {
  graph::Graph graph;
  store::ReplayStart start;
};

/// The graph of the checkpoint, or why it is not to be had.
Result<FromCheckpoint> graph_of_checkpoint(store::Store const& store) {
  Result<store::MappedCheckpoint> mapped = store.find_checkpoint(store::CheckpointOf::graph, graph::image_layout());
  if (!mapped) return mapped.error();
  store::ReplayStart const start{
      .tx = mapped->head().tx, .vertices = mapped->head().vertices, .revisions = mapped->head().revisions};
  auto graph = graph::Graph::from_image(std::make_unique<MappedImage>(std::move(*mapped)));
  auto const is_same =
      graph && graph->snapshot().tx() == start.tx && graph->snapshot().vertex_count() == start.vertices;
  if (!is_same) return Error{Errc::corrupt, "the checkpoint holds something else than its head says"};
  return FromCheckpoint{std::move(*graph), start};
}

}  // namespace

Result<graph::Graph> read_graph(store::Store const& store) {
  try {
    auto found = graph_of_checkpoint(store);
    if (found && replay(store, found->graph, found->start)) return std::move(found->graph);
  } catch (std::system_error const&) {  // no room for the map, a file that does not read: the log has everything
  }
  graph::Graph graph;
  auto const replayed = replay(store, graph, {});
  if (!replayed) return replayed.error();
  return graph;
}

Result<graph::Graph> Checkpoints::start() {
  auto const begin = std::chrono::steady_clock::now();
  auto const finish = [&](graph::Graph graph, std::uint64_t replayed) -> Result<graph::Graph> {
    counts_.replayed = replayed;
    counts_.start_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return graph;
  };
  try {
    Result<FromCheckpoint> found = graph_of_checkpoint(store_);
    if (found) {
      auto const edges = found->graph.snapshot().edge_count();
      auto const replayed = replay(store_, found->graph, found->start);
      if (replayed) {
        counts_.tx = counts_.started_from = found->start.tx;
        edges_covered_ = edges;
        return finish(std::move(found->graph), *replayed);
      }
      // Whether that is the log's or the checkpoint's fault shows when the whole log is replayed.
      counts_.refused = replayed.error().message;
    } else if (found.error().code != Errc::not_found) {
      counts_.refused = found.error().message;
    }
    if (counts_.refused) store_.remove_checkpoint(store::CheckpointOf::graph);
  } catch (std::system_error const& failed) {  // no room for the map, a file that does not read
    counts_.refused = failed.what();
  }
  graph::Graph graph;
  auto const replayed = replay(store_, graph, {});
  if (!replayed) return replayed.error();
  return finish(std::move(graph), *replayed);
}

Result<store::CheckpointFigures> Checkpoints::make(std::stop_token const& stop) {
  std::scoped_lock const alone{making_};
  auto const snapshot = graph_.snapshot();
  if (snapshot.tx() == TxId{0}) return Error{Errc::not_found, "there is no transaction"};
  auto const fill = [&](store::CheckpointWriter& writer) {
    CheckpointSink sink{writer, stop};
    return graph::write_image(snapshot, sink);
  };
  auto const made =
      store_.make_checkpoint(store::CheckpointOf::graph, graph::image_layout(), moment_of(snapshot), fill);
  std::scoped_lock const lock{mutex_};
  if (!made) {
    ++counts_.failed;
    return made.error();
  }
  if (!*made) return Error{Errc::cancelled, "the checkpoint was given up"};
  ++counts_.made;
  counts_.tx = snapshot.tx();
  edges_covered_ = snapshot.edge_count();
  return **made;
}

void Checkpoints::keep(CheckpointReport report) {
  if (edges_min_ == 0) return;
  thread_.start([this, report = std::move(report)](std::stop_token const& stop) {
    ++failures_;  // until it has come to its end
    bool const is_made = !has_grown(edges_min_, growth_share) || try_to_make(stop, report);
    if (is_made) failures_ = 0;
    // After failures it looks less and less often: up to every hour and a half.
    auto const pause = look_interval * (std::uint64_t{1} << std::min<std::uint64_t>(failures_, 10));
    schema::WokenThread::Sleep sleep{.least = pause};
    if (!is_made) sleep.most = pause;
    return sleep;
  });
}

void Checkpoints::finish(CheckpointReport const& report) {
  stop();
  if (edges_min_ != 0 && has_grown(last_edges_min, last_growth_share)) try_to_make({}, report);
}

bool Checkpoints::has_grown(std::uint64_t edges_min, std::uint64_t share) const {
  auto const edges = graph_.snapshot().edge_count();
  std::scoped_lock const lock{mutex_};
  return edges >= edges_covered_ + edges_min && edges >= edges_covered_ + edges_covered_ / share;
}

bool Checkpoints::try_to_make(std::stop_token const& stop, CheckpointReport const& report) {
  Result<store::CheckpointFigures> made = Error{Errc::internal_error, {}};
  try {
    made = make(stop);
  } catch (std::exception const& failed) {
    made = Error{Errc::internal_error, std::string{"no checkpoint could be made: "} + failed.what()};
    std::scoped_lock const counting{mutex_};
    ++counts_.failed;
  }
  if (report && !stop.stop_requested()) report(made);
  return made.has_value();
}

CheckpointCounts Checkpoints::counts() const {
  std::scoped_lock const lock{mutex_};
  return counts_;
}

}  // namespace whence::engine
