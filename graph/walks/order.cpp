#include "graph/walks/order.hpp"

#include <algorithm>
#include <iterator>

#include <boost/graph/topological_sort.hpp>
#include <boost/graph/two_bit_color_map.hpp>

namespace whence::graph::impl {

std::vector<std::uint32_t> topological_order(PartGraph const& graph) {
  std::vector<std::uint32_t> order;
  order.reserve(graph.size());
  boost::two_bit_color_map<LocalIndexMap> const colours{graph.size()};
  boost::topological_sort(graph, std::back_inserter(order), boost::color_map(colours));
  std::reverse(order.begin(), order.end());  // Boost.Graph gives the last first
  return order;
}

}  // namespace whence::graph::impl
