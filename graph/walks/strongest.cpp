// Products of weights along paths: the strongest path to each vertex.
#include "graph/boost/scratch.hpp"
#include "graph/boost/walked.hpp"
#include "graph/walks/helpers.hpp"
#include "graph/walks/order.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

namespace whence::graph {

using impl::LocalNumbers;
using impl::WalkedLists;

namespace {

/// Calls `visit(next, path weight)` for every walked edge from member `from` to a member `next` of `part`. The answer
/// is the number of steps that took.
template <class Visit>
std::size_t for_each_inside(LocalNumbers const& part, WalkedLists const& lists, std::uint32_t from,
                            Visit const& visit) {
  auto const list = lists[part[from]];
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!lists.is_walked(list.edges[i])) continue;
    auto const next = part.find(list.vertices[i]);
    if (next != LocalNumbers::none) visit(next, lists.path_weight(list.edges[i]));
  }
  return list.size() + 1;
}

/// Strongest products over paths of any length from member 0, whatever leads to a member before what it leads to.
/// Throws `Stopped`.
std::vector<double> strongest_of_any_length(PartGraph const& graph) {
  std::vector<double> strongest(graph.size(), 0.0);
  strongest[0] = 1;
  for (auto const at : impl::topological_order(graph)) {
    for (auto [edge, end] = out_edges(at, graph); edge != end; ++edge) {
      auto& next = strongest[target(*edge, graph)];
      next = std::max(next, strongest[at] * graph.weight(edge->id));
    }
  }
  return strongest;
}

/// Strongest products over paths of at most `depth` edges from member 0. Round k extends only what round k-1 improved,
/// from the value it had then, so that no path grows by two edges in a round.
std::vector<double> strongest_within(std::uint32_t depth, LocalNumbers const& part, WalkedLists const& lists,
                                     schema::Poll& poll) {
  struct Improved {
    std::uint32_t member;
    double weight;
  };
  std::vector<double> strongest(part.size(), 0.0);
  strongest[0] = 1;
  std::vector<std::uint32_t> improved_in(part.size(), 0);
  std::vector<Improved> round{{0, 1.0}};
  std::vector<std::uint32_t> next_members;
  for (std::uint32_t edges = 1; edges <= depth && !round.empty(); ++edges) {
    for (auto const& from : round) {
      auto const relax = [&](std::uint32_t next, double weight) {
        auto const product = from.weight * weight;
        if (product <= strongest[next]) return;
        strongest[next] = product;
        if (improved_in[next] == edges) return;
        improved_in[next] = edges;
        next_members.push_back(next);
      };
      if (poll.must_stop(for_each_inside(part, lists, from.member, relax))) return strongest;
    }
    round.clear();
    for (auto const member : next_members) round.push_back({member, strongest[member]});
    next_members.clear();
  }
  return strongest;
}

}  // namespace

Result<std::vector<double>> strongest_weights(Snapshot const& snapshot, VertexId start, Direction direction,
                                              WalkLimits const& limits, Reach const& reach,
                                              schema::Interrupt const& interrupt) {
  schema::Poll poll{interrupt};
  std::optional<Helpers::LongWalk> long_walk;  // others do not borrow this core
  if (reach.vertices.size() >= long_layer_min) long_walk.emplace(Helpers::of_process());
  WalkedLists const lists{snapshot, direction, limits.edge_types};
  LocalNumbers part{snapshot.vertex_count()};
  part.add(start);
  for (auto const v : reach.vertices) part.add(v);
  assert(part.size() == reach.vertices.size() + 1);

  // A path has fewer edges than the part has vertices, so a depth from there on bounds nothing.
  std::vector<double> strongest;
  if (limits.depth < part.size()) {
    strongest = strongest_within(limits.depth, part, lists, poll);
  } else {
    PartGraph const graph{snapshot, part, direction, limits.edge_types, poll};
    (void)completes([&] { strongest = strongest_of_any_length(graph); });
  }
  if (poll.has_stopped()) return poll.error();
  strongest.erase(strongest.begin());
  return strongest;
}

}  // namespace whence::graph
