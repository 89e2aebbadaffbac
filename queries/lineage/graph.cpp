// Evaluating lineage.graph.

#include "queries/lineage/graph.hpp"

#include "graph/walks/reduction.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/vertex_map.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

namespace whence::queries {
namespace {

std::uint64_t count_hidden(VertexMap const& shown, std::initializer_list<graph::Neighbours> lists) {
  std::vector<VertexId> hidden;
  for (graph::Neighbours const& neighbours : lists) {
    for (VertexId const vertex : neighbours.vertices) {
      if (!shown.find(vertex)) hidden.push_back(vertex);
    }
  }
  std::sort(hidden.begin(), hidden.end());  // two edges may lead to one neighbour
  return static_cast<std::uint64_t>(std::unique(hidden.begin(), hidden.end()) - hidden.begin());
}

Result<void> leave_out_implied_edges(Snapshot const& snapshot, std::span<VertexId const> members, LineageGraph& shown,
                                     schema::EdgeTypeSet edge_types, schema::Interrupt const& interrupt) {
  auto const implied = graph::implied_edges(snapshot, members, edge_types, interrupt);
  if (!implied) return implied.error();
  shown.reduced_edges = std::erase_if(shown.edges, [&](MemberEdge const& edge) {
    return std::binary_search(implied->begin(), implied->end(), edge.stored.edge);
  });
  return {};
}

Result<void> add_edges_and_frontier(Snapshot const& snapshot, LineageGraph& shown, LineageGraphParams const& params,
                                    schema::Interrupt const& interrupt) {
  std::vector<VertexId> members;
  members.reserve(shown.nodes.size());
  for (RankedNode const& node : shown.nodes) members.push_back(node.vertex);
  VertexMap const places(members);

  auto const edge_types = walked_types(params.basis);
  EdgeWalk const walk{.sources = members,
                      .edge_types = edge_types,
                      .has_relations = params.relations,
                      .has_cut_cycles = !shown.cut.empty()};
  auto edges = edges_among(snapshot, members, places, walk, interrupt);
  if (!edges) return edges.error();
  shown.edges = std::move(*edges);
  // What is shown in the other direction is not missing.
  bool const is_all_shown = std::ranges::all_of(shown.cut, [&](graph::CutRelation const& each) {
    return places.find(each.from).has_value() && places.find(each.to).has_value();
  });
  if (shown.incomplete == Incomplete::cycle_cut && is_all_shown) shown.incomplete = Incomplete::no;
  if (params.reduced) {
    if (auto const done = leave_out_implied_edges(snapshot, members, shown, edge_types, interrupt); !done)
      return done.error();
  }

  schema::Poll poll(interrupt);
  for (VertexId const vertex : members) {
    auto const causes = snapshot.causes(vertex);
    auto const effects = snapshot.effects(vertex);
    auto const wholes = params.relations ? snapshot.relations_from(vertex) : graph::Neighbours{};
    auto const parts = params.relations ? snapshot.relations_to(vertex) : graph::Neighbours{};
    if (poll.must_stop(1 + causes.size() + effects.size() + wholes.size() + parts.size())) return poll.error();
    FrontierNode const node{vertex, count_hidden(places, {causes, wholes}), count_hidden(places, {effects, parts})};
    if (node.causes + node.effects > 0) shown.frontier.push_back(node);
  }
  return {};
}

/// Each node once: relations may lead to one from both sides.
void keep_nearest(std::vector<RankedNode>& nodes) {
  std::ranges::sort(nodes, [](RankedNode const& a, RankedNode const& b) {
    if (a.vertex != b.vertex) return a.vertex < b.vertex;
    return a.depth != b.depth ? a.depth < b.depth : a.value > b.value;
  });
  auto const is_same = [](RankedNode const& a, RankedNode const& b) { return a.vertex == b.vertex; };
  nodes.erase(std::unique(nodes.begin(), nodes.end(), is_same), nodes.end());
}

Result<void> add_nodes(Snapshot const& snapshot, LineageGraph& shown, VertexId start, LineageGraphParams const& params,
                       std::uint32_t limit, Budget const& budget) {
  shown.nodes.push_back({start, 0, 1});
  auto const add = [&](graph::Direction direction, std::uint32_t depth) -> Result<void> {
    graph::WalkLimits const limits{
        .depth = depth, .edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max};
    auto walk = params.relations ? walk_surroundings(snapshot, start, direction, limits, budget.interrupt)
                                 : walk_lineage(snapshot, start, direction, limits, {}, budget.interrupt);
    if (!walk) return walk.error();
    shown.nodes.insert(shown.nodes.end(), walk->nodes.begin(), walk->nodes.end());
    if (walk->is_cut_by_depth && shown.incomplete == Incomplete::no) shown.incomplete = Incomplete::depth;
    if (walk->is_cut_by_vertices) shown.incomplete = Incomplete::nodes;
    take_cut(std::move(walk->cut), shown);
    return {};
  };
  if (auto const added = add(graph::Direction::ancestors, params.up); !added) return added.error();
  if (auto const added = add(graph::Direction::descendants, params.down); !added) return added.error();
  if (params.relations) keep_nearest(shown.nodes);

  std::sort(shown.nodes.begin(), shown.nodes.end(), [&](RankedNode const& a, RankedNode const& b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    if (a.value != b.value) return a.value > b.value;
    return compare_refs(snapshot, a.vertex, b.vertex) < 0;
  });
  if (shown.nodes.size() > limit) {
    shown.nodes.resize(limit);
    if (shown.incomplete != Incomplete::nodes) shown.incomplete = Incomplete::limit;
  }
  return {};
}

}  // namespace

Result<LineageGraph> lineage_graph(View const& view, LineageGraphParams const& params, std::uint32_t limit,
                                   Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  LineageGraph shown;
  if (auto const added = add_nodes(view.snapshot, shown, *start, params, limit, budget); !added) return added.error();
  auto const added = add_edges_and_frontier(view.snapshot, shown, params, budget.interrupt);
  if (!added) return added.error();
  return shown;
}

std::vector<VertexId> shown_vertices(LineageGraph const& graph) {
  return vertices_of(graph.nodes, {});
}

}  // namespace whence::queries
