#pragma once
// lineage.diff: how the ancestry of one node differs from another's, or from its own at another moment.

#include "graph/walks/walk.hpp"
#include "queries/incomplete.hpp"
#include "queries/lineage/params.hpp"
#include "queries/lineage/ranked_node.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"

#include <vector>

namespace whence::queries {

/// A node that both sides have, with different weights.
struct Reweighted {
  VertexId vertex;
  double before;
  double after;
};

/// Each list by ref. Vertices are those of the view, also where the sides are earlier moments.
struct LineageDifference {
  std::vector<RankedNode> added = {};    ///< as of the second side
  std::vector<RankedNode> removed = {};  ///< as of the first side
  std::vector<Reweighted> reweighted = {};
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Compares the ancestors of `a` with those of `b`, or those of `ref` at `as_of_a` with those at `as_of_b`. The moments
/// are resolved against `view`: a number above its transaction is refused. Fails with `invalid_params` ("required",
/// "one_of", "range"), with `not_found`, or as the interrupt says.
[[nodiscard]] Result<LineageDifference> lineage_diff(View const& view, LineageDiffParams const& params,
                                                     Budget const& budget);

}  // namespace whence::queries
