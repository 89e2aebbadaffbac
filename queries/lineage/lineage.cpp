// Evaluating lineage.ancestors and lineage.descendants.

#include "queries/lineage/lineage.hpp"

#include "queries/lineage/columns.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/vertex_map.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
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
  EdgeWalk const walk{.sources = sources,
                      .direction = direction,
                      .edge_types = walked_types(params.basis, params.edge_types.value_or(schema::EdgeTypeSet::all()))};
  return edges_among(snapshot, members, places, walk, interrupt);
}

/// What was generated as a specialization of an entity: its versions, where it has no causes itself.
std::vector<VertexId> versions_of(Snapshot const& snapshot, VertexId entity) {
  std::vector<VertexId> versions;
  if (snapshot.type(entity) != schema::RecordType::prov_entity || !snapshot.causes(entity).empty()) return versions;
  auto const parts = snapshot.relations_to(entity);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (snapshot.type(parts.edges[i]) != schema::EdgeType::prov_specialization_of) continue;
    auto const causes = snapshot.causes(parts.vertices[i]);
    bool const is_generated = std::ranges::any_of(causes.edges, [&](graph::EdgeId edge) {
      return snapshot.type(edge) == schema::EdgeType::prov_was_generated_by;
    });
    if (is_generated) versions.push_back(parts.vertices[i]);
  }
  return versions;
}

/// A thing that nothing was made as, such as a table, was made as its versions were: they are one step from it.
Result<LineageWalk> walk_versions(Snapshot const& snapshot, std::vector<VertexId> const& versions,
                                  graph::WalkLimits limits, NodeFilter const& filter,
                                  schema::Interrupt const& interrupt) {
  LineageWalk all;
  std::unordered_map<std::uint32_t, RankedNode> nodes;
  auto const reach = [&](RankedNode const& node) {
    auto const [known, is_new] = nodes.try_emplace(schema::number(node.vertex), node);
    if (is_new) return;
    known->second.depth = std::min(known->second.depth, node.depth);
    known->second.value = std::max(known->second.value, node.value);
  };
  if (limits.depth == 0) {
    all.is_cut_by_depth = true;
    return all;
  }
  --limits.depth;
  for (VertexId const version : versions) {
    reach({version, 1, 1});
    auto walk = walk_lineage(snapshot, version, graph::Direction::ancestors, limits, {}, interrupt, true);
    if (!walk) return walk;
    for (RankedNode node : walk->nodes) {
      ++node.depth;
      reach(node);
    }
    all.dangling.insert(all.dangling.end(), walk->dangling.begin(), walk->dangling.end());
    auto& cut = all.cut.relations;
    for (auto const& each : walk->cut.relations) {
      if (std::ranges::find(cut, each.edge, &graph::CutRelation::edge) == cut.end()) cut.push_back(each);
    }
    all.cut.lead_beyond = all.cut.lead_beyond || walk->cut.lead_beyond;
    all.is_cut_by_depth = all.is_cut_by_depth || walk->is_cut_by_depth;
    all.is_cut_by_vertices = all.is_cut_by_vertices || walk->is_cut_by_vertices || nodes.size() > limits.vertices_max;
    if (all.is_cut_by_vertices) break;
  }
  for (auto const& [number, node] : nodes) {
    if (passes(snapshot, filter, node.vertex, node.value)) all.nodes.push_back(node);
  }
  std::ranges::sort(all.nodes, [&](RankedNode const& a, RankedNode const& b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    if (a.value != b.value) return a.value > b.value;
    return compare_refs(snapshot, a.vertex, b.vertex) < 0;
  });
  return all;
}

Result<Lineage> walk_from(View const& view, graph::Direction direction, LineageParams const& params,
                          Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  graph::WalkLimits const limits{
      .depth = params.depth,
      .edge_types = walked_types(params.basis, params.edge_types.value_or(schema::EdgeTypeSet::all())),
      .vertices_max = budget.vertices_max};
  NodeFilter const filter{params.node_types, params.between, params.min_weight};
  bool const is_upward = direction == graph::Direction::ancestors;
  if (is_upward && params.column)
    return error_from(invalid_param("column", "/column", schema::shown(*params.column), "is of lineage.descendants"));
  auto const versions = is_upward ? versions_of(view.snapshot, *start) : std::vector<VertexId>{};
  auto const walked = [&] {
    if (params.column) return walk_column(view, *start, *params.column, limits, filter, budget.interrupt);
    if (!versions.empty()) return walk_versions(view.snapshot, versions, limits, filter, budget.interrupt);
    return walk_lineage(view.snapshot, *start, direction, limits, filter, budget.interrupt, true);
  };
  auto walk = walked();
  if (!walk) return walk.error();

  Lineage lineage{.start = *start,
                  .nodes = std::move(walk->nodes),
                  .columns = std::move(walk->columns),
                  .dangling = std::move(walk->dangling)};
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
