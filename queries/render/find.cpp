// Lists of found nodes.

#include "queries/render/find.hpp"

#include "queries/render/lists.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace whence::queries {
namespace {

PageSource render_nodes(View const& view, Nodes&& nodes, std::vector<Include> const& include) {
  auto const found = std::make_shared<Nodes const>(std::move(nodes));
  return {.lists = {node_list("nodes", found, view, found->nodes, include)}};
}

}  // namespace

PageSource render(View const& view, Nodes&& nodes, NodeGetParams const& params) {
  return render_nodes(view, std::move(nodes), params.include);
}

PageSource render(View const& view, Nodes&& nodes, NodeFindParams const& params) {
  return render_nodes(view, std::move(nodes), params.include);
}

PageSource render(View const& /*view*/, NodeCount&& count, NodeCountParams const& /*params*/) {
  return {.write_members = [count](Writer& out) { out.member("count", count.count); }};
}

}  // namespace whence::queries
