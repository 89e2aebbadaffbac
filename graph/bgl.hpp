#pragma once
// A Snapshot as Boost.Graph sees it: a directed graph of influence (cause -> effect) that models BidirectionalGraph,
// AdjacencyGraph and VertexListGraph, with readable property maps. Include this to run Boost.Graph's algorithms on a
// snapshot.
//
// Boost.Graph's "out" are effects, its "in" causes. Edges without influence are not part of this view. Vertex numbers
// are the vertices' indices, so a vector of vertex_count() elements serves as any property map over vertices.

#include "graph/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

namespace whence::graph {

/// An edge of influence.
struct InfluenceEdge {
  VertexId cause{};
  VertexId effect{};
  EdgeId id{};

  friend bool operator==(InfluenceEdge const& a, InfluenceEdge const& b) noexcept { return a.id == b.id; }
};

/// Counts through a snapshot's vertices.
class VertexIterator : public boost::iterator_facade<VertexIterator, VertexId, boost::random_access_traversal_tag,
                                                     VertexId, std::ptrdiff_t> {
 public:
  VertexIterator() = default;
  explicit VertexIterator(std::uint32_t at) noexcept : at_{at} {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] VertexId dereference() const noexcept { return VertexId{static_cast<std::uint32_t>(at_)}; }
  [[nodiscard]] bool equal(VertexIterator const& other) const noexcept { return at_ == other.at_; }
  void increment() noexcept { ++at_; }
  void decrement() noexcept { --at_; }
  void advance(std::ptrdiff_t by) noexcept { at_ += by; }
  [[nodiscard]] std::ptrdiff_t distance_to(VertexIterator const& other) const noexcept { return other.at_ - at_; }

  std::ptrdiff_t at_ = 0;
};

/// Runs along a vertex's effects or causes. Valid as long as the snapshot.
template <bool is_along>
class InfluenceIterator
    : public boost::iterator_facade<InfluenceIterator<is_along>, InfluenceEdge, boost::random_access_traversal_tag,
                                    InfluenceEdge, std::ptrdiff_t> {
 public:
  InfluenceIterator() = default;
  InfluenceIterator(VertexId here, VertexId const* other, EdgeId const* edge) noexcept
      : here_{here}, other_{other}, edge_{edge} {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] InfluenceEdge dereference() const noexcept {
    if constexpr (is_along) {
      return {here_, *other_, *edge_};
    } else {
      return {*other_, here_, *edge_};
    }
  }
  [[nodiscard]] bool equal(InfluenceIterator const& other) const noexcept { return edge_ == other.edge_; }
  void increment() noexcept { advance(1); }
  void decrement() noexcept { advance(-1); }
  void advance(std::ptrdiff_t by) noexcept {
    other_ += by;
    edge_ += by;
  }
  [[nodiscard]] std::ptrdiff_t distance_to(InfluenceIterator const& other) const noexcept {
    return other.edge_ - edge_;
  }

  VertexId here_{};
  VertexId const* other_ = nullptr;
  EdgeId const* edge_ = nullptr;
};

using EffectIterator = InfluenceIterator<true>;
using CauseIterator = InfluenceIterator<false>;

struct SnapshotCategory : boost::bidirectional_graph_tag, boost::adjacency_graph_tag, boost::vertex_list_graph_tag {};

}  // namespace whence::graph

template <>
struct boost::graph_traits<whence::graph::Snapshot> {
  using vertex_descriptor = whence::graph::VertexId;
  using edge_descriptor = whence::graph::InfluenceEdge;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using traversal_category = whence::graph::SnapshotCategory;
  using vertex_iterator = whence::graph::VertexIterator;
  using out_edge_iterator = whence::graph::EffectIterator;
  using in_edge_iterator = whence::graph::CauseIterator;
  using adjacency_iterator = whence::graph::VertexId const*;
  using edge_iterator = void;
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint64_t;
  using degree_size_type = std::size_t;

  static constexpr vertex_descriptor null_vertex() noexcept { return vertex_descriptor{0xffff'ffff}; }
};

namespace whence::graph {

inline VertexId source(InfluenceEdge const& edge, Snapshot const& /*graph*/) noexcept {
  return edge.cause;
}
inline VertexId target(InfluenceEdge const& edge, Snapshot const& /*graph*/) noexcept {
  return edge.effect;
}

inline std::pair<VertexIterator, VertexIterator> vertices(Snapshot const& graph) noexcept {
  return {VertexIterator{0}, VertexIterator{graph.vertex_count()}};
}
inline std::uint32_t num_vertices(Snapshot const& graph) noexcept {
  return graph.vertex_count();
}

inline std::pair<EffectIterator, EffectIterator> out_edges(VertexId v, Snapshot const& graph) noexcept {
  auto const list = graph.effects(v);
  EffectIterator const begin{v, list.vertices.data(), list.edges.data()};
  return {begin, begin + static_cast<std::ptrdiff_t>(list.size())};
}
inline std::pair<CauseIterator, CauseIterator> in_edges(VertexId v, Snapshot const& graph) noexcept {
  auto const list = graph.causes(v);
  CauseIterator const begin{v, list.vertices.data(), list.edges.data()};
  return {begin, begin + static_cast<std::ptrdiff_t>(list.size())};
}
inline std::size_t out_degree(VertexId v, Snapshot const& graph) noexcept {
  return graph.effects(v).size();
}
inline std::size_t in_degree(VertexId v, Snapshot const& graph) noexcept {
  return graph.causes(v).size();
}
inline std::size_t degree(VertexId v, Snapshot const& graph) noexcept {
  return in_degree(v, graph) + out_degree(v, graph);
}
inline std::pair<VertexId const*, VertexId const*> adjacent_vertices(VertexId v, Snapshot const& graph) noexcept {
  auto const list = graph.effects(v);
  return {list.vertices.data(), list.vertices.data() + list.size()};
}

/// A vertex's number.
struct VertexIndexMap {
  using key_type = VertexId;
  using value_type = std::uint32_t;
  using reference = std::uint32_t;
  using category = boost::readable_property_map_tag;

  [[nodiscard]] std::uint32_t operator[](VertexId v) const noexcept { return schema::number(v); }
  friend std::uint32_t get(VertexIndexMap /*map*/, VertexId v) noexcept { return schema::number(v); }
};

/// An edge's number, among those of relations.
struct EdgeIndexMap {
  using key_type = InfluenceEdge;
  using value_type = std::uint32_t;
  using reference = std::uint32_t;
  using category = boost::readable_property_map_tag;

  friend std::uint32_t get(EdgeIndexMap /*map*/, InfluenceEdge const& edge) noexcept { return schema::number(edge.id); }
};

/// What an edge multiplies a path by: `Snapshot::path_weight`. Valid as long as the snapshot it was taken from.
struct PathWeightMap {
  using key_type = InfluenceEdge;
  using value_type = double;
  using reference = double;
  using category = boost::readable_property_map_tag;

  Snapshot const* graph = nullptr;

  friend double get(PathWeightMap map, InfluenceEdge const& edge) noexcept { return map.graph->path_weight(edge.id); }
};

inline VertexIndexMap get(boost::vertex_index_t /*tag*/, Snapshot const& /*graph*/) noexcept {
  return {};
}
inline EdgeIndexMap get(boost::edge_index_t /*tag*/, Snapshot const& /*graph*/) noexcept {
  return {};
}
inline PathWeightMap get(boost::edge_weight_t /*tag*/, Snapshot const& graph) noexcept {
  return {&graph};
}
inline std::uint32_t get(boost::vertex_index_t /*tag*/, Snapshot const& /*graph*/, VertexId v) noexcept {
  return schema::number(v);
}
inline std::uint32_t get(boost::edge_index_t /*tag*/, Snapshot const& /*graph*/, InfluenceEdge const& edge) noexcept {
  return schema::number(edge.id);
}
inline double get(boost::edge_weight_t /*tag*/, Snapshot const& graph, InfluenceEdge const& edge) noexcept {
  return graph.path_weight(edge.id);
}

}  // namespace whence::graph

template <>
struct boost::property_map<whence::graph::Snapshot, boost::vertex_index_t> {
  using type = whence::graph::VertexIndexMap;
  using const_type = type;
};

template <>
struct boost::property_map<whence::graph::Snapshot, boost::edge_index_t> {
  using type = whence::graph::EdgeIndexMap;
  using const_type = type;
};

template <>
struct boost::property_map<whence::graph::Snapshot, boost::edge_weight_t> {
  using type = whence::graph::PathWeightMap;
  using const_type = type;
};
