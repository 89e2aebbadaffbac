// Evaluating lineage.ancestors and lineage.descendants.

#include "queries/lineage/lineage.hpp"

#include "queries/lineage/walk.hpp"
#include "queries/resolve.hpp"
#include "queries/vertex_map.hpp"

#include <utility>

namespace whence::queries {
namespace {

Result<std::vector<MemberEdge>> walked_edges(Snapshot const& snapshot, Lineage const& lineage,
                                             graph::Direction direction, LineageParams const& params,
                                             schema::Interrupt const& interrupt) {
  std::vector<VertexId> members;
  std::vector<VertexId> sources;
  members.reserve(lineage.nodes.size() + 1);
  for (RankedNode const& node : lineage.nodes) {
    members.push_back(node.vertex);
    if (node.depth < params.depth) sources.push_back(node.vertex);
  }
  members.push_back(lineage.start);
  if (params.depth > 0) sources.push_back(lineage.start);
  VertexMap const places(members);
  EdgeWalk const walk{
      .sources = sources, .direction = direction, .edge_types = params.edge_types.value_or(schema::EdgeTypeSet::all())};
  return edges_among(snapshot, members, places, walk, interrupt);
}

Result<Lineage> walk_from(View const& view, graph::Direction direction, LineageParams const& params,
                          Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  graph::WalkLimits const limits{.depth = params.depth,
                                 .edge_types = params.edge_types.value_or(schema::EdgeTypeSet::all()),
                                 .vertices_max = budget.vertices_max};
  NodeFilter const filter{params.node_types, params.between, params.min_weight};
  auto walk = walk_lineage(view.snapshot, *start, direction, limits, filter, budget.interrupt, true);
  if (!walk) return walk.error();

  Lineage lineage{.start = *start, .nodes = std::move(walk->nodes), .dangling = std::move(walk->dangling)};
  if (walk->is_cut_by_depth) lineage.incomplete = Incomplete::depth;
  if (walk->is_cut_by_vertices) lineage.incomplete = Incomplete::nodes;
  take_cut(std::move(walk->cut), lineage);
  if (params.form == Form::nodes) return lineage;
  auto edges = walked_edges(view.snapshot, lineage, direction, params, budget.interrupt);
  if (!edges) return edges.error();
  lineage.edges = std::move(*edges);
  return lineage;
}

}  // namespace

Result<Lineage> lineage_ancestors(View const& view, LineageParams const& params, Budget const& budget) {
  return walk_from(view, graph::Direction::ancestors, params, budget);
}

Result<Lineage> lineage_descendants(View const& view, LineageParams const& params, Budget const& budget) {
  return walk_from(view, graph::Direction::descendants, params, budget);
}

std::vector<VertexId> shown_vertices(Lineage const& lineage) {
  return vertices_of(lineage.nodes, {&lineage.start, 1});
}

}  // namespace whence::queries
