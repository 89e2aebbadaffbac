#pragma once
// lineage.ancestors and lineage.descendants: what a node was made from, and what was made from it.

#include "graph/walks/walk.hpp"
#include "queries/lineage/member_edge.hpp"
#include "queries/lineage/params.hpp"
#include "queries/lineage/ranked_node.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace whence::queries {

/// The ancestors or the descendants of one node.
struct Lineage {
  VertexId start;
  /// By depth, then weight (largest first), then ref; `value` is the largest product of weights over all paths within
  /// the limits.
  std::vector<RankedNode> nodes = {};
  /// Of the descendants of a column, by the number of a version: those of its columns that rest on it.
  std::map<std::uint32_t, std::set<std::string>> columns = {};
  /// The walked edges with both ends among the nodes and the start: those that the walk met at a node nearer than the
  /// depth. Empty for the form `nodes`. Places count the nodes, then the start.
  std::vector<MemberEdge> edges = {};
  /// The deleted nodes that the walk would have met, whatever is filtered; by ref, each ref once.
  std::vector<VertexId> dangling = {};
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Filters choose the nodes that are returned, never those that are walked. Fails with `not_found` at "/ref", or as the
/// interrupt says. O(V + E) of the part reached plus sorting.
[[nodiscard]] Result<Lineage> lineage_ancestors(View const& view, LineageParams const& params, Budget const& budget);
[[nodiscard]] Result<Lineage> lineage_descendants(View const& view, LineageParams const& params, Budget const& budget);

/// The start and the nodes.
[[nodiscard]] std::vector<VertexId> shown_vertices(Lineage const& lineage);

}  // namespace whence::queries
