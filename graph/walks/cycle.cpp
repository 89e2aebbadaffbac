// Cycles in a proposed set of edges.
#include "graph/walks/walk.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace whence::graph {

std::vector<std::uint32_t> find_cycle(std::uint32_t count, std::span<ProposedEdge const> edges) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph{count};
  std::vector<bool> is_on_cycle(count);
  for (auto const& edge : edges) {
    boost::add_edge(edge.cause, edge.effect, graph);
    if (edge.cause == edge.effect) is_on_cycle[edge.cause] = true;
  }
  std::vector<std::uint32_t> component(count);
  auto const component_of = boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph));
  auto const components = boost::strong_components(graph, component_of);
  std::vector<std::uint32_t> sizes(components);
  for (auto const number : component) ++sizes[number];

  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (is_on_cycle[v] || sizes[component[v]] > 1) found.push_back(v);
  }
  return found;
}

}  // namespace whence::graph
