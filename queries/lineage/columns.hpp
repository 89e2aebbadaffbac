#pragma once
// What rests on one column of a dataset, by what OpenLineage's facets say of columns.

#include "queries/lineage/walk.hpp"

#include <string>

namespace whence::queries {

/// The descendants of the dataset, or of the version of one, `start` that rest on its column `column`.
///
/// A version that a run wrote rests on the column where its facet `columnLineage` or `lineage` names it for a column,
/// with which the walk goes on, or for all of them; where it has no such facet it rests on all that the run read. What
/// is loaded from such a version, and what else was made from it, rests on it whole. Weights are 1. Fails as
/// `walk_lineage`. O(V + E) of the part reached, and the facets of its versions.
[[nodiscard]] Result<LineageWalk> walk_column(View const& view, VertexId start, std::string const& column,
                                              graph::WalkLimits const& limits, NodeFilter const& filter,
                                              schema::Interrupt const& interrupt);

}  // namespace whence::queries
