// Boost.Graph's transitive reduction writes into a graph, here `KeptPairs`, which also ends a long one: it throws
// `Stopped` where an edge is added, caught by `completes`. What is kept are pairs of nodes, with all edges between
// them.
#include "graph/walks/reduction.hpp"

#include "graph/boost/adapter.hpp"
#include "schema/base/limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/graph/transitive_reduction.hpp>

namespace whence::graph {

using impl::LocalNumbers;

namespace {

/// What Boost.Graph writes a reduction into: the pairs of vertices that keep their edges, ascending from each vertex.
/// Also where a long reduction is stopped, as it asks the part for each vertex only once.
struct KeptPairs {
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = std::pair<std::uint32_t, std::uint32_t>;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using traversal_category = boost::incidence_graph_tag;

  std::vector<std::vector<std::uint32_t>> effects;
  schema::Poll& poll;
};

/// Numbers of the reduction are places in the topological order.
std::uint32_t add_vertex(KeptPairs& kept) {
  kept.effects.emplace_back();
  return static_cast<std::uint32_t>(kept.effects.size() - 1);
}

std::pair<KeptPairs::edge_descriptor, bool> add_edge(std::uint32_t cause, std::uint32_t effect, KeptPairs& kept) {
  kept.effects[cause].push_back(effect);
  if (kept.poll.must_stop(kept.effects.size())) throw Stopped{};
  return {{cause, effect}, true};
}

// Boost.Graph's concept of a graph to write into asks for these; a reduction calls none of them.
[[maybe_unused]] void remove_edge(std::uint32_t, std::uint32_t, KeptPairs&) {}
[[maybe_unused]] void remove_edge(KeptPairs::edge_descriptor const&, KeptPairs&) {}
[[maybe_unused]] void clear_vertex(std::uint32_t, KeptPairs&) {}
[[maybe_unused]] void remove_vertex(std::uint32_t, KeptPairs&) {}

/// Throws `Stopped`.
std::vector<EdgeId> edges_not_kept(PartGraph const& graph, schema::Poll& poll) {
  KeptPairs kept{{}, poll};
  std::vector<std::uint32_t> place(graph.size());
  auto const index = get(boost::vertex_index, graph);
  boost::transitive_reduction(graph, kept, boost::make_iterator_property_map(place.begin(), index), index);
  std::vector<EdgeId> implied;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    auto const& effects = kept.effects[place[v]];
    for (auto [edge, end] = out_edges(v, graph); edge != end; ++edge) {
      auto const [cause, effect, id] = *edge;
      if (!std::binary_search(effects.begin(), effects.end(), place[effect])) implied.push_back(id);
    }
  }
  std::ranges::sort(implied);
  return implied;
}

}  // namespace

Result<void> check_reduction_size(std::uint64_t vertices) {
  if (vertices <= schema::limits::reduction_vertices_max) return {};
  return Error{.code = Errc::limit_exceeded,
               .message = "a transitive reduction is made of at most " +
                          std::to_string(schema::limits::reduction_vertices_max) + " nodes, these are " +
                          std::to_string(vertices)};
}

Result<std::vector<EdgeId>> implied_edges(Snapshot const& snapshot, std::span<VertexId const> vertices,
                                          schema::EdgeTypeSet edge_types, schema::Interrupt const& interrupt) {
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : vertices) part.add(v);
  if (auto const allowed = check_reduction_size(part.size()); !allowed) return allowed.error();
  std::vector<EdgeId> implied;
  if (part.size() == 0) return implied;
  schema::Poll poll{interrupt};
  PartGraph const graph{snapshot, part, Direction::descendants, edge_types, poll};
  if (!completes([&] { implied = edges_not_kept(graph, poll); })) return poll.error();
  return implied;
}

}  // namespace whence::graph
