#pragma once
// Boost.Graph's algorithms over all that the moment knows, for analysts.

#include "queries/cypher/state/procedures.hpp"

#include <vector>

namespace whence::net {

/// `whence.graph.pagerank`, `whence.graph.components`: over the visible nodes and the edges with influence. O(nodes +
/// edges), for ranks times their 20 rounds; 40 bytes a node, which the query must have left (else `limit_exceeded`).
/// Between two rounds they end with the query's time.
[[nodiscard]] std::vector<queries::cypher::Procedure> graph_procedures();

}  // namespace whence::net
