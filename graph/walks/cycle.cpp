// Cycles in a proposed set of edges: the strongly connected components of more than one member, and loops.
#include "graph/walks/walk.hpp"

#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/iterator/transform_iterator.hpp>

namespace whence::graph {

std::vector<std::uint32_t> find_cycle(std::uint32_t count, std::span<ProposedEdge const> edges) {
  using Edges = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                   boost::no_property, std::uint32_t, std::uint32_t>;
  auto const as_pair = [](ProposedEdge const& edge) { return std::pair{edge.cause, edge.effect}; };
  Edges const graph{boost::edges_are_unsorted_multi_pass, boost::make_transform_iterator(edges.begin(), as_pair),
                    boost::make_transform_iterator(edges.end(), as_pair), count};
  std::vector<std::uint32_t> component(count);
  auto const component_of = boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph));
  std::vector<std::uint32_t> sizes(boost::strong_components(graph, component_of));
  for (auto const number : component) ++sizes[number];
  std::vector<bool> is_on_cycle(count);
  for (auto const& edge : edges) {
    if (edge.cause == edge.effect) is_on_cycle[edge.cause] = true;
  }

  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (is_on_cycle[v] || sizes[component[v]] > 1) found.push_back(v);
  }
  return found;
}

}  // namespace whence::graph
