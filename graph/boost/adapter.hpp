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

#include "graph/boost/numbered_graph.hpp"
#include "graph/boost/scratch.hpp"
#include "graph/boost/walked.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace whence::graph {

class PartGraph;

/// An influence edge of a part, by local numbers, in the direction of the walk.
using PartEdge = NumberedEdge<PartGraph>;

/// Runs along the edges of one member that stay inside the part: those leading on where `is_out`, else those arriving.
/// Valid as long as its graph. 40 bytes: a depth-first search holds two for each vertex on its stack.
template <bool is_out>
class PartEdgeIterator : public EdgeFacade<PartEdgeIterator<is_out>, PartGraph> {
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
class PartGraph : public NumberedGraphTypes<PartGraph, PartEdgeIterator> {
 public:
  struct traversal_category : boost::bidirectional_graph_tag,
                              boost::adjacency_graph_tag,
                              boost::vertex_list_graph_tag {};
  using edge_iterator = void;

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

}  // namespace whence::graph
