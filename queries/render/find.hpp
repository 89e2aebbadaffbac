#pragma once
// Found nodes as page sources.

#include "queries/find/nodes.hpp"
#include "queries/render/page_source.hpp"

namespace whence::queries {

[[nodiscard]] PageSource render(View const& view, Nodes&& nodes, NodeGetParams const& params);
[[nodiscard]] PageSource render(View const& view, Nodes&& nodes, NodeFindParams const& params);
[[nodiscard]] PageSource render(View const& view, NodeCount&& count, NodeCountParams const& params);

}  // namespace whence::queries
