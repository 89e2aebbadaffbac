#pragma once
// Walks over the exported part of a graph in the order that all formats share, cut into slices: nodes by first
// transaction and place in it, edges by transaction and ends. The log is read slice by slice, so that memory stays flat
// and no read transaction of the store stays open.

#include "queries/export/scan.hpp"
#include "queries/view/stored_edge.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace whence::exports {

inline constexpr std::size_t slice_nodes = 1024;
inline constexpr std::size_t slice_edges = 8192;  ///< about: whole transactions

/// Reads the log of a scan up to its moment, some transactions at a time.
class LogReader {
 public:
  explicit LogReader(Scan& scan) : scan_(scan) {}

  /// Calls `take` for the next transactions until it returns false, or for as many as a read transaction of the store
  /// may stay open. False at the end of the log. Fails with `corrupt`.
  [[nodiscard]] Result<bool> read(std::function<bool(graph::Delta&&)> const& take);

 private:
  Scan& scan_;
  schema::TxId next_{1};
};

/// The nodes of some types.
class NodeWalk {
 public:
  /// `types` empty: all of them. `counts` are those of the scan.
  NodeWalk(Scan& scan, Counts const& counts, schema::RecordTypeSet types);

  /// Puts the next nodes into `slice`; there may be none yet. False at the end. Fails with `corrupt`.
  [[nodiscard]] Result<bool> next(std::vector<schema::VertexId>& slice);

 private:
  [[nodiscard]] bool wants(schema::VertexId vertex) const;
  [[nodiscard]] bool take(graph::Delta const& delta, std::vector<schema::VertexId>& slice) const;
  [[nodiscard]] bool next_by_number(std::vector<schema::VertexId>& slice);
  [[nodiscard]] Result<bool> next_selected(std::vector<schema::VertexId>& slice);

  Scan& scan_;
  schema::RecordTypeSet types_;
  bool is_by_number_;
  std::size_t next_number_ = 0;              // of a vertex, or a place in the selection
  std::vector<schema::TxId> selected_ = {};  // that made the nodes of a small selection, ascending
  std::size_t next_selected_ = 0;
  LogReader log_;
};

/// Edges of whole transactions, in no order within each.
struct EdgeSlice {
  struct Transaction {
    schema::TxId tx;
    std::size_t end;  ///< in `edges`, behind its last
  };

  void clear() {
    edges.clear();
    transactions.clear();
  }

  std::vector<queries::StoredEdge> edges = {};
  std::vector<Transaction> transactions = {};  ///< one after the other; those without edges may be missing
};

class EdgeWalk {
 public:
  /// `takes` as in `Pass`.
  EdgeWalk(Scan& scan, std::function<bool(schema::EdgeType, schema::RecordType)> takes);

  /// As `NodeWalk::next`.
  [[nodiscard]] Result<bool> next(EdgeSlice& slice);

 private:
  [[nodiscard]] bool wants(graph::DeltaEdge const& edge) const;
  void select();

  Scan& scan_;
  std::function<bool(schema::EdgeType, schema::RecordType)> takes_;
  std::vector<queries::StoredEdge> selected_ = {};  // of a small selection, in the order of their numbers
  std::size_t next_selected_ = 0;
  LogReader log_;
};

/// Whether the selection, if there is one, is small enough to be looked up, instead of searching the whole log.
[[nodiscard]] bool is_small(Selection const* selection);

}  // namespace whence::exports
