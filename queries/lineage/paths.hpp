#pragma once
// lineage.path: how a cause influenced an effect, edge by edge.

#include "graph/walks/walk.hpp"
#include "queries/lineage/params.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

/// Influence paths between two nodes.
struct LineagePaths {
  VertexId from;
  VertexId to;
  graph::PathKind kind;
  schema::EdgeTypeSet edge_types = schema::EdgeTypeSet::all();  ///< walked
  std::vector<graph::Path> paths = {};  ///< in the order of `graph::find_paths`; one at most, but for `all`
  /// Where asked for: what every path passes through, paths beyond the limit too, as `graph::dominators_between`.
  std::optional<std::vector<VertexId>> dominators = {};
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// The first `limit` paths for `all`, else the best one. The order is total, so a longer list begins with the same
/// paths. Fails with `not_found` at "/from" or "/to", or as the interrupt says. Complexity as of `graph::find_paths`.
[[nodiscard]] Result<LineagePaths> lineage_path(View const& view, PathParams const& params, std::uint32_t limit,
                                                Budget const& budget);

/// Both ends and every vertex on a path: for `all` on any path there is, found without listing paths, in O(V + E) of
/// the part between. Fails as the interrupt says.
[[nodiscard]] Result<std::vector<VertexId>> shown_vertices(LineagePaths const& found, Snapshot const& snapshot,
                                                           schema::Interrupt const& interrupt);

}  // namespace whence::queries
