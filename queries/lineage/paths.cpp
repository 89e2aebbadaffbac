// Evaluating lineage.path.

#include "queries/lineage/paths.hpp"

#include "graph/walks/dominators.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/vertex_map.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries {
namespace {

/// Everything on any path from one to the other: the descendants of the one that are ancestors of the other.
Result<std::vector<VertexId>> vertices_between(Snapshot const& snapshot, VertexId from, VertexId to,
                                               schema::EdgeTypeSet edge_types, schema::Interrupt const& interrupt) {
  graph::WalkLimits const limits{.edge_types = edge_types};
  auto const below = graph::reach(snapshot, {&from, 1}, graph::Direction::descendants, limits, interrupt);
  if (!below) return below.error();
  auto const above = graph::reach(snapshot, {&to, 1}, graph::Direction::ancestors, limits, interrupt);
  if (!above) return above.error();
  VertexMap const reached(below->vertices);
  std::vector<VertexId> between{from, to};
  for (auto const vertex : above->vertices) {
    if (reached.find(vertex)) between.push_back(vertex);
  }
  return between;
}

/// The cut relations that ways from `from` to `to` would use: `to`, or an ancestor of it, rests by one of them on
/// `from`, or on a descendant of it; perhaps by several of them in a row.
Result<std::vector<graph::CutRelation>> cut_between(Snapshot const& snapshot, VertexId from, VertexId to,
                                                    schema::EdgeTypeSet edge_types,
                                                    schema::Interrupt const& interrupt) {
  graph::WalkLimits const limits{.edge_types = edge_types};
  // The ends of what was cut are starts of the next walk, until no walk finds a further one.
  auto const gather = [&](VertexId start, graph::Direction direction,
                          std::vector<graph::CutRelation>& met) -> Result<std::vector<VertexId>> {
    std::vector<VertexId> starts{start};
    for (std::size_t known = 0;;) {
      auto reach = graph::reach(snapshot, starts, direction, limits, interrupt);
      if (!reach) return reach.error();
      auto cut = graph::cut_relations(snapshot, starts, direction, limits, *reach, interrupt);
      if (!cut) return cut.error();
      met = std::move(cut->relations);
      if (met.size() == known) {
        reach->vertices.insert(reach->vertices.end(), starts.begin(), starts.end());
        return std::move(reach->vertices);
      }
      known = met.size();
      for (auto const& each : met) starts.push_back(direction == graph::Direction::ancestors ? each.to : each.from);
      std::ranges::sort(starts);
      starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    }
  };
  std::vector<graph::CutRelation> above;
  std::vector<graph::CutRelation> below;
  if (!graph::has_cut_relations(snapshot)) return above;
  auto const up = gather(to, graph::Direction::ancestors, above);
  if (!up) return up.error();
  if (above.empty()) return above;
  auto const down = gather(from, graph::Direction::descendants, below);
  if (!down) return down.error();
  std::erase_if(above, [&](graph::CutRelation const& each) {
    if (each.to == to || each.from == from) return true;  // no path passes through its end or back to its start
    return std::ranges::find(below, each.edge, &graph::CutRelation::edge) == below.end();
  });
  return above;
}

}  // namespace

Result<LineagePaths> lineage_path(View const& view, PathParams const& params, std::uint32_t limit,
                                  Budget const& budget) {
  auto const ends = resolve_both(view.snapshot, {params.from, "/from"}, {params.to, "/to"});
  if (!ends) return ends.error();
  // The strongest and the shortest are one path each: the best by their order. Only `all` can be cut.
  bool const is_all = params.kind == graph::PathKind::all;
  auto const edge_types = walked_types(params.basis);
  auto found = graph::find_paths(view.snapshot, ends->first, ends->second, params.kind, is_all ? limit : 1,
                                 budget.interrupt, edge_types);
  if (!found) return found.error();
  std::optional<std::vector<VertexId>> dominators;
  if (params.dominators) {
    auto passed = graph::dominators_between(view.snapshot, ends->first, ends->second, budget.interrupt, edge_types);
    if (!passed) return passed.error();
    dominators = std::move(*passed);
  }
  LineagePaths answer{.from = ends->first,
                      .to = ends->second,
                      .kind = params.kind,
                      .edge_types = edge_types,
                      .paths = std::move(found->paths),
                      .dominators = std::move(dominators),
                      .incomplete = is_all && found->is_cut ? Incomplete::limit : Incomplete::no};
  // The strongest and the shortest that there is may be neither of all that a cycle hides.
  auto cut = cut_between(view.snapshot, ends->first, ends->second, edge_types, budget.interrupt);
  if (!cut) return cut.error();
  answer.cut = std::move(*cut);
  if (!answer.cut.empty()) answer.incomplete = Incomplete::cycle_cut;
  return answer;
}

Result<std::vector<VertexId>> shown_vertices(LineagePaths const& found, Snapshot const& snapshot,
                                             schema::Interrupt const& interrupt) {
  if (found.kind == graph::PathKind::all)
    return vertices_between(snapshot, found.from, found.to, found.edge_types, interrupt);
  std::vector<VertexId> vertices{found.from, found.to};
  for (auto const& path : found.paths) vertices.insert(vertices.end(), path.vertices.begin(), path.vertices.end());
  return vertices;
}

}  // namespace whence::queries
