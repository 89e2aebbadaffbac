// lineage.path: how a cause influenced an effect, edge by edge.

#include "queries/render/render.hpp"
#include "queries/resolve.hpp"
#include "queries/vertex_map.hpp"
#include "queries/queries.hpp"

#include <memory>

namespace whence::queries {
namespace {

void write_path(Writer& out, View const& view, graph::Path const& path) {
  auto const& snapshot = view.snapshot;
  out.begin_object().member("weight", path.weight).key("refs").begin_array();
  for (VertexId const vertex : path.vertices) write_ref(out, snapshot, vertex);
  out.end_array().key("edges").begin_array();
  for (std::size_t i = 0; i < path.edges.size(); ++i) {
    write_edge(out, view, stored_edge(snapshot, path.vertices[i], path.vertices[i + 1], path.edges[i]));
  }
  out.end_array().end_object();
}

/// Everything on any path from one to the other: what both the one reaches and the other comes from.
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

Result<Answer> lineage_path(View const& view, PathParams const& params, std::uint32_t limit, Budget const& budget) {
  auto const ends = resolve_both(view.snapshot, {params.from, "/from"}, {params.to, "/to"});
  if (!ends) return ends.error();
  // The strongest and the shortest are one path each: the best by their order. Only `all` can be cut.
  bool const is_all = params.kind == graph::PathKind::all;
  auto found =
      graph::find_paths(view.snapshot, ends->first, ends->second, params.kind, is_all ? limit : 1, budget.interrupt);
  if (!found) return found.error();

  Answer answer;
  if (is_all && found->is_cut) answer.incomplete = Incomplete::limit;
  auto const paths = std::make_shared<std::vector<graph::Path> const>(std::move(found->paths));
  auto const write = [view, paths](Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) write_path(out, view, (*paths)[i]);
    return {};
  };
  answer.lists.push_back({"paths", paths->size(), write});
  answer.vertices = [view, paths, ends = *ends,
                     is_all](schema::Interrupt const& interrupt) -> Result<std::vector<VertexId>> {
    if (is_all) return vertices_between(view.snapshot, ends.first, ends.second, interrupt);
    std::vector<VertexId> vertices{ends.first, ends.second};
    for (auto const& path : *paths) vertices.insert(vertices.end(), path.vertices.begin(), path.vertices.end());
    return vertices;
  };
  return answer;
}

}  // namespace whence::queries
