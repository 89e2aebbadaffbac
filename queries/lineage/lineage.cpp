// lineage.ancestors and lineage.descendants: what a node was made from, what was made from it.

#include "queries/lineage/edges.hpp"
#include "queries/lineage/lineage_walk.hpp"
#include "queries/resolve.hpp"
#include "queries/queries.hpp"

#include <algorithm>
#include <memory>

namespace whence::queries {
namespace {

/// What the writers of one answer share.
struct Lineage {
  View view;
  Includes includes;
  std::vector<Ranked> nodes;
  std::vector<MemberEdge> edges = {};
  std::vector<VertexId> dangling = {};
};

List nodes_list(std::shared_ptr<Lineage const> const& lineage) {
  auto const write = [lineage](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Ranked const> const page(lineage->nodes.data() + begin, end - begin);
    return write_nodes(out, lineage->view, lineage->includes, page, write_depth_and_weight);
  };
  return {"nodes", lineage->nodes.size(), write};
}

List edges_list(std::shared_ptr<Lineage const> const& lineage) {
  auto const write = [lineage](Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) write_edge(out, lineage->view, lineage->edges[i].stored);
    return {};
  };
  return {"edges", lineage->edges.size(), write};
}

// Members are the nodes, then the start: an edge goes with the later of its nodes, so that a page never shows an edge
// to a node that is still to come.
Attached attached_edges(std::shared_ptr<Lineage const> const& lineage) {
  auto const start_place = static_cast<std::uint32_t>(lineage->nodes.size());
  Attached attached{.name = "edges", .anchors = {}, .write = {}};
  attached.anchors.reserve(lineage->edges.size());
  for (MemberEdge const& edge : lineage->edges) {
    bool const touches_start = edge.from_place == start_place || edge.to_place == start_place;
    attached.anchors.push_back(touches_start ? std::min(edge.from_place, edge.to_place)
                                             : std::max(edge.from_place, edge.to_place));
  }
  attached.write = [lineage](Writer& out, std::size_t item) -> Result<void> {
    write_edge(out, lineage->view, lineage->edges[item].stored);
    return {};
  };
  return attached;
}

void write_dangling(Writer& out, Lineage const& lineage) {
  out.key("dangling").begin_array();
  for (VertexId const vertex : lineage.dangling) write_ref(out, lineage.view.snapshot, vertex);
  out.end_array();
}

// The walked edges: those that the walk met at a node nearer than `depth`, with both ends returned or the start.
Result<std::vector<MemberEdge>> walked_edges(Lineage const& lineage, VertexId start, graph::Direction direction,
                                             LineageParams const& params, schema::Interrupt const& interrupt) {
  std::vector<VertexId> members;
  std::vector<VertexId> sources;
  members.reserve(lineage.nodes.size() + 1);
  for (Ranked const& node : lineage.nodes) {
    members.push_back(node.vertex);
    if (node.depth < params.depth) sources.push_back(node.vertex);
  }
  members.push_back(start);
  if (params.depth > 0) sources.push_back(start);
  VertexMap const places(members);
  EdgeWalk const walk{
      .sources = sources, .direction = direction, .edge_types = params.edge_types.value_or(schema::EdgeTypeSet::all())};
  return edges_among(lineage.view.snapshot, members, places, walk, interrupt);
}

Result<Answer> lineage(View const& view, graph::Direction direction, LineageParams const& params,
                       Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  graph::WalkLimits const limits{.depth = params.depth,
                                 .edge_types = params.edge_types.value_or(schema::EdgeTypeSet::all()),
                                 .vertices_max = budget.vertices_max};
  NodeFilter const filter{params.node_types, params.between, params.min_weight};
  auto walk = walk_lineage(view.snapshot, *start, direction, limits, filter, budget.interrupt, true);
  if (!walk) return walk.error();

  auto found = std::make_shared<Lineage>(Lineage{view, includes_of(params.include), std::move(walk->nodes)});
  found->dangling = std::move(walk->dangling);
  if (params.form != Form::nodes) {
    auto edges = walked_edges(*found, *start, direction, params, budget.interrupt);
    if (!edges) return edges.error();
    found->edges = std::move(*edges);
  }

  Answer answer;
  if (params.form != Form::edges) answer.lists.push_back(nodes_list(found));
  if (params.form == Form::edges) answer.lists.push_back(edges_list(found));
  if (params.form == Form::graph) answer.attached.push_back(attached_edges(found));
  if (!found->dangling.empty()) {
    answer.write_members = [found](Writer& out) { write_dangling(out, *found); };
  }
  answer.vertices = [found, start = *start](auto const&) {
    return shown_vertices(std::span<Ranked const>(found->nodes), {&start, 1});
  };
  if (walk->is_cut_by_depth) answer.incomplete = Incomplete::depth;
  if (walk->is_cut_by_vertices) answer.incomplete = Incomplete::nodes;
  return answer;
}

}  // namespace

Result<Answer> lineage_ancestors(View const& view, LineageParams const& params, Budget const& budget) {
  return lineage(view, graph::Direction::ancestors, params, budget);
}

Result<Answer> lineage_descendants(View const& view, LineageParams const& params, Budget const& budget) {
  return lineage(view, graph::Direction::descendants, params, budget);
}

}  // namespace whence::queries
