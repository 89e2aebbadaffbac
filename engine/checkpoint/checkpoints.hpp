#pragma once
// Starting from a checkpoint instead of the whole log, and making checkpoints as the log grows.

#include "engine/checkpoint/checkpoint_figures.hpp"
#include "graph/graph.hpp"
#include "schema/base/error.hpp"
#include "schema/threads/woken_thread.hpp"
#include "store/log/store.hpp"

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <utility>

namespace whence::engine {

/// The checkpoints of one engine. `start` comes first, alone; what follows may be called from any thread.
class Checkpoints {
 public:
  /// Both outlive it. A checkpoint is made after the graph has grown by `edges_min` edges and by an eighth; 0: never.
  /// `trouble`: of what the thread could not do.
  Checkpoints(store::Store const& store, graph::Graph const& graph, std::uint64_t edges_min,
              schema::TroubleReport trouble = {})
      : store_{store},
        graph_{graph},
        edges_min_{edges_min},
        thread_{std::move(trouble), "checkpoints", "one is made later; a start takes longer"} {}

  /// The published graph of everything the store holds: the checkpoint and what the log has after it, or the whole log
  /// where there is none to be used; then that is removed. Fails as `store::Store::replay`.
  [[nodiscard]] Result<graph::Graph> start();

  /// Makes a checkpoint of the graph as it is now. Nothing changes where one of this moment is there, where there is no
  /// transaction, or where `stop` is requested meanwhile (`cancelled`). O(graph). Fails with `storage_full`; throws
  /// std::system_error.
  [[nodiscard]] Result<store::CheckpointFigures> make(std::stop_token const& stop = {});

  /// From now on makes them on a thread of its own, and calls `report` there after each attempt.
  void keep(CheckpointReport report);
  /// Ends `keep`; an attempt that is on its way is given up.
  void stop() { thread_.stop(); }
  /// Something was published. Cheap.
  void wake() { thread_.wake(); }

  /// Ends `keep`, and makes a last one where a start would replay 100,000 edges and a 64th of all.
  void finish(CheckpointReport const& report);

  [[nodiscard]] CheckpointCounts counts() const;

 private:
  /// One attempt, reported to `report` unless `stop` ended it. Whether it came to a checkpoint.
  bool try_to_make(std::stop_token const& stop, CheckpointReport const& report);
  /// Whether the graph has grown by `edges_min` edges, and by one in `share` of all, since the last one.
  [[nodiscard]] bool has_grown(std::uint64_t edges_min, std::uint64_t share) const;

  store::Store const& store_;
  graph::Graph const& graph_;
  std::uint64_t const edges_min_;
  std::mutex making_;  // one at a time
  mutable std::mutex mutex_;
  CheckpointCounts counts_;          // under `mutex_`, as the next
  std::uint64_t edges_covered_ = 0;  // of the last checkpoint
  std::uint64_t failures_ = 0;       // in a row; of the thread
  schema::WokenThread thread_;       // last: it ends first
};

}  // namespace whence::engine
