#pragma once
// How a transaction changes the graph: its vertices, its edges, and the state of the units they affect. Live writes
// and the replay at start-up both use this code, so a reopened store equals the one that was closed.

#include "graph/graph.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "store/rows/graph_row.hpp"
#include "store/values/commit.hpp"

#include <span>
#include <vector>

namespace whence::engine {

/// One transaction, as it was planned or as it was logged.
struct Transaction {
  schema::TxId tx;
  schema::Time at;
  std::span<store::VertexRow const> rows;  ///< in order of their numbers; edges may name a later row's vertex
  std::span<store::RevisionRow const> revisions = {};  ///< of vertices known before, or of `rows`
  std::span<schema::VertexId const> hidden = {};       ///< known before
  std::span<schema::VertexId const> expired = {};      ///< known before: their contents go
  std::span<schema::VertexId const> purged = {};       ///< likewise
};

/// Applies a transaction that is happening now. Returns the units it deprecated, in the order in which their scores
/// fell below `deprecate_below`, for the log. One that rises again within the transaction is deprecated too: replay
/// would otherwise have to know the place of the feedback.
[[nodiscard]] std::vector<schema::VertexId> apply(graph::Graph& graph, Transaction const& transaction,
                                                  double deprecate_below);

/// Applies a transaction from the log. Deprecations are taken from there, never decided again, so that a changed
/// threshold does not rewrite history.
void apply_logged(graph::Graph& graph, Transaction const& transaction, std::span<schema::VertexId const> deprecated);
void apply_logged(graph::Graph& graph, store::ReplayedCommit const& commit);

}  // namespace whence::engine
