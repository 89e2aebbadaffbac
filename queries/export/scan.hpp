#pragma once
// The exported part of a graph: which nodes and edges it has, and how many.

#include "queries/export/graph_writer.hpp"
#include "queries/export/source.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace whence::exports {

/// `const` members may be called by several threads at the same time, but for `rest`.
class Scan {
 public:
  /// `selection` null: everything. The arguments outlive the scan.
  Scan(Source const& source, Selection const* selection, schema::Interrupt const& interrupt)
      : source_(source), selection_(selection), interrupt_(interrupt) {}

  /// From here on, `count` and `wants` leave out every influence edge that a longer path among the exported nodes
  /// implies. Fails with `limit_exceeded` as `graph::implied_edges` does, or as the interrupt demands.
  [[nodiscard]] Result<void> leave_out_implied_edges();

  /// The number of edges left out.
  [[nodiscard]] std::uint64_t left_out_edges() const noexcept { return left_out_.size(); }

  /// Counts nodes and edges; of a whole graph without reading the log.
  [[nodiscard]] Counts count() const;

  /// Whether no exported record refers to a node that is not exported.
  [[nodiscard]] bool is_closed() const;

  [[nodiscard]] Source const& source() const noexcept { return source_; }
  [[nodiscard]] queries::View const& view() const noexcept { return source_.view; }
  [[nodiscard]] Selection const* selection() const noexcept { return selection_; }
  [[nodiscard]] bool wants(schema::VertexId vertex) const;
  [[nodiscard]] bool wants(graph::DeltaEdge const& edge) const;

  /// Calls the source's `rest`, a hundred milliseconds after the last time at the earliest: it releases the pages of
  /// the store, which would otherwise count as memory of the process.
  void rest();

 private:
  Source const& source_;
  Selection const* selection_;
  schema::Interrupt const& interrupt_;
  std::vector<schema::EdgeId> left_out_ = {};  // ascending
  std::chrono::steady_clock::time_point rested_ = std::chrono::steady_clock::now();
};

}  // namespace whence::exports
