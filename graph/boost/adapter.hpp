#pragma once
// A part of a snapshot as Boost.Graph sees it: the vertices some walk has reached, numbered 0, 1, 2, ..., with the
// influence edges among them. Include this to run Boost.Graph's algorithms on the provenance graph.
//
// `PartGraph` models BidirectionalGraph, AdjacencyGraph and VertexListGraph and has readable property maps for
// `vertex_index` and `edge_weight`. It copies nothing: an iterator runs along the snapshot's own list of neighbours and
// passes over what is outside the part or of another edge type. A vertex descriptor is the local number, so a vector of
// `num_vertices` elements serves as any property map over vertices.
//
// "Out" is the direction of the walk: effects for descendants, causes for ancestors. Relations (edges without
// influence) are not in this view, nor are deleted vertices, since no walk reaches one.
//
// Interruption: Boost.Graph's algorithms know no way to stop early. `out_edges` and `in_edges` count their steps with
// the part's poll and throw `Stopped` when it asks for that. Run algorithms through `completes`, which turns it into
// false.

#include "graph/boost/scratch.hpp"
#include "graph/boost/walked.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <boost/graph/adjacency_iterator.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

namespace whence::graph {

class PartGraph;

/// An influence edge of a part, by local numbers, in the direction of the walk.
struct PartEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  EdgeId id{};

  friend bool operator==(PartEdge const& a, PartEdge const& b) noexcept { return a.id == b.id; }
};

/// Runs along the edges of one member that stay inside the part: those leading on where `is_out`, else those arriving.
/// Valid as long as its graph. 40 bytes: a depth-first search holds two for each vertex on its stack.
template <bool is_out>
class PartEdgeIterator : public boost::iterator_facade<PartEdgeIterator<is_out>, PartEdge, boost::forward_traversal_tag,
                                                       PartEdge, std::ptrdiff_t> {
 public:
  PartEdgeIterator() = default;
  PartEdgeIterator(PartGraph const& graph, std::uint32_t here, impl::ListView const& list, std::size_t at) noexcept;

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] PartEdge dereference() const noexcept {
    return is_out ? PartEdge{here_, other_, edges_[at_]} : PartEdge{other_, here_, edges_[at_]};
  }
  [[nodiscard]] bool equal(PartEdgeIterator const& other) const noexcept { return at_ == other.at_; }
  void increment() noexcept {
    ++at_;
    skip();
  }
  [[gnu::always_inline]] void skip() noexcept;

  PartGraph const* graph_ = nullptr;
  VertexId const* vertices_ = nullptr;
  EdgeId const* edges_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t here_ = 0;
  std::uint32_t other_ = 0;  ///< the far end of the edge at `at_`
};

/// Thrown out of an algorithm on a part whose poll asks to stop; never leaves `completes`.
struct Stopped {};

/// Runs `algorithm` and returns whether it came to its end: false where the poll of its part has stopped it.
template <class Algorithm>
[[nodiscard]] bool completes(Algorithm const& algorithm) {
  try {
    algorithm();
    return true;
  } catch (Stopped const&) {
    return false;
  }
}

/// See the top of this file. A view: snapshot, part and poll outlive it. For one thread, as its part is.
class PartGraph {
 public:
  // What Boost.Graph asks for.
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = PartEdge;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::bidirectional_graph_tag,
                              boost::adjacency_graph_tag,
                              boost::vertex_list_graph_tag {};
  using vertex_iterator = boost::counting_iterator<std::uint32_t>;
  using out_edge_iterator = PartEdgeIterator<true>;
  using in_edge_iterator = PartEdgeIterator<false>;
  using adjacency_iterator = boost::adjacency_iterator_generator<PartGraph, vertex_descriptor, out_edge_iterator>::type;
  using edge_iterator = void;
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint64_t;
  using degree_size_type = std::size_t;
  static constexpr vertex_descriptor null_vertex() noexcept { return impl::LocalNumbers::none; }

  PartGraph(Snapshot const& snapshot, impl::LocalNumbers const& part, Direction direction,
            schema::EdgeTypeSet edge_types, schema::Poll& poll) noexcept
      : part_{part},
        next_{snapshot, direction, edge_types},
        previous_{snapshot, opposite_of(direction), edge_types},
        direction_{direction},
        poll_{poll} {}

  [[nodiscard]] std::uint32_t size() const noexcept { return part_.size(); }
  [[nodiscard]] impl::LocalNumbers const& members() const noexcept { return part_; }
  [[nodiscard]] Direction direction() const noexcept { return direction_; }
  [[nodiscard]] double weight(EdgeId edge) const noexcept { return next_.path_weight(edge); }

  /// The edges of a member, out or in. Throws `Stopped`.
  template <bool is_out>
  [[nodiscard]] std::pair<PartEdgeIterator<is_out>, PartEdgeIterator<is_out>> edges(std::uint32_t v) const {
    auto const list = (is_out ? next_ : previous_)[part_[v]];
    if (poll_.must_stop(list.size() + 1)) throw Stopped{};
    return {{*this, v, list, 0}, {*this, v, list, list.size()}};
  }

  /// Whether every cause of a member, in the part or not, has a lower number than the member. Throws `Stopped`.
  [[nodiscard]] bool follows_its_causes(std::uint32_t v) const {
    auto const causes = (direction_ == Direction::ancestors ? next_ : previous_)[part_[v]].vertices;
    if (poll_.must_stop(causes.size() + 1)) throw Stopped{};
    return std::ranges::all_of(causes, [self = part_[v]](VertexId cause) { return cause < self; });
  }

 private:
  template <bool is_out>
  friend class PartEdgeIterator;

  impl::LocalNumbers const& part_;
  impl::WalkedLists next_;
  impl::WalkedLists previous_;
  Direction direction_;
  schema::Poll& poll_;
};

template <bool is_out>
[[gnu::always_inline]] inline PartEdgeIterator<is_out>::PartEdgeIterator(PartGraph const& graph, std::uint32_t here,
                                                                         impl::ListView const& list,
                                                                         std::size_t at) noexcept
    : graph_{&graph},
      vertices_{list.vertices.data()},
      edges_{list.edges.data()},
      at_{static_cast<std::uint32_t>(at)},
      end_{static_cast<std::uint32_t>(list.size())},
      here_{here} {
  skip();
}

template <bool is_out>
inline void PartEdgeIterator<is_out>::skip() noexcept {
  for (; at_ != end_; ++at_) {
    if (!graph_->next_.is_walked(edges_[at_])) continue;
    other_ = graph_->part_.find(vertices_[at_]);
    if (other_ != impl::LocalNumbers::none) return;
  }
}

inline std::uint32_t source(PartEdge const& edge, PartGraph const& /*graph*/) noexcept {
  return edge.from;
}
inline std::uint32_t target(PartEdge const& edge, PartGraph const& /*graph*/) noexcept {
  return edge.to;
}
inline std::pair<PartGraph::vertex_iterator, PartGraph::vertex_iterator> vertices(PartGraph const& graph) noexcept {
  return {PartGraph::vertex_iterator{0}, PartGraph::vertex_iterator{graph.size()}};
}
inline std::uint32_t num_vertices(PartGraph const& graph) noexcept {
  return graph.size();
}
inline auto out_edges(std::uint32_t v, PartGraph const& graph) {
  return graph.edges<true>(v);
}
inline auto in_edges(std::uint32_t v, PartGraph const& graph) {
  return graph.edges<false>(v);
}
/// O(neighbours), as the other degrees: those outside the part are not counted.
inline std::size_t out_degree(std::uint32_t v, PartGraph const& graph) {
  auto const [begin, end] = out_edges(v, graph);
  return static_cast<std::size_t>(std::distance(begin, end));
}
inline std::size_t in_degree(std::uint32_t v, PartGraph const& graph) {
  auto const [begin, end] = in_edges(v, graph);
  return static_cast<std::size_t>(std::distance(begin, end));
}
inline std::size_t degree(std::uint32_t v, PartGraph const& graph) {
  return in_degree(v, graph) + out_degree(v, graph);
}
inline auto adjacent_vertices(std::uint32_t v, PartGraph const& graph) {
  auto const [begin, end] = out_edges(v, graph);
  return std::pair{PartGraph::adjacency_iterator{begin, &graph}, PartGraph::adjacency_iterator{end, &graph}};
}

/// What an edge multiplies a path by: `Snapshot::path_weight`.
struct PathWeightMap {
  using key_type = PartEdge;
  using value_type = double;
  using reference = double;
  using category = boost::readable_property_map_tag;

  PartGraph const* graph = nullptr;

  friend double get(PathWeightMap map, PartEdge const& edge) noexcept { return map.graph->weight(edge.id); }
};

using LocalIndexMap = boost::typed_identity_property_map<std::uint32_t>;

inline LocalIndexMap get(boost::vertex_index_t /*tag*/, PartGraph const& /*graph*/) noexcept {
  return {};
}
inline std::uint32_t get(boost::vertex_index_t /*tag*/, PartGraph const& /*graph*/, std::uint32_t v) noexcept {
  return v;
}
inline PathWeightMap get(boost::edge_weight_t /*tag*/, PartGraph const& graph) noexcept {
  return {&graph};
}
inline double get(boost::edge_weight_t /*tag*/, PartGraph const& graph, PartEdge const& edge) noexcept {
  return graph.weight(edge.id);
}

}  // namespace whence::graph

template <>
struct boost::property_map<whence::graph::PartGraph, boost::vertex_index_t> {
  using type = whence::graph::LocalIndexMap;
  using const_type = type;
};

template <>
struct boost::property_map<whence::graph::PartGraph, boost::edge_weight_t> {
  using type = whence::graph::PathWeightMap;
  using const_type = type;
};
