// Boost.Graph's PageRank and connected components over a whole snapshot. PageRank takes a fixed number of rounds and is
// scaled to a sum of 1; one that was interrupted has no ranks. Components are numbered from the largest on.
#include "graph/boost/ranking.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <boost/graph/incremental_components.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/pending/disjoint_sets.hpp>

namespace whence::graph {
namespace {

constexpr std::size_t rank_rounds = 20;

/// Ends a ranking after its rounds, or when it has to end.
struct RankEnd {
  std::uint64_t steps;
  schema::Interrupt const& interrupt;
  schema::Stop& stop;
  std::size_t left = rank_rounds;

  template <class RankMap, class Graph>
  bool operator()(RankMap const& /*ranks*/, Graph const& /*graph*/) {
    stop = interrupt.check(steps);
    return stop != schema::Stop::none || left-- == 0;
  }
};

}  // namespace

Ranking rank_nodes(SnapshotGraph const& graph, RankTo to, schema::Interrupt const& interrupt) {
  Ranking made;
  made.ranks.resize(graph.size());
  auto const map = boost::make_iterator_property_map(made.ranks.begin(), get(boost::vertex_index, graph));
  RankEnd const end{.steps = graph.size() + graph.edge_count(), .interrupt = interrupt, .stop = made.stop};
  if (to == RankTo::causes) {
    boost::graph::page_rank(boost::make_reverse_graph(graph), map, end);
  } else {
    boost::graph::page_rank(graph, map, end);
  }
  if (made.stop != schema::Stop::none) {
    made.ranks.clear();
    return made;
  }
  double const sum = std::accumulate(made.ranks.begin(), made.ranks.end(), 0.0);
  for (double& rank : made.ranks) rank /= sum;
  return made;
}

std::vector<Component> find_components(SnapshotGraph const& graph) {
  std::vector<std::uint32_t> parent(graph.size());
  std::vector<std::uint32_t> height(graph.size());
  boost::disjoint_sets sets{height.data(), parent.data()};
  boost::initialize_incremental_components(graph, sets);
  boost::incremental_components(graph, sets);
  std::vector<std::uint32_t> size(graph.size());
  std::vector<std::uint32_t> roots;  // in the order of their first nodes
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    auto const root = sets.find_set(v);
    if (size[root]++ == 0) roots.push_back(root);
  }
  std::ranges::stable_sort(roots, [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });
  std::vector<std::uint32_t> number(graph.size());
  for (std::size_t i = 0; i < roots.size(); ++i) number[roots[i]] = static_cast<std::uint32_t>(i + 1);
  std::vector<Component> made;
  made.reserve(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    auto const root = sets.find_set(v);
    made.push_back({number[root], size[root]});
  }
  return made;
}

}  // namespace whence::graph
