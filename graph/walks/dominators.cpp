// Dominators of an acyclic part in one pass over its topological order: when a vertex is met, the dominators
// of all vertices that lead to it are known, and its own is their nearest common ancestor in the tree of dominators.
//
// Boost.Graph's lengauer_tarjan_dominator_tree is not used: it compresses paths by recursion. Measured: on two chains
// of 500,000 vertices that meet (g++ 12 -O2; 200,000 at -O0) it overflows a stack of 8 MB; it is slower, too: 339
// against 286 ms (207,762 vertices of a graph of 2.2 M edges, -O2, median of 5). The tests compare both.
#include "graph/walks/dominators.hpp"

#include "graph/walks/between.hpp"
#include "graph/walks/order.hpp"

#include <algorithm>
#include <utility>

namespace whence::graph {

using impl::LocalNumbers;

namespace {

/// A tree that grows by leaves. Each node has its parent and one jump to a further ancestor, whose length depends on
/// the depth alone; so common ancestors are found in O(log depth) (Myers, "An applicative random-access stack", 1983).
class DominatorTree {
 public:
  static constexpr std::uint32_t root = LocalNumbers::none;

  explicit DominatorTree(std::uint32_t size) : nodes_(size) {}

  void add(std::uint32_t v, std::uint32_t parent) {
    auto const jump = jump_of(parent);
    bool const is_equal_stride = depth_of(parent) - depth_of(jump) == depth_of(jump) - depth_of(jump_of(jump));
    nodes_[v] = {parent, is_equal_stride ? jump_of(jump) : parent, depth_of(parent) + 1};
  }

  [[nodiscard]] std::uint32_t parent_of(std::uint32_t v) const { return v == root ? root : nodes_[v].parent; }

  [[nodiscard]] std::uint32_t common_ancestor(std::uint32_t a, std::uint32_t b) const {
    if (depth_of(a) < depth_of(b)) std::swap(a, b);
    while (depth_of(a) > depth_of(b)) a = depth_of(jump_of(a)) >= depth_of(b) ? jump_of(a) : parent_of(a);
    while (a != b) {
      bool const is_below = jump_of(a) != jump_of(b);
      a = is_below ? jump_of(a) : parent_of(a);
      b = is_below ? jump_of(b) : parent_of(b);
    }
    return a;
  }

 private:
  struct Node {
    std::uint32_t parent = root;
    std::uint32_t jump = root;
    std::uint32_t depth = 0;
  };

  [[nodiscard]] std::uint32_t jump_of(std::uint32_t v) const { return v == root ? root : nodes_[v].jump; }
  [[nodiscard]] std::uint32_t depth_of(std::uint32_t v) const { return v == root ? 0 : nodes_[v].depth; }

  std::vector<Node> nodes_;
};

/// The tree of `graph`, whose first `starts` members hang from a root of their own. Every other member is reached from
/// one of them. Throws `Stopped`.
DominatorTree dominator_tree(PartGraph const& graph, std::uint32_t starts) {
  DominatorTree tree{graph.size()};
  for (auto const v : impl::topological_order(graph)) {
    if (v < starts) {
      tree.add(v, DominatorTree::root);
      continue;
    }
    auto [edge, end] = in_edges(v, graph);
    auto dominator = edge == end ? DominatorTree::root : source(*edge, graph);
    for (; edge != end; ++edge) dominator = tree.common_ancestor(dominator, source(*edge, graph));
    tree.add(v, dominator);
  }
  return tree;
}

}  // namespace

Result<std::vector<VertexId>> dominators_between(Snapshot const& snapshot, VertexId from, VertexId to,
                                                 schema::Interrupt const& interrupt, schema::EdgeTypeSet edge_types) {
  auto const between = impl::vertices_between(snapshot, from, to, interrupt, edge_types);
  if (!between) return between.error();
  std::vector<VertexId> dominators;
  if (between->empty()) return dominators;
  LocalNumbers part{snapshot.vertex_count()};
  part.add(from);
  for (auto const v : *between) part.add(v);
  schema::Poll poll{interrupt};
  PartGraph const graph{snapshot, part, Direction::descendants, edge_types, poll};
  bool const is_complete = completes([&] {
    auto const tree = dominator_tree(graph, 1);
    for (auto v = tree.parent_of(part.find(to)); v != 0; v = tree.parent_of(v)) dominators.push_back(part[v]);
  });
  if (!is_complete) return poll.error();
  std::reverse(dominators.begin(), dominators.end());
  return dominators;
}

Result<std::vector<std::optional<VertexId>>> nearest_dominators(Snapshot const& snapshot,
                                                                std::span<VertexId const> starts, Direction direction,
                                                                WalkLimits const& limits, Reach const& reach,
                                                                schema::Interrupt const& interrupt) {
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : starts) {
    if (!snapshot.is_deleted(v)) part.add(v);
  }
  auto const start_count = part.size();
  for (auto const v : reach.vertices) part.add(v);
  schema::Poll poll{interrupt};
  PartGraph const graph{snapshot, part, direction, limits.edge_types, poll};
  std::vector<std::optional<VertexId>> nearest(reach.vertices.size());
  bool const is_complete = completes([&] {
    auto const tree = dominator_tree(graph, start_count);
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      auto const dominator = tree.parent_of(part.find(reach.vertices[i]));
      if (dominator != DominatorTree::root && dominator >= start_count) nearest[i] = part[dominator];
    }
  });
  if (!is_complete) return poll.error();
  return nearest;
}

}  // namespace whence::graph
