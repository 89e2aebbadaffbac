// lineage.graph: the surroundings of a node in both directions, for drawing: the nearest nodes, all influence edges
// among them, and at which nodes more lies beyond.

#include "queries/lineage/edges.hpp"
#include "queries/lineage/lineage_walk.hpp"
#include "queries/order.hpp"
#include "queries/resolve.hpp"
#include "queries/queries.hpp"

#include <algorithm>
#include <memory>

namespace whence::queries {
namespace {

struct FrontierNode {
  VertexId vertex;
  std::uint64_t causes;  ///< how many are not shown
  std::uint64_t effects;
};

struct Surroundings {
  View view;
  Includes includes;
  std::vector<Ranked> nodes;  ///< the start first
  std::vector<MemberEdge> edges = {};
  std::vector<FrontierNode> frontier = {};
  Incomplete incomplete = Incomplete::no;
};

std::uint64_t count_hidden(VertexMap const& shown, graph::Neighbours const& neighbours) {
  std::vector<VertexId> hidden;
  for (VertexId const vertex : neighbours.vertices) {
    if (!shown.find(vertex)) hidden.push_back(vertex);
  }
  std::sort(hidden.begin(), hidden.end());  // two edges may lead to one neighbour
  return static_cast<std::uint64_t>(std::unique(hidden.begin(), hidden.end()) - hidden.begin());
}

Result<void> add_edges_and_frontier(Surroundings& shown, schema::Interrupt const& interrupt) {
  Snapshot const& snapshot = shown.view.snapshot;
  std::vector<VertexId> members;
  members.reserve(shown.nodes.size());
  for (Ranked const& node : shown.nodes) members.push_back(node.vertex);
  VertexMap const places(members);

  auto edges = edges_among(snapshot, members, places, {.sources = members}, interrupt);
  if (!edges) return edges.error();
  shown.edges = std::move(*edges);

  schema::Poll poll(interrupt);
  for (VertexId const vertex : members) {
    auto const causes = snapshot.causes(vertex);
    auto const effects = snapshot.effects(vertex);
    if (poll.must_stop(1 + causes.size() + effects.size())) return poll.error();
    FrontierNode const node{vertex, count_hidden(places, causes), count_hidden(places, effects)};
    if (node.causes + node.effects > 0) shown.frontier.push_back(node);
  }
  return {};
}

// Nearest first, then by weight, then ref, both directions together, the start in front, at most `limit`.
Result<void> add_nodes(Surroundings& shown, VertexId start, LineageGraphParams const& params, std::uint32_t limit,
                       Budget const& budget) {
  Snapshot const& snapshot = shown.view.snapshot;
  shown.nodes.push_back({start, 0, 1});
  auto const add = [&](graph::Direction direction, std::uint32_t depth) -> Result<void> {
    graph::WalkLimits const limits{.depth = depth, .vertices_max = budget.vertices_max};
    auto const walk = walk_lineage(snapshot, start, direction, limits, {}, budget.interrupt);
    if (!walk) return walk.error();
    shown.nodes.insert(shown.nodes.end(), walk->nodes.begin(), walk->nodes.end());
    if (walk->is_cut_by_depth && shown.incomplete == Incomplete::no) shown.incomplete = Incomplete::depth;
    if (walk->is_cut_by_vertices) shown.incomplete = Incomplete::nodes;
    return {};
  };
  if (auto const added = add(graph::Direction::ancestors, params.up); !added) return added.error();
  if (auto const added = add(graph::Direction::descendants, params.down); !added) return added.error();

  std::sort(shown.nodes.begin(), shown.nodes.end(), [&](Ranked const& a, Ranked const& b) {
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

void write_frontier(Writer& out, Surroundings const& shown) {
  out.key("frontier").begin_array();
  for (FrontierNode const& node : shown.frontier) {
    out.begin_object().key("ref");
    write_ref(out, shown.view.snapshot, node.vertex);
    out.member("causes", node.causes).member("effects", node.effects).end_object();
  }
  out.end_array();
}

}  // namespace

Result<Answer> lineage_graph(View const& view, LineageGraphParams const& params, std::uint32_t limit,
                             Budget const& budget) {
  auto const start = resolve(view.snapshot, params.ref, "/ref");
  if (!start) return start.error();
  auto shown = std::make_shared<Surroundings>(Surroundings{view, includes_of(params.include), {}});
  if (auto const added = add_nodes(*shown, *start, params, limit, budget); !added) return added.error();
  if (auto const added = add_edges_and_frontier(*shown, budget.interrupt); !added) return added.error();

  Answer answer;
  answer.incomplete = shown->incomplete;
  auto const write_node_range = [shown](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Ranked const> const page(shown->nodes.data() + begin, end - begin);
    return write_nodes(out, shown->view, shown->includes, page, write_depth_and_weight);
  };
  auto const write_edge_range = [shown](Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) write_edge(out, shown->view, shown->edges[i].stored);
    return {};
  };
  answer.lists.push_back({"nodes", shown->nodes.size(), write_node_range});
  answer.lists.push_back({"edges", shown->edges.size(), write_edge_range});
  answer.write_members = [shown](Writer& out) { write_frontier(out, *shown); };
  answer.vertices = [shown](auto const&) { return shown_vertices(std::span<Ranked const>(shown->nodes), {}); };
  return answer;
}

}  // namespace whence::queries
