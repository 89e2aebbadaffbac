#pragma once
// Found nodes, neighbours and activity, what there is of a person, and holds as page sources.

#include "queries/find/activity.hpp"
#include "queries/find/holds.hpp"
#include "queries/find/neighbors.hpp"
#include "queries/find/nodes.hpp"
#include "queries/find/persons.hpp"
#include "queries/render/page_source.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, Nodes&& nodes, NodeGetParams const& params);
[[nodiscard]] PageSource render(View const& view, Nodes&& nodes, NodeFindParams const& params);
[[nodiscard]] PageSource render(View const& view, PersonFound&& found, PersonParams const& params);
[[nodiscard]] PageSource render(View const& view, HoldList&& list, HoldListParams const& params);
[[nodiscard]] PageSource render(View const& view, NodeCount&& count, NodeCountParams const& params);
[[nodiscard]] PageSource render(View const& view, Neighbors&& neighbors, NodeNeighborsParams const& params);
[[nodiscard]] PageSource render(View const& view, Activity&& activity, NodeActivityParams const& params);

}  // namespace whence::queries
