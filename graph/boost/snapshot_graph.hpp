#pragma once
// A whole snapshot as Boost.Graph sees it: the visible vertices, numbered 0, 1, 2, ... in order of commit, and the
// edges among them. Include this to run Boost.Graph's algorithms on all that a store knew at a moment.
//
// `SnapshotGraph` models BidirectionalGraph, AdjacencyGraph, VertexListGraph and EdgeListGraph. An edge with influence
// leads from cause to effect, whatever its stored direction; relations (edges without influence) lead as they are
// stored, where they are wanted. A vertex descriptor is the vertex's number, so that a vector of `num_vertices`
// elements serves as any property map over vertices. Readable maps: `boost::vertex_index`, `boost::edge_weight`, and
// the members `refs`, `types`, `times`, `edge_types`.
//
// Influence is acyclic, so algorithms for acyclic graphs may be used without relations. Those for undirected graphs
// want an undirected one: `boost::incremental_components` and the like take the edges of this one.

#include "graph/boost/numbered_graph.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/property_map/function_property_map.hpp>

namespace whence::graph {

class SnapshotGraph;

using SnapshotEdge = NumberedEdge<SnapshotGraph>;

/// Runs along the edges that leave a vertex where `is_out`, else those that arrive. Valid as long as its graph.
template <bool is_out>
class SnapshotEdgeIterator : public EdgeFacade<SnapshotEdgeIterator<is_out>, SnapshotGraph> {
 public:
  SnapshotEdgeIterator() = default;
  SnapshotEdgeIterator(SnapshotGraph const& graph, std::uint32_t here, Neighbours influence, Neighbours relations,
                       std::size_t at) noexcept
      : graph_{&graph}, influence_{std::move(influence)}, relations_{std::move(relations)}, at_{at}, here_{here} {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] SnapshotEdge dereference() const noexcept;
  [[nodiscard]] bool equal(SnapshotEdgeIterator const& other) const noexcept { return at_ == other.at_; }
  void increment() noexcept { ++at_; }

  SnapshotGraph const* graph_ = nullptr;
  Neighbours influence_ = {};
  Neighbours relations_ = {};
  std::size_t at_ = 0;  ///< in the influence, then in the relations
  std::uint32_t here_ = 0;
};

/// Runs along the edges that leave one vertex after the other.
class AllEdgesIterator : public EdgeFacade<AllEdgesIterator, SnapshotGraph> {
 public:
  AllEdgesIterator() = default;
  /// At the first edge of `from` or of a vertex behind it.
  AllEdgesIterator(SnapshotGraph const& graph, std::uint32_t from);

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] SnapshotEdge dereference() const noexcept { return *here_; }
  [[nodiscard]] bool equal(AllEdgesIterator const& other) const noexcept {
    return vertex_ == other.vertex_ && here_ == other.here_;
  }
  void increment();
  void find_edge();

  SnapshotGraph const* graph_ = nullptr;
  std::uint32_t vertex_ = 0;
  SnapshotEdgeIterator<true> here_ = {};
  SnapshotEdgeIterator<true> end_ = {};
};

/// See the top of this file. Keeps its snapshot; any number of threads may read it.
class SnapshotGraph : public NumberedGraphTypes<SnapshotGraph, SnapshotEdgeIterator> {
 public:
  enum class Relations : std::uint8_t { none, stored };

  struct traversal_category : boost::bidirectional_graph_tag,
                              boost::adjacency_graph_tag,
                              boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag {};
  using edge_iterator = AllEdgesIterator;

  /// O(vertices), 4 bytes for each visible one, 8 where any is deleted.
  explicit SnapshotGraph(Snapshot snapshot, Relations relations = Relations::none)
      : snapshot_{std::move(snapshot)}, has_relations_{relations == Relations::stored} {
    for (std::uint32_t v = 0; v < snapshot_.vertex_count(); ++v) {
      if (!snapshot_.is_deleted(VertexId{v})) members_.push_back(VertexId{v});
    }
    if (members_.size() != snapshot_.vertex_count()) {
      numbers_.assign(snapshot_.vertex_count(), null_vertex());
      for (std::uint32_t i = 0; i < members_.size(); ++i) numbers_[schema::number(members_[i])] = i;
    }
    for (VertexId const v : members_) {
      edge_count_ += snapshot_.effects(v).size();
      if (has_relations_) edge_count_ += snapshot_.relations_from(v).size();
    }
  }

  [[nodiscard]] Snapshot const& snapshot() const noexcept { return snapshot_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  [[nodiscard]] std::uint64_t edge_count() const noexcept { return edge_count_; }
  [[nodiscard]] double weight(EdgeId edge) const noexcept { return snapshot_.path_weight(edge); }
  /// The vertex of the snapshot.
  [[nodiscard]] VertexId operator[](std::uint32_t v) const noexcept { return members_[v]; }
  /// The number of a visible vertex of the snapshot.
  [[nodiscard]] std::uint32_t number(VertexId v) const noexcept {
    return numbers_.empty() ? schema::number(v) : numbers_[schema::number(v)];
  }
  /// The number of the visible node `type:id`.
  [[nodiscard]] std::optional<std::uint32_t> find(RecordType type, std::string_view id) const {
    auto const found = snapshot_.find(type, id);
    return found ? std::optional{number(*found)} : std::nullopt;
  }

  template <bool is_out>
  [[nodiscard]] std::pair<SnapshotEdgeIterator<is_out>, SnapshotEdgeIterator<is_out>> edges(std::uint32_t v) const {
    VertexId const here = members_[v];
    Neighbours influence = is_out ? snapshot_.effects(here) : snapshot_.causes(here);
    Neighbours relations;
    if (has_relations_) relations = is_out ? snapshot_.relations_from(here) : snapshot_.relations_to(here);
    std::size_t const end = influence.size() + relations.size();
    return {{*this, v, influence, relations, 0}, {*this, v, influence, relations, end}};
  }

  // Readable property maps: `Type:id`, the type, the record's own time; the type of an edge.
  [[nodiscard]] auto refs() const {
    return boost::make_function_property_map<std::uint32_t>(
        [this](std::uint32_t v) { return schema::format_ref(snapshot_.type(members_[v]), snapshot_.id(members_[v])); });
  }
  [[nodiscard]] auto types() const {
    return boost::make_function_property_map<std::uint32_t>(
        [this](std::uint32_t v) { return snapshot_.type(members_[v]); });
  }
  [[nodiscard]] auto times() const {
    return boost::make_function_property_map<std::uint32_t>(
        [this](std::uint32_t v) { return snapshot_.time(members_[v]); });
  }
  [[nodiscard]] auto edge_types() const {
    return boost::make_function_property_map<SnapshotEdge>(
        [this](SnapshotEdge const& edge) { return snapshot_.type(edge.id); });
  }

 private:
  Snapshot snapshot_;
  bool has_relations_;
  std::vector<VertexId> members_ = {};
  std::vector<std::uint32_t> numbers_ = {};  ///< by vertex; empty where none is deleted
  std::uint64_t edge_count_ = 0;
};

template <bool is_out>
SnapshotEdge SnapshotEdgeIterator<is_out>::dereference() const noexcept {
  bool const is_influence = at_ < influence_.size();
  auto const& list = is_influence ? influence_ : relations_;
  std::size_t const place = is_influence ? at_ : at_ - influence_.size();
  std::uint32_t const other = graph_->number(list.vertices[place]);
  EdgeId const id = list.edges[place];
  return is_out ? SnapshotEdge{here_, other, id} : SnapshotEdge{other, here_, id};
}

inline AllEdgesIterator::AllEdgesIterator(SnapshotGraph const& graph, std::uint32_t from)
    : graph_{&graph}, vertex_{from} {
  find_edge();
}

inline void AllEdgesIterator::increment() {
  if (++here_ != end_) return;
  ++vertex_;
  find_edge();
}

inline void AllEdgesIterator::find_edge() {
  for (here_ = end_ = {}; vertex_ < graph_->size(); ++vertex_) {
    std::tie(here_, end_) = graph_->edges<true>(vertex_);
    if (here_ != end_) return;
  }
  here_ = end_ = {};
}

inline std::pair<AllEdgesIterator, AllEdgesIterator> edges(SnapshotGraph const& graph) {
  return {{graph, 0}, {graph, graph.size()}};
}
inline std::uint64_t num_edges(SnapshotGraph const& graph) noexcept {
  return graph.edge_count();
}

}  // namespace whence::graph
