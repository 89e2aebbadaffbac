#pragma once
// PageRank over all that a moment knows.

#include "graph/boost/snapshot_graph.hpp"
#include "schema/base/interrupt.hpp"

#include <cstdint>
#include <vector>

namespace whence::graph {

enum class RankTo : std::uint8_t { effects, causes };

struct Ranking {
  std::vector<double> ranks;               ///< by the number of the node; together 1
  schema::Stop stop = schema::Stop::none;  ///< where it is another, there are no ranks
};

/// Boost.Graph's page_rank, damping 0.85, 20 rounds: rank goes from causes to their effects, or from effects to what
/// they rest on. Asks `interrupt` before each round. O((nodes + edges) × 20).
[[nodiscard]] Ranking rank_nodes(SnapshotGraph const& graph, RankTo to, schema::Interrupt const& interrupt);

/// Which connected component a node is in, whatever the direction of the edges, and how many nodes that has.
struct Component {
  std::uint32_t number;  ///< 1 is the largest; of equal ones that with the first node comes first
  std::uint32_t size;
};

/// By the number of the node. O(nodes + edges).
[[nodiscard]] std::vector<Component> find_components(SnapshotGraph const& graph);

}  // namespace whence::graph
