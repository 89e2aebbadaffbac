// Claim: a walk through layers of many vertices, whose neighbours are gathered in bits, finds what one that asks for
// each neighbour finds, at the same depths.
// Method: random graphs with layers of hundreds, some vertices deleted; compared with a search over the lists of a
// snapshot. Layers of thousands, which helpers may share: walks of several threads at once, compared with the answer of
// a thread that walks alone, in its order.
#include "tests/graph/world.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Direction;
using graph::WalkLimits;

namespace {

constexpr std::size_t layer_count = 5;
constexpr std::size_t layer_size = 300;
constexpr std::size_t layer_size_shared = 6'000;

/// Responses in layers; each has up to five causes in the layer before, by two types of edges.
struct Layers : World {
  std::mt19937_64 random;
  std::vector<VertexId> responses = {};

  explicit Layers(std::uint64_t seed, std::size_t size = layer_size) : random{seed} {
    begin();
    for (std::size_t i = 0; i < layer_count * size; ++i) {
      responses.push_back(graph.add_vertex(RecordType::response, "resp_" + std::to_string(i), {}));
    }
    for (std::size_t i = size; i < responses.size(); ++i) {
      auto const layer_before = i / size * size - size;
      for (auto count = below(6); count > 0; --count) {
        auto const type = below(3) == 0 ? EdgeType::through_act : EdgeType::used_in;
        (void)graph.add_edge(type, responses[layer_before + below(size)], responses[i], {});
      }
    }
    end();
  }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>{0, end - 1}(random); }
};

/// Depths by number of vertex; 0: not reached.
using Depths = std::vector<std::uint32_t>;

Depths expected_depths(Snapshot const& snapshot, std::vector<VertexId> const& starts, Direction direction,
                       WalkLimits const& limits) {
  Depths depths(snapshot.vertex_count());
  auto layer = starts;
  for (std::uint32_t depth = 1; depth <= limits.depth && !layer.empty(); ++depth) {
    std::vector<VertexId> next;
    for (auto const v : layer) {
      if (snapshot.is_deleted(v)) continue;
      auto const list = direction == Direction::ancestors ? snapshot.causes(v) : snapshot.effects(v);
      for (std::size_t i = 0; i < list.size(); ++i) {
        auto& known = depths[schema::number(list.vertices[i])];
        if (known != 0 || !limits.edge_types.contains(snapshot.type(list.edges[i]))) continue;
        known = depth;
        next.push_back(list.vertices[i]);
      }
    }
    layer = std::move(next);
  }
  return depths;
}

Depths depths_of(graph::Reach const& reach, std::uint32_t vertex_count) {
  Depths depths(vertex_count);
  for (std::size_t i = 0; i < reach.vertices.size(); ++i) {
    auto& depth = depths[schema::number(reach.vertices[i])];
    BOOST_TEST(depth == 0U);
    depth = reach.depth_of(i);
  }
  return depths;
}

void check_both_ways(Layers const& layers, Snapshot const& snapshot, WalkLimits const& limits) {
  std::vector<VertexId> const first(layers.responses.begin(), layers.responses.begin() + layer_size);
  std::vector<VertexId> const last(layers.responses.end() - layer_size, layers.responses.end());
  auto const check = [&](std::vector<VertexId> const& starts, Direction direction) {
    auto const reach = reach_of(snapshot, starts, direction, limits);
    BOOST_CHECK(depths_of(reach, snapshot.vertex_count()) == expected_depths(snapshot, starts, direction, limits));
  };
  check(first, Direction::descendants);
  check(last, Direction::ancestors);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(wide_walk)

BOOST_AUTO_TEST_CASE(finds_what_a_search_of_the_lists_finds) {
  auto const seed = seed_from_environment();
  BOOST_TEST_CONTEXT("seed " << seed) {
    Layers layers{seed};
    auto const whole = layers.now();
    WalkLimits one_type{.edge_types = {}};
    one_type.edge_types.insert(EdgeType::through_act);
    for (auto count = layers.below(40); count > 0; --count) {
      auto const hidden = layers.responses[layers.below(layers.responses.size())];
      if (!layers.now().is_deleted(hidden)) layers.hide(hidden);
    }
    for (auto const& snapshot : {whole, layers.now(), layers.now().as_of(whole.tx())}) {
      check_both_ways(layers, snapshot, {});
      check_both_ways(layers, snapshot, {.depth = 2});
      check_both_ways(layers, snapshot, one_type);
    }
  }
}

BOOST_AUTO_TEST_CASE(is_cut_by_vertices_inside_a_wide_layer) {
  Layers layers{1};
  std::vector<VertexId> const first(layers.responses.begin(), layers.responses.begin() + layer_size);
  auto const all = reach_of(layers.now(), first, Direction::descendants);
  BOOST_REQUIRE(all.layer_ends.size() > 2);
  std::uint64_t const count = all.layer_ends[0] + 10;
  auto const cut = reach_of(layers.now(), first, Direction::descendants, {.vertices_max = count});
  BOOST_TEST(cut.vertices.size() == count);
  BOOST_TEST(cut.is_cut_by_vertices);
  auto const expected = expected_depths(layers.now(), first, Direction::descendants, {});
  for (std::size_t i = 0; i < cut.vertices.size(); ++i) {
    BOOST_TEST(cut.depth_of(i) == expected[schema::number(cut.vertices[i])]);
  }
  BOOST_TEST(reach_of(layers.now(), first, Direction::descendants).vertices.size() == all.vertices.size());
}

/// Stops a walk once it has looked at so much.
class StepsAtMost final : public schema::Interrupt {
 public:
  explicit StepsAtMost(std::uint64_t steps) : left_{steps} {}
  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    left_ -= std::min(left_, steps);
    return left_ == 0 ? schema::Stop::cancelled : schema::Stop::none;
  }

 private:
  mutable std::uint64_t left_;
};

/// A walk from the first layer of thousands, on all threads that are free or on one.
auto reach_below(Layers const& layers, Snapshot const& snapshot, bool is_alone, schema::Interrupt const& interrupt) {
  std::span const first{layers.responses.data(), layer_size_shared};
  return graph::reach(snapshot, first, Direction::descendants, {.is_alone = is_alone}, interrupt);
}

BOOST_AUTO_TEST_CASE(that_is_shared_answers_as_one_thread_in_the_same_order) {
  auto const seed = seed_from_environment();
  Layers layers{seed, layer_size_shared};
  for (int i = 0; i < 50; ++i) {
    auto const hidden = layers.responses[layers.below(layers.responses.size())];
    if (!layers.now().is_deleted(hidden)) layers.hide(hidden);
  }
  auto const snapshot = layers.now();
  auto const expected = reach_below(layers, snapshot, true, schema::NoInterrupt{}).value();
  BOOST_REQUIRE(expected.vertices.size() > 2 * layer_size_shared);
  std::atomic<int> differences = 0;
  auto const walk_often = [&] {
    for (int i = 0; i < 50; ++i) {
      auto const reach = reach_below(layers, snapshot, false, schema::NoInterrupt{});
      if (reach->vertices != expected.vertices || reach->layer_ends != expected.layer_ends) ++differences;
    }
  };
  walk_often();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(walk_often);
  }
  BOOST_TEST(differences == 0, "seed " << seed);
}

BOOST_AUTO_TEST_CASE(that_is_shared_counts_the_steps_of_all_threads) {
  Layers const layers{1, layer_size_shared};
  auto const snapshot = layers.now();
  auto const expected = reach_below(layers, snapshot, true, schema::NoInterrupt{}).value();
  std::uint64_t const steps = expected.vertices.size();  // less than it takes: edges count, too
  for (bool const is_alone : {true, false}) {
    for (std::uint64_t const most : {std::uint64_t{1}, steps / 2, steps}) {
      auto const stopped = reach_below(layers, snapshot, is_alone, StepsAtMost{most});
      BOOST_REQUIRE(!stopped);
      BOOST_TEST((stopped.error().code == Errc::cancelled));
    }
    BOOST_TEST(
        (reach_below(layers, snapshot, is_alone, StepsAtMost{100 * steps}).value().vertices == expected.vertices));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
