#pragma once
// lineage.graph: the surroundings of a node in both directions, for showing them as a picture.

#include "graph/walks/walk.hpp"
#include "queries/lineage/member_edge.hpp"
#include "queries/lineage/params.hpp"
#include "queries/lineage/ranked_node.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

/// A node of a graph that has neighbours outside it.
struct FrontierNode {
  VertexId vertex;
  std::uint64_t causes;   ///< how many are outside; where relations are shown, with those it belongs to
  std::uint64_t effects;  ///< how many are outside; where relations are shown, with its parts
};

/// The nearest nodes around a start, all influence edges (asked for, also relations) among them, and the nodes beyond
/// which there is more.
struct LineageGraph {
  /// The start, then by depth, weight (largest first) and ref, both directions together; `value` is the weight.
  std::vector<RankedNode> nodes = {};
  std::vector<MemberEdge> edges = {};               ///< places count `nodes`
  std::vector<FrontierNode> frontier = {};          ///< in the order of `nodes`
  std::optional<std::uint64_t> reduced_edges = {};  ///< where a reduction was asked for: how many edges it left out
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// At most `limit` nodes. Fails with `not_found` at "/ref", or as the interrupt says; where a reduction was asked for
/// also as `graph::implied_edges`. O(V + E) of the part reached, besides the reduction.
[[nodiscard]] Result<LineageGraph> lineage_graph(View const& view, LineageGraphParams const& params,
                                                 std::uint32_t limit, Budget const& budget);

/// The nodes.
[[nodiscard]] std::vector<VertexId> shown_vertices(LineageGraph const& graph);

}  // namespace whence::queries
