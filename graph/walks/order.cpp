// Topological order of a part of the graph: Boost.Graph's depth-first visit over the lists of a walk.
#include "graph/walks/order.hpp"

#include "graph/walks/walked.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/iterator_facade.hpp>

namespace whence::graph::impl {

namespace {

/// An edge as it is walked.
struct Step {
  VertexId from{};
  VertexId to{};
  EdgeId edge{};

  friend bool operator==(Step const& a, Step const& b) noexcept { return a.edge == b.edge; }
};

/// Runs along the walked edges of one list. `lists` is null where all are walked.
class StepIterator
    : public boost::iterator_facade<StepIterator, Step, boost::forward_traversal_tag, Step, std::ptrdiff_t> {
 public:
  StepIterator() = default;
  StepIterator(VertexId from, ListView const& list, std::size_t at, WalkedLists const* lists) noexcept
      : from_{from},
        at_{list.vertices.data() + at},
        end_{list.vertices.data() + list.size()},
        edge_{list.edges.data() + at},
        lists_{lists} {
    skip();
  }

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] Step dereference() const noexcept { return {from_, *at_, *edge_}; }
  [[nodiscard]] bool equal(StepIterator const& other) const noexcept { return at_ == other.at_; }
  void increment() noexcept {
    ++at_;
    ++edge_;
    skip();
  }
  void skip() noexcept {
    if (lists_ == nullptr) return;
    for (; at_ != end_ && !lists_->is_walked(*edge_); ++at_) ++edge_;
  }

  VertexId from_{};
  VertexId const* at_ = nullptr;
  VertexId const* end_ = nullptr;
  EdgeId const* edge_ = nullptr;
  WalkedLists const* lists_ = nullptr;
};

/// The lists of a walk as Boost.Graph's IncidenceGraph. `bgl.hpp` would do, but its iterators may own lists without
/// deleted neighbours, and filtering and reversing them doubles each. No vertex outside the part is ever visited, so
/// deleted ones do no harm here.
struct WalkedGraph {
  using vertex_descriptor = VertexId;
  using edge_descriptor = Step;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using traversal_category = boost::incidence_graph_tag;
  using out_edge_iterator = StepIterator;
  using degree_size_type = std::size_t;
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint64_t;

  WalkedLists lists;

  static constexpr VertexId null_vertex() noexcept { return VertexId{0xffff'ffff}; }
};

VertexId source(Step const& step, WalkedGraph const& /*graph*/) noexcept {
  return step.from;
}
VertexId target(Step const& step, WalkedGraph const& /*graph*/) noexcept {
  return step.to;
}
std::pair<StepIterator, StepIterator> out_edges(VertexId v, WalkedGraph const& graph) noexcept {
  auto const list = graph.lists[v];
  auto const* const lists = graph.lists.is_all() ? nullptr : &graph.lists;
  return {{v, list, 0, lists}, {v, list, list.size(), lists}};
}
[[maybe_unused]] std::size_t out_degree(VertexId v, WalkedGraph const& graph) noexcept {
  auto const [begin, end] = out_edges(v, graph);
  return static_cast<std::size_t>(std::distance(begin, end));
}

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

}  // namespace

std::vector<std::uint32_t> topological_order(Snapshot const& snapshot, LocalNumbers const& part, Direction direction,
                                             schema::EdgeTypeSet edge_types, schema::Poll& poll) {
  WalkedGraph const graph{{snapshot, direction, edge_types}};
  std::vector<std::uint32_t> order;
  order.reserve(part.size());
  std::vector<boost::default_color_type> colours(part.size(), boost::white_color);
  // A vertex at which the visit is told to stop counts as one without edges: the rest is over in no time.
  auto const must_stop = [&poll](VertexId v, WalkedGraph const& walked) {
    return poll.has_stopped() || poll.must_stop(1 + walked.lists[v].size());
  };
  for (std::uint32_t at = 0; at < part.size() && !poll.has_stopped(); ++at) {
    if (colours[at] != boost::white_color) continue;
    boost::depth_first_visit(graph, part[at], NoteFinished{part, order}, PartColours{&part, &colours}, must_stop);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace whence::graph::impl
