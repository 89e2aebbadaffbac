#pragma once
// The thread that reads new records into the columns of indexed fields.

#include "graph/columns/field_columns.hpp"
#include "graph/graph.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/threads/thread_guard.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace whence::engine {

/// The columns of one engine, brought up to date after each publication of its graph, behind all other work. A read
/// that fails is tried again at the next publication; until then queries read those records themselves, and fail.
class ColumnKeeper {
 public:
  /// Both outlive it.
  ColumnKeeper(graph::Graph const& graph, schema::RecordReader const& records, schema::TroubleReport report = {})
      : graph_{graph},
        records_{records},
        guard_{std::move(report), "columns", "queries read these records themselves until it is tried again"} {}
  ~ColumnKeeper() { stop(); }

  /// Starts the thread. Once.
  void start();
  /// Ends it, in the middle of its work.
  void stop();
  /// Something was published. Any thread; cheap.
  void wake();

  [[nodiscard]] graph::FieldColumns const& columns() const noexcept { return columns_; }

 private:
  void keep(std::stop_token const& stop);

  graph::Graph const& graph_;
  schema::RecordReader const& records_;
  graph::FieldColumns columns_;
  std::mutex sleeping_;
  bool is_behind_ = true;  // under `sleeping_`
  std::condition_variable_any wakes_;
  schema::ThreadGuard guard_;  // of the thread
  std::jthread thread_;        // last: it ends first
};

}  // namespace whence::engine
