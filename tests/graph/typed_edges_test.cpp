// Claim: counting and taking the edges of some types of a list finds those that a look at each edge finds, in every
// list of every snapshot: lists that came with their vertex as well as those that grew, with deleted neighbours left
// out.
#include "graph/snapshot/typed_edges.hpp"

#include "tests/graph/random_history.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

void compare(graph::Snapshot const& snapshot, graph::Neighbours const& list, std::uint64_t types) {
  std::vector<std::uint32_t> expected{7};  // what is there stays
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (((types >> static_cast<unsigned>(snapshot.type(list.edges[i]))) & 1U) != 0)
      expected.push_back(schema::number(list.vertices[i]));
  }
  std::vector<std::uint32_t> found{7};
  graph::append_of_types(snapshot, list, types, found);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
  BOOST_TEST(graph::count_of_types(snapshot, list, types) == expected.size() - 1);
}

BOOST_AUTO_TEST_SUITE(typed_edges)

BOOST_AUTO_TEST_CASE(finds_what_a_look_at_each_edge_finds) {
  auto const seed = seed_from_environment();
  for (std::uint64_t number = 0; number < 20; ++number) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", " << number) {
      RandomHistory const history{seed + number, 30};
      for (auto const& snapshot : history.snapshots()) {
        std::vector<std::uint32_t> all(snapshot.vertex_count());
        std::iota(all.begin(), all.end(), 0U);
        graph::ask_for_lists(snapshot, true, all);
        graph::ask_for_lists(snapshot, false, all);
        std::uint64_t const some = std::uint64_t{history.number_below(1U << 31U)} << history.number_below(16);
        for (auto const v : all) {
          graph::VertexId const vertex{v};
          if (snapshot.is_deleted(vertex)) continue;
          for (auto const types :
               {some, ~some, ~std::uint64_t{0}, std::uint64_t{1} << (1 + history.number_below(16))}) {
            for (auto const& list : {snapshot.causes(vertex), snapshot.effects(vertex), snapshot.relations_from(vertex),
                                     snapshot.relations_to(vertex)})
              compare(snapshot, list, types);
          }
        }
      }
    }
  }
}

/// A response with many uses: its causes are edges one behind the other, over several chunks of a column.
BOOST_AUTO_TEST_CASE(takes_a_long_list_of_one_type_at_once) {
  graph::Graph graph;
  graph.begin(schema::TxId{1}, {});
  constexpr std::uint32_t units = 5'000;
  std::vector<graph::VertexId> made;
  for (std::uint32_t i = 0; i <= units; ++i) {
    made.push_back(graph.add_vertex(i < units ? schema::RecordType::context_unit : schema::RecordType::response,
                                    std::to_string(i), std::nullopt));
  }
  for (std::uint32_t i = 0; i < units; ++i) graph.add_edge(schema::EdgeType::used_in, made[i], made[units], 0.5);
  graph.add_edge(schema::EdgeType::prompted, made[0], made[units], std::nullopt);
  graph.end();
  graph.publish();
  auto const snapshot = graph.snapshot();
  constexpr auto used_in = std::uint64_t{1} << static_cast<unsigned>(schema::EdgeType::used_in);
  BOOST_TEST(graph::count_of_types(snapshot, snapshot.causes(made[units]), used_in) == units);
  compare(snapshot, snapshot.causes(made[units]), used_in);
  compare(snapshot, snapshot.effects(made[0]), used_in);
  compare(snapshot, snapshot.effects(made[1]), used_in);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
