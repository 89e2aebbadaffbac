#pragma once
// What both adapters to Boost.Graph share: vertices are the numbers 0, 1, 2, ..., edges are held by the numbers of
// their ends, and an iterator runs along the edges that leave a vertex or arrive there.

#include "schema/base/ids.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <boost/graph/adjacency_iterator.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

namespace whence::graph {

/// An edge by the numbers of its ends.
template <class Graph>
struct NumberedEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  schema::EdgeId id{};

  friend bool operator==(NumberedEdge const& a, NumberedEdge const& b) noexcept { return a.id == b.id; }
};

/// The base of an iterator along the edges of a graph.
template <class Iterator, class Graph>
using EdgeFacade = boost::iterator_facade<Iterator, NumberedEdge<Graph>, boost::forward_traversal_tag,
                                          NumberedEdge<Graph>, std::ptrdiff_t>;

/// What Boost.Graph asks for. `Graph` has `size()`, `weight(EdgeId)` and `edges<is_out>(v)`, a range of `EdgeIterator`.
template <class Graph, template <bool> class EdgeIterator>
struct NumberedGraphTypes {
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = NumberedEdge<Graph>;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_iterator = boost::counting_iterator<std::uint32_t>;
  using out_edge_iterator = EdgeIterator<true>;
  using in_edge_iterator = EdgeIterator<false>;
  using adjacency_iterator =
      typename boost::adjacency_iterator_generator<Graph, vertex_descriptor, out_edge_iterator>::type;
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint64_t;
  using degree_size_type = std::size_t;
  static constexpr vertex_descriptor null_vertex() noexcept { return UINT32_MAX; }
};

template <class Graph>
concept NumberedGraph = std::same_as<typename Graph::edge_descriptor, NumberedEdge<Graph>>;

template <NumberedGraph Graph>
std::uint32_t source(NumberedEdge<Graph> const& edge, Graph const& /*graph*/) noexcept {
  return edge.from;
}
template <NumberedGraph Graph>
std::uint32_t target(NumberedEdge<Graph> const& edge, Graph const& /*graph*/) noexcept {
  return edge.to;
}
template <NumberedGraph Graph>
auto vertices(Graph const& graph) noexcept {
  using Iterator = typename Graph::vertex_iterator;
  return std::pair{Iterator{0}, Iterator{graph.size()}};
}
template <NumberedGraph Graph>
std::uint32_t num_vertices(Graph const& graph) noexcept {
  return graph.size();
}
template <NumberedGraph Graph>
auto out_edges(std::uint32_t v, Graph const& graph) {
  return graph.template edges<true>(v);
}
template <NumberedGraph Graph>
auto in_edges(std::uint32_t v, Graph const& graph) {
  return graph.template edges<false>(v);
}
/// O(neighbours), as the other degrees: those that are not in the graph are not counted.
template <NumberedGraph Graph>
std::size_t out_degree(std::uint32_t v, Graph const& graph) {
  auto const [begin, end] = out_edges(v, graph);
  return static_cast<std::size_t>(std::distance(begin, end));
}
template <NumberedGraph Graph>
std::size_t in_degree(std::uint32_t v, Graph const& graph) {
  auto const [begin, end] = in_edges(v, graph);
  return static_cast<std::size_t>(std::distance(begin, end));
}
template <NumberedGraph Graph>
std::size_t degree(std::uint32_t v, Graph const& graph) {
  return in_degree(v, graph) + out_degree(v, graph);
}
template <NumberedGraph Graph>
auto adjacent_vertices(std::uint32_t v, Graph const& graph) {
  using Iterator = typename Graph::adjacency_iterator;
  auto const [begin, end] = out_edges(v, graph);
  return std::pair{Iterator{begin, &graph}, Iterator{end, &graph}};
}

/// What an edge multiplies a path by: `Snapshot::path_weight`.
template <class Graph>
struct PathWeightMap {
  using key_type = NumberedEdge<Graph>;
  using value_type = double;
  using reference = double;
  using category = boost::readable_property_map_tag;

  Graph const* graph = nullptr;

  friend double get(PathWeightMap map, key_type const& edge) noexcept { return map.graph->weight(edge.id); }
};

using VertexIndexMap = boost::typed_identity_property_map<std::uint32_t>;

template <NumberedGraph Graph>
VertexIndexMap get(boost::vertex_index_t /*tag*/, Graph const& /*graph*/) noexcept {
  return {};
}
template <NumberedGraph Graph>
std::uint32_t get(boost::vertex_index_t /*tag*/, Graph const& /*graph*/, std::uint32_t v) noexcept {
  return v;
}
template <NumberedGraph Graph>
PathWeightMap<Graph> get(boost::edge_weight_t /*tag*/, Graph const& graph) noexcept {
  return {&graph};
}
template <NumberedGraph Graph>
double get(boost::edge_weight_t /*tag*/, Graph const& graph, NumberedEdge<Graph> const& edge) noexcept {
  return graph.weight(edge.id);
}

}  // namespace whence::graph

template <whence::graph::NumberedGraph Graph>
struct boost::property_map<Graph, boost::vertex_index_t> {
  using type = whence::graph::VertexIndexMap;
  using const_type = type;
};

template <whence::graph::NumberedGraph Graph>
struct boost::property_map<Graph, boost::edge_weight_t> {
  using type = whence::graph::PathWeightMap<Graph>;
  using const_type = type;
};
