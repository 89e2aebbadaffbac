#pragma once
// The thread that reads new records into the columns of indexed fields.

#include "graph/columns/field_columns.hpp"
#include "graph/graph.hpp"
#include "schema/threads/woken_thread.hpp"
#include "store/log/store.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <utility>

namespace whence::engine {

/// The columns of one engine, brought up to date after each publication of its graph, behind all other work. A read
/// that fails is tried again at the next publication; until then queries read those records themselves, and fail. Of
/// failures in a row the first is reported.
///
/// Columns of many rows are kept beside the store too, so that the next start need not read all records: while they
/// grow, and when the engine ends. Whatever removes contents removes that file.
class ColumnKeeper {
 public:
  /// Both outlive it. No checkpoint is made below `rows_min` rows; 0: never.
  ColumnKeeper(graph::Graph const& graph, store::Store const& store, std::uint64_t rows_min,
               schema::TroubleReport report = {})
      : graph_{graph},
        store_{store},
        rows_min_{rows_min},
        report_{report},
        thread_{std::move(report), "columns", "queries read these records themselves until it is tried again"} {}

  /// Takes the checkpoint, so that the first search finds it, and starts the thread. Once. O(rows of the checkpoint).
  void start();
  /// Ends it, in the middle of its work.
  void stop() { thread_.stop(); }
  /// Ends it, and makes a last checkpoint where a 64th of the rows is new. After the last write.
  void finish();
  /// Something was published. Any thread; cheap.
  void wake() { thread_.wake(); }

  [[nodiscard]] graph::FieldColumns const& columns() const noexcept { return columns_; }
  /// Checkpoints made, and attempts that failed. Any thread.
  [[nodiscard]] std::uint64_t made() const noexcept { return made_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

 private:
  /// Reports `error` where `is_told` does not say that it was.
  void tell(Error const& error, std::string_view goes_on, bool& is_told) const;
  void take_checkpoint();
  /// Follows, and makes a checkpoint where one in `share` of the rows is new since the last one.
  void follow(std::uint64_t share, std::stop_token const& stop);
  void make_checkpoint(graph::Snapshot const& snapshot, std::uint64_t rows, std::stop_token const& stop);

  graph::Graph const& graph_;
  store::Store const& store_;
  graph::FieldColumns columns_;
  std::uint64_t const rows_min_;
  schema::TroubleReport const report_;
  std::atomic<std::uint64_t> made_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  bool is_reading_told_ = false;  // of the thread, as the next four
  bool is_writing_told_ = false;
  std::uint64_t rows_kept_ = 0;  // rows in the checkpoint that is there
  std::uint64_t rows_lost_ = 0;  // texts of so many rows had gone when it was made
  std::chrono::steady_clock::time_point next_attempt_ = {};
  schema::WokenThread thread_;  // last: it ends first
};

}  // namespace whence::engine
