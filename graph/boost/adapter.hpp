#pragma once
// A Snapshot as Boost.Graph sees it: a directed graph of influence (cause -> effect) that models BidirectionalGraph,
// AdjacencyGraph and VertexListGraph, with readable property maps. Include this to run Boost.Graph's algorithms on a
// snapshot.
//
// Boost.Graph's "out" are effects, its "in" causes. Edges without influence and deleted vertices are not part of this
// view. Vertex numbers are the vertices' indices, so a vector of vertex_count() elements serves as any property map
// over vertices. Algorithms make theirs of num_vertices() elements: so it is vertex_count(), and vertices() may be
// fewer.

#include "graph/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <boost/graph/adjacency_iterator.hpp>
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

/// Runs through a snapshot's visible vertices. Valid as long as the snapshot.
class VertexIterator
    : public boost::iterator_facade<VertexIterator, VertexId, boost::forward_traversal_tag, VertexId, std::ptrdiff_t> {
 public:
  VertexIterator() = default;
  VertexIterator(Snapshot const& graph, std::uint32_t at) noexcept : graph_{&graph}, at_{at} { skip(); }

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] VertexId dereference() const noexcept { return VertexId{at_}; }
  [[nodiscard]] bool equal(VertexIterator const& other) const noexcept { return at_ == other.at_; }
  void increment() noexcept {
    ++at_;
    skip();
  }
  void skip() noexcept {
    while (at_ < graph_->vertex_count() && graph_->is_deleted(VertexId{at_})) ++at_;
  }

  Snapshot const* graph_ = nullptr;
  std::uint32_t at_ = 0;
};

/// Runs along a vertex's effects or causes; owns them together with its copies where deleted ones had to be left out.
/// Valid as long as the snapshot.
template <bool is_along>
class InfluenceIterator
    : public boost::iterator_facade<InfluenceIterator<is_along>, InfluenceEdge, boost::random_access_traversal_tag,
                                    InfluenceEdge, std::ptrdiff_t> {
 public:
  InfluenceIterator() = default;
  InfluenceIterator(VertexId here, Neighbours list, std::size_t at) noexcept
      : here_{here},
        at_{static_cast<std::ptrdiff_t>(at)},
        others_{list.vertices.data()},
        edges_{list.edges.data()},
        kept_{std::move(list.kept)} {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] InfluenceEdge dereference() const noexcept {
    if constexpr (is_along) {
      return {here_, others_[at_], edges_[at_]};
    } else {
      return {others_[at_], here_, edges_[at_]};
    }
  }
  // By place: the lists of two calls may lie in different memory.
  [[nodiscard]] bool equal(InfluenceIterator const& other) const noexcept { return at_ == other.at_; }
  void increment() noexcept { ++at_; }
  void decrement() noexcept { --at_; }
  void advance(std::ptrdiff_t by) noexcept { at_ += by; }
  [[nodiscard]] std::ptrdiff_t distance_to(InfluenceIterator const& other) const noexcept { return other.at_ - at_; }

  VertexId here_{};
  std::ptrdiff_t at_ = 0;
  VertexId const* others_ = nullptr;
  EdgeId const* edges_ = nullptr;
  std::shared_ptr<void const> kept_;
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
  using adjacency_iterator =
      boost::adjacency_iterator_generator<whence::graph::Snapshot, vertex_descriptor, out_edge_iterator>::type;
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
  return {VertexIterator{graph, 0}, VertexIterator{graph, graph.vertex_count()}};
}
/// Deleted ones included: see above.
inline std::uint32_t num_vertices(Snapshot const& graph) noexcept {
  return graph.vertex_count();
}

inline std::pair<EffectIterator, EffectIterator> out_edges(VertexId v, Snapshot const& graph) {
  auto const list = graph.effects(v);
  return {EffectIterator{v, list, 0}, EffectIterator{v, list, list.size()}};
}
inline std::pair<CauseIterator, CauseIterator> in_edges(VertexId v, Snapshot const& graph) {
  auto const list = graph.causes(v);
  return {CauseIterator{v, list, 0}, CauseIterator{v, list, list.size()}};
}
inline std::size_t out_degree(VertexId v, Snapshot const& graph) {
  return graph.effects(v).size();
}
inline std::size_t in_degree(VertexId v, Snapshot const& graph) {
  return graph.causes(v).size();
}
inline std::size_t degree(VertexId v, Snapshot const& graph) {
  return in_degree(v, graph) + out_degree(v, graph);
}
inline auto adjacent_vertices(VertexId v, Snapshot const& graph) {
  using Iterator = boost::graph_traits<Snapshot>::adjacency_iterator;
  auto const [begin, end] = out_edges(v, graph);
  return std::pair{Iterator{begin, &graph}, Iterator{end, &graph}};
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
