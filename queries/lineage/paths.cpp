// Evaluating lineage.path.

#include "queries/lineage/paths.hpp"

#include "graph/walks/dominators.hpp"
#include "queries/resolve.hpp"
#include "queries/vertex_map.hpp"

#include <utility>

namespace whence::queries {
namespace {

/// Everything on any path from one to the other: the descendants of the one that are ancestors of the other.
Result<std::vector<VertexId>> vertices_between(Snapshot const& snapshot, VertexId from, VertexId to,
                                               schema::Interrupt const& interrupt) {
  auto const below = graph::reach(snapshot, {&from, 1}, graph::Direction::descendants, {}, interrupt);
  if (!below) return below.error();
  auto const above = graph::reach(snapshot, {&to, 1}, graph::Direction::ancestors, {}, interrupt);
  if (!above) return above.error();
  VertexMap const reached(below->vertices);
  std::vector<VertexId> between{from, to};
  for (auto const vertex : above->vertices) {
    if (reached.find(vertex)) between.push_back(vertex);
  }
  return between;
}

}  // namespace

Result<LineagePaths> lineage_path(View const& view, PathParams const& params, std::uint32_t limit,
                                  Budget const& budget) {
  auto const ends = resolve_both(view.snapshot, {params.from, "/from"}, {params.to, "/to"});
  if (!ends) return ends.error();
  // The strongest and the shortest are one path each: the best by their order. Only `all` can be cut.
  bool const is_all = params.kind == graph::PathKind::all;
  auto found =
      graph::find_paths(view.snapshot, ends->first, ends->second, params.kind, is_all ? limit : 1, budget.interrupt);
  if (!found) return found.error();
  std::optional<std::vector<VertexId>> dominators;
  if (params.dominators) {
    auto passed = graph::dominators_between(view.snapshot, ends->first, ends->second, budget.interrupt);
    if (!passed) return passed.error();
    dominators = std::move(*passed);
  }
  return LineagePaths{.from = ends->first,
                      .to = ends->second,
                      .kind = params.kind,
                      .paths = std::move(found->paths),
                      .dominators = std::move(dominators),
                      .incomplete = is_all && found->is_cut ? Incomplete::limit : Incomplete::no};
}

Result<std::vector<VertexId>> shown_vertices(LineagePaths const& found, Snapshot const& snapshot,
                                             schema::Interrupt const& interrupt) {
  if (found.kind == graph::PathKind::all) return vertices_between(snapshot, found.from, found.to, interrupt);
  std::vector<VertexId> vertices{found.from, found.to};
  for (auto const& path : found.paths) vertices.insert(vertices.end(), path.vertices.begin(), path.vertices.end());
  return vertices;
}

}  // namespace whence::queries
