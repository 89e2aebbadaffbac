// A graph that was made of its image answers as the one it was written from, and goes on like it.
#include "graph/image/image.hpp"

#include "tests/graph/random_history.hpp"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {

namespace {

/// An image as a file would hold it; what is skipped is filled with a pattern that must not be read.
struct ImageBytes : graph::ImageSink {
  std::vector<std::byte> bytes;
  std::size_t writes_left = SIZE_MAX;

  bool write(std::span<std::byte const> given) override {
    if (writes_left == 0) return false;
    --writes_left;
    bytes.insert(bytes.end(), given.begin(), given.end());
    return true;
  }
  bool skip(std::uint64_t count) override {
    bytes.resize(bytes.size() + count, std::byte{0xa5});
    return true;
  }
};

class HeapImage final : public graph::ImageMemory {
 public:
  explicit HeapImage(std::span<std::byte const> image)
      : size_{image.size()}, bytes_{new (std::align_val_t{4096}) std::byte[image.size()]} {
    std::memcpy(bytes_, image.data(), image.size());
  }
  ~HeapImage() override { ::operator delete[](bytes_, std::align_val_t{4096}); }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept override { return {bytes_, size_}; }

 private:
  std::size_t size_;
  std::byte* bytes_;
};

std::vector<std::byte> image_of(Snapshot const& snapshot) {
  ImageBytes sink;
  BOOST_REQUIRE(graph::write_image(snapshot, sink));
  return sink.bytes;
}

std::optional<Graph> graph_of(std::span<std::byte const> image) {
  return Graph::from_image(std::make_unique<HeapImage>(image));
}

void require_same_neighbours(graph::Neighbours const& actual, graph::Neighbours const& expected) {
  BOOST_REQUIRE(std::ranges::equal(actual.vertices, expected.vertices));
  BOOST_REQUIRE(std::ranges::equal(actual.edges, expected.edges));
}

void require_same_vertex(Snapshot const& actual, Snapshot const& expected, VertexId v) {
  BOOST_REQUIRE(actual.type(v) == expected.type(v));
  BOOST_REQUIRE(actual.id(v) == expected.id(v));
  BOOST_REQUIRE(actual.created(v) == expected.created(v));
  BOOST_REQUIRE(actual.state(v) == expected.state(v));
  BOOST_REQUIRE(actual.revisions(v) == expected.revisions(v));
  BOOST_REQUIRE(actual.find(actual.type(v), actual.id(v)) == expected.find(actual.type(v), actual.id(v)));
  BOOST_REQUIRE(actual.gone(v) == expected.gone(v));
  BOOST_REQUIRE(actual.deleted_at(v) == expected.deleted_at(v));
  require_same_neighbours(actual.relations_from_ever(v), expected.relations_from_ever(v));
  require_same_neighbours(actual.relations_to_ever(v), expected.relations_to_ever(v));
  require_same_neighbours(actual.causes(v), expected.causes(v));
  require_same_neighbours(actual.effects(v), expected.effects(v));
}

void require_same(Snapshot const& actual, Snapshot const& expected) {
  BOOST_REQUIRE(actual.tx() == expected.tx());
  BOOST_REQUIRE(actual.at() == expected.at());
  BOOST_REQUIRE(actual.vertex_count() == expected.vertex_count());
  BOOST_REQUIRE(actual.edge_count() == expected.edge_count());
  for (std::uint32_t v = 0; v < expected.vertex_count(); ++v) require_same_vertex(actual, expected, VertexId{v});
  for (std::uint32_t e = 0; e < expected.edge_count(); ++e) {
    BOOST_REQUIRE(actual.value(EdgeId{e}) == expected.value(EdgeId{e}));
  }
  for (std::size_t type = 1; type < schema::record_type_count; ++type) {
    auto const each = static_cast<RecordType>(type);
    BOOST_REQUIRE(actual.vertices(each) == expected.vertices(each));
    BOOST_REQUIRE(actual.deleted_vertices(each) == expected.deleted_vertices(each));
    BOOST_REQUIRE(actual.vertex_count(each) == expected.vertex_count(each));
  }
  for (std::size_t type = 1; type < schema::edge_type_count; ++type) {
    auto const each = static_cast<EdgeType>(type);
    BOOST_REQUIRE(actual.edge_count(each) == expected.edge_count(each));
  }
}

/// What each number adds to any graph of the same content in the same way: vertices, edges to old and new ones, a
/// content, a state, a deletion. Sometimes it is taken back.
void go_on_once(Graph& graph, std::uint64_t number) {
  std::mt19937_64 random{number};
  auto const before = graph.snapshot();
  graph.begin(schema::next(before.tx()), {100, 0});
  auto const unit = graph.add_vertex(RecordType::context_unit, "new unit " + std::to_string(number), {});
  auto const response = graph.add_vertex(RecordType::response, "new response " + std::to_string(number), {});
  graph.reserve_causes(response, 2);
  graph.add_edge(EdgeType::used_in, unit, response, 1.0 / static_cast<double>(number % 5 + 3));
  auto const feedback = graph.add_vertex(RecordType::feedback_record, "new feedback " + std::to_string(number), {});
  graph.add_edge(EdgeType::evaluates, feedback, response, -0.5);
  for (auto const old : before.vertices(RecordType::context_unit)) {
    if (random() % 2 == 0) graph.add_edge(EdgeType::used_in, old, response, 0.25, 3);
  }
  graph.revise(unit, schema::RevisionKind::whole);
  graph.set_state(unit, graph::StateCause::feedback, {graph::UnitStatus::active, 0.5, 1});
  auto const old = before.vertices(RecordType::response);
  if (!old.empty()) graph.add_edge(EdgeType::evaluates, feedback, old.back(), 1.0 / 3);
  if (old.size() > 2) graph.hide(old.front());
  graph.end();
  if (random() % 4 == 0) {
    graph.rollback();
  } else {
    graph.publish();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image)

BOOST_AUTO_TEST_CASE(empty) {
  Graph const graph;
  auto const made = graph_of(image_of(graph.snapshot()));
  BOOST_REQUIRE(made);
  BOOST_TEST(schema::number(made->snapshot().tx()) == 0U);
  BOOST_TEST(made->snapshot().vertex_count() == 0U);
}

BOOST_AUTO_TEST_CASE(same_answers_at_every_moment) {
  for_random_histories(60, [](RandomHistory const& history) {
    auto const made = graph_of(image_of(history.graph().snapshot()));
    BOOST_REQUIRE(made);
    for (auto const& snapshot : history.snapshots()) {
      require_same(made->snapshot().as_of(snapshot.tx()), snapshot);
    }
  });
}

BOOST_AUTO_TEST_CASE(image_of_an_image_is_the_same) {
  for_random_histories(5, [](RandomHistory const& history) {
    auto const image = image_of(history.graph().snapshot());
    auto const made = graph_of(image);
    BOOST_REQUIRE(made);
    BOOST_TEST(image_of(made->snapshot()).size() == image.size());
    BOOST_TEST(made->memory().adjacency == graph_of(image_of(made->snapshot()))->memory().adjacency);
  });
}

BOOST_AUTO_TEST_CASE(goes_on_like_the_first) {
  for_random_histories(20, [](RandomHistory const& history) {
    auto const image = image_of(history.graph().snapshot());
    auto first = graph_of(image);
    auto second = graph_of(image);
    BOOST_REQUIRE(first && second);
    for (std::uint64_t i = 0; i < 40; ++i) go_on_once(*first, i);
    for (std::uint64_t i = 0; i < 20; ++i) go_on_once(*second, i);
    second = graph_of(image_of(second->snapshot()));  // as a checkpoint with a tail is
    BOOST_REQUIRE(second);
    for (std::uint64_t i = 20; i < 40; ++i) go_on_once(*second, i);
    require_same(second->snapshot(), first->snapshot());
    auto const third = graph_of(image_of(first->snapshot()));
    BOOST_REQUIRE(third);
    require_same(third->snapshot(), first->snapshot());
    for (auto const& snapshot : history.snapshots()) {
      require_same(first->snapshot().as_of(snapshot.tx()), snapshot);
    }
  });
}

BOOST_AUTO_TEST_CASE(gone_contents_are_kept) {
  World world;
  auto const v = world.unit("a");
  world.revise(v, schema::RevisionKind::whole);
  world.begin();
  world.graph.forget_contents(v, graph::GoneWhy::purged);
  world.end();
  auto const made = graph_of(image_of(world.graph.snapshot()));
  BOOST_REQUIRE(made);
  BOOST_TEST((made->snapshot().gone(v) == graph::GoneWhy::purged));
}

/// Written by another thread while the graph grows, lists that it is in the middle of included.
BOOST_AUTO_TEST_CASE(while_the_graph_grows) {
  World world;
  for (int i = 0; i < 50; ++i) world.unit("u" + std::to_string(i));
  world.response("r0");
  auto const at_first = world.graph.snapshot();
  std::atomic<bool> ends = false;
  std::atomic<int> written = 0;
  std::vector<std::vector<std::byte>> images;
  std::jthread reader([&] {
    while (!ends || written < 3) {
      images.push_back(image_of(world.graph.snapshot()));
      if (images.size() > 40) images.erase(images.begin());
      ++written;
    }
  });
  for (std::uint64_t i = 0; i < 60 || written < 3; ++i) go_on_once(world.graph, i);
  ends = true;
  reader.join();
  for (auto const& image : images) {
    auto const made = graph_of(image);
    BOOST_REQUIRE(made);
    require_same(made->snapshot(), world.graph.snapshot().as_of(made->snapshot().tx()));
    require_same(made->snapshot().as_of(at_first.tx()), at_first);
  }
}

BOOST_AUTO_TEST_CASE(of_another_layout_or_cut_is_refused) {
  World world;
  world.use(world.unit("a"), world.response("b"), 0.5);
  auto image = image_of(world.graph.snapshot());
  for (std::size_t const size : {std::size_t{0}, std::size_t{8}, std::size_t{4096}, image.size() - 1}) {
    BOOST_TEST(!graph_of(std::span{image}.first(size)));
  }
  auto longer = image;
  longer.push_back({});
  BOOST_TEST(!graph_of(longer));
  image[0] ^= std::byte{1};
  BOOST_TEST(!graph_of(image));
}

BOOST_AUTO_TEST_CASE(sink_ends_the_writing) {
  World world;
  world.unit("a");
  for (std::size_t writes = 0; writes < 3; ++writes) {
    ImageBytes sink;
    sink.writes_left = writes;
    BOOST_TEST(!graph::write_image(world.graph.snapshot(), sink));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
