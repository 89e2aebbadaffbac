#pragma once
// Walks over the exported part of a graph in the order that all formats share: nodes by first transaction and place in
// it, edges by transaction and ends. The log is read slice by slice, so that memory stays flat and no read transaction
// of the store stays open.

#include "queries/export/attribute.hpp"
#include "queries/export/graph_writer.hpp"
#include "queries/export/source.hpp"
#include "queries/render/forms.hpp"
#include "schema/base/poll.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace whence::exports {

/// May be walked any number of times; every walk visits the same items. Belongs to one thread.
class Scan {
 public:
  /// `selection` null: everything. The arguments outlive the scan.
  Scan(Source const& source, Selection const* selection, schema::Interrupt const& interrupt)
      : source_(source), selection_(selection), interrupt_(interrupt) {}

  /// From here on, `count` and `edges` leave out every influence edge that a longer path among the exported nodes
  /// implies. Fails with `limit_exceeded` as `graph::implied_edges` does, or as the interrupt demands.
  [[nodiscard]] Result<void> leave_out_implied_edges();

  /// The number of edges left out.
  [[nodiscard]] std::uint64_t left_out_edges() const noexcept { return left_out_.size(); }

  /// Counts nodes and edges; of a whole graph without reading the log.
  [[nodiscard]] Counts count() const;

  /// Whether no exported record refers to a node that is not exported.
  [[nodiscard]] bool is_closed() const;

  /// Visits the nodes of `types` (empty: all types). Fails with `corrupt`, or as the interrupt demands.
  [[nodiscard]] Result<void> nodes(schema::RecordTypeSet types, bool has_records,
                                   std::function<void(Node const&)> const& visit) const;

  [[nodiscard]] Result<void> edges(std::function<void(Edge const&)> const& visit) const;

  /// The log itself, one JSON object a line, up to the exported moment: `visit` gets some lines at a time, and the last
  /// transaction among them.
  [[nodiscard]] Result<void> lines(std::function<void(std::string& text, schema::TxId reached)> const& visit) const;

 private:
  [[nodiscard]] bool wants(schema::VertexId vertex) const;
  [[nodiscard]] bool wants(graph::DeltaEdge const& edge) const;
  [[nodiscard]] bool is_small() const;
  [[nodiscard]] Result<void> walk_log(std::function<bool(graph::Delta&&)> const& take,
                                      std::function<Result<void>()> const& after_slice) const;
  [[nodiscard]] Result<void> visit_nodes(std::vector<schema::VertexId> const& vertices, bool has_records,
                                         std::function<void(Node const&)> const& visit) const;
  void visit_edges(std::vector<queries::StoredEdge> const& edges, std::function<void(Edge const&)> const& visit) const;
  [[nodiscard]] Result<void> append_lines(graph::Delta&& delta, std::string& out) const;
  [[nodiscard]] std::vector<queries::StoredEdge> selected_edges() const;

  void rest() const;

  Source const& source_;
  Selection const* selection_;
  schema::Interrupt const& interrupt_;
  std::vector<schema::EdgeId> left_out_ = {};  // ascending
  mutable std::chrono::steady_clock::time_point rested_ = std::chrono::steady_clock::now();
};

}  // namespace whence::exports
