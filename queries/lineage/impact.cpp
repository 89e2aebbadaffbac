// Evaluating lineage.influence and impact.analyze.

#include "queries/lineage/impact.hpp"

#include "graph/walks/dominators.hpp"
#include "graph/walks/walk.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace whence::queries {
namespace {

template <class Params>
graph::WalkLimits limits_of(Params const& params, Budget const& budget) {
  return {.edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max, .has_roles = params.roles};
}

/// The nodes of `reach` in its order.
Result<Influence> influence_over(Snapshot const& snapshot, std::span<VertexId const> starts, graph::Direction direction,
                                 graph::Reach const& reach, graph::WalkLimits const& limits, Budget const& budget) {
  auto const shares = graph::path_shares(snapshot, starts, direction, limits, reach, budget.interrupt);
  if (!shares) return shares.error();
  Influence found{.incomplete = reach.is_cut_by_vertices ? Incomplete::nodes : Incomplete::no};
  auto cut = graph::cut_relations(snapshot, starts, direction, limits, reach, budget.interrupt);
  if (!cut) return cut.error();
  take_cut(std::move(*cut), found);
  found.nodes.reserve(reach.vertices.size());
  std::size_t place = 0;
  for (std::uint32_t layer = 0; layer < reach.layer_ends.size(); ++layer) {
    for (; place < reach.layer_ends[layer]; ++place) {
      found.nodes.push_back({reach.vertices[place], layer + 1, (*shares)[place]});
    }
  }
  return found;
}

Result<std::map<VertexId, VertexId>> dominators_over(Snapshot const& snapshot, std::span<VertexId const> starts,
                                                     graph::Reach const& reach, graph::WalkLimits const& limits,
                                                     Budget const& budget) {
  auto const nearest =
      graph::nearest_dominators(snapshot, starts, graph::Direction::descendants, limits, reach, budget.interrupt);
  if (!nearest) return nearest.error();
  std::map<VertexId, VertexId> dominators;
  for (std::size_t i = 0; i < nearest->size(); ++i) {
    if (auto const dominator = (*nearest)[i]) dominators.emplace(reach.vertices[i], *dominator);
  }
  return dominators;
}

void rank_by(ImpactOrder order, Snapshot const& snapshot, std::vector<WeighedNode>& nodes) {
  rank(snapshot, std::span(nodes), &WeighedNode::share);
  if (order == ImpactOrder::depth) std::ranges::stable_sort(nodes, {}, &WeighedNode::depth);
}

ImpactCounts count(Snapshot const& snapshot, std::vector<WeighedNode> const& nodes) {
  ImpactCounts counts;
  for (WeighedNode const& node : nodes) {
    ++counts.by_type[static_cast<std::size_t>(snapshot.type(node.vertex))];
    ++counts.by_depth[node.depth];
  }
  return counts;
}

}  // namespace

Result<Influence> lineage_influence(View const& view, InfluenceParams const& params, Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  std::span const starts(&*start, 1);
  auto const direction = graph::Direction::ancestors;
  auto const limits = limits_of(params, budget);
  auto const reach = graph::reach(view.snapshot, starts, direction, limits, budget.interrupt);
  if (!reach) return reach.error();
  auto found = influence_over(view.snapshot, starts, direction, *reach, limits, budget);
  if (found) rank_by(params.order, view.snapshot, found->nodes);
  return found;
}

Result<Impact> impact_analyze(View const& view, ImpactParams const& params, Budget const& budget) {
  Snapshot const& snapshot = view.snapshot;
  auto starts = resolve_all(snapshot, params.refs, "/refs");
  if (!starts) return starts.error();
  std::sort(starts->begin(), starts->end());  // a ref named twice influences once
  starts->erase(std::unique(starts->begin(), starts->end()), starts->end());
  auto const direction = graph::Direction::descendants;
  auto const limits = limits_of(params, budget);
  auto const reach = graph::reach(snapshot, *starts, direction, limits, budget.interrupt);
  if (!reach) return reach.error();
  auto found = influence_over(snapshot, *starts, direction, *reach, limits, budget);
  if (!found) return found.error();
  std::map<VertexId, VertexId> dominators;
  if (params.dominators) {
    auto nearest = dominators_over(snapshot, *starts, *reach, limits, budget);
    if (!nearest) return nearest.error();
    dominators = std::move(*nearest);
  }

  std::erase_if(found->nodes, [&](WeighedNode const& node) {
    return !schema::info(snapshot.type(node.vertex)).is_impact ||
           std::binary_search(starts->begin(), starts->end(), node.vertex);
  });
  rank_by(params.order, snapshot, found->nodes);
  ImpactCounts counts = count(snapshot, found->nodes);
  return Impact{std::move(*starts),    std::move(found->nodes), std::move(counts),
                std::move(dominators), std::move(found->cut),   found->incomplete};
}

std::vector<VertexId> shown_vertices(Impact const& impact) {
  return vertices_of(impact.nodes, impact.starts);
}

}  // namespace whence::queries
