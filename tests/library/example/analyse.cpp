// What a store knows, by Boost.Graph: `analyse STORE TYPE:ID` reads the store in a folder, also while a server writes
// it.
#include "engine/checkpoint/read_graph.hpp"
#include "graph/boost/snapshot_graph.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iostream>
#include <vector>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/pending/disjoint_sets.hpp>

int main(int /*argc*/, char** argv) {
  auto const store = whence::store::Store::open(argv[1], {.is_read_only = true}).value();
  auto const graph = whence::engine::read_graph(*store).value();
  whence::graph::SnapshotGraph const all{graph.snapshot()};  // edges lead from cause to effect

  std::vector<std::uint32_t> depth(num_vertices(all));
  auto const ref = whence::schema::parse_ref(argv[2]).value();
  auto const start = all.find(ref.type, ref.id).value();
  boost::breadth_first_search(
      all, start,
      boost::visitor(boost::make_bfs_visitor(boost::record_distances(depth.data(), boost::on_tree_edge{}))));
  for (std::uint32_t v = 0; v < depth.size(); ++v) {
    if (depth[v] > 0) std::cout << "effect " << depth[v] << ' ' << get(all.refs(), v) << '\n';
  }

  std::vector<double> rank(num_vertices(all));
  boost::graph::page_rank(all, boost::make_iterator_property_map(rank.begin(), get(boost::vertex_index, all)));
  auto const first = static_cast<std::uint32_t>(std::ranges::max_element(rank) - rank.begin());
  std::cout << "highest rank " << get(all.refs(), first) << '\n';

  std::vector<std::uint32_t> parent(num_vertices(all));
  std::vector<std::uint32_t> size(num_vertices(all));
  boost::disjoint_sets sets{size.data(), parent.data()};
  boost::initialize_incremental_components(all, sets);
  boost::incremental_components(all, sets);
  std::uint32_t components = 0;
  for (std::uint32_t v = 0; v < num_vertices(all); ++v) components += sets.find_set(v) == v ? 1 : 0;
  std::cout << "components " << components << '\n';
}
