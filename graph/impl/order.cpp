// Topological order of a part of the graph: Boost.Graph's depth-first visit, run on the snapshot.
#include "graph/impl/order.hpp"

#include "graph/bgl.hpp"

#include <algorithm>
#include <type_traits>

#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>

namespace whence::graph::impl {

namespace {

/// Which edges are walked, of a snapshot or of its reverse.
struct IsWalked {
  Snapshot const* snapshot = nullptr;
  schema::EdgeTypeSet types = {};

  [[nodiscard]] bool operator()(InfluenceEdge const& edge) const noexcept {
    return types.is_all() || types.contains(snapshot->type(edge.id));
  }
  template <class Reversed>
  [[nodiscard]] bool operator()(Reversed const& edge) const noexcept {
    return (*this)(edge.underlying_descx);
  }
};

/// Colours of the members of a part; everything else is black from the start, so that the visit stays inside.
struct PartColours {
  using key_type = VertexId;
  using value_type = boost::default_color_type;
  using reference = value_type;
  using category = boost::read_write_property_map_tag;

  LocalNumbers const* part;
  std::vector<value_type>* colours;

  friend value_type get(PartColours const& map, VertexId v) {
    auto const number = map.part->find(v);
    return number == LocalNumbers::none ? boost::black_color : (*map.colours)[number];
  }
  friend void put(PartColours const& map, VertexId v, value_type colour) { (*map.colours)[map.part->find(v)] = colour; }
};

/// Notes members as they are finished: each after all it leads to.
struct NoteFinished : boost::default_dfs_visitor {
  LocalNumbers const* part;
  std::vector<std::uint32_t>* finished;

  NoteFinished(LocalNumbers const& members, std::vector<std::uint32_t>& order) : part{&members}, finished{&order} {}
  template <class AnyGraph>
  void finish_vertex(VertexId v, AnyGraph const& /*graph*/) const {
    finished->push_back(part->find(v));
  }
};

template <class AnyGraph>
void visit_all(AnyGraph const& graph, LocalNumbers const& part, std::vector<std::uint32_t>& finished,
               schema::Poll& poll) {
  std::vector<boost::default_color_type> colours(part.size(), boost::white_color);
  // A vertex at which the visit is told to stop counts as one without edges: the rest is over in no time.
  auto const must_stop = [&poll](VertexId v, auto const& visited) {
    return poll.has_stopped() || poll.must_stop(1 + out_degree(v, visited.m_g));
  };
  for (std::uint32_t at = 0; at < part.size() && !poll.has_stopped(); ++at) {
    if (colours[at] != boost::white_color) continue;
    boost::depth_first_visit(graph, part[at], NoteFinished{part, finished}, PartColours{&part, &colours}, must_stop);
  }
}

}  // namespace

std::vector<std::uint32_t> topological_order(Snapshot const& snapshot, LocalNumbers const& part, Direction direction,
                                             schema::EdgeTypeSet edge_types, schema::Poll& poll) {
  std::vector<std::uint32_t> order;
  order.reserve(part.size());
  IsWalked const is_walked{&snapshot, edge_types};
  if (direction == Direction::descendants) {
    visit_all(boost::filtered_graph<Snapshot, IsWalked>{snapshot, is_walked}, part, order, poll);
  } else {
    auto const reversed = boost::make_reverse_graph(snapshot);
    visit_all(boost::filtered_graph<std::remove_const_t<decltype(reversed)>, IsWalked>{reversed, is_walked}, part,
              order, poll);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace whence::graph::impl
