// Claim: what columns say of a snapshot, with the records of those they do not know, is what the records say of all:
// also while one thread writes and another follows. Method: contents are a function of vertex and revision, so that a
// plain loop over the snapshot gives the expected answer at any moment. Under ThreadSanitizer it shows what the threads
// share.

#include "graph/columns/field_columns.hpp"
#include "graph/graph.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::Snapshot;
using schema::RecordType;
using schema::VertexId;

constexpr std::uint32_t agents = 3;

std::uint32_t agent_of(schema::ContentId content) {
  auto const number = schema::number(content.vertex);
  return content.revision == 0 || number % 7 != 0 ? number % agents : (number + content.revision) % agents;
}

std::optional<double> cost_of(schema::ContentId content) {
  auto const agent = agent_of(content);
  if (agent == 0) return std::nullopt;
  return static_cast<double>(schema::number(content.vertex) * 10 + agent) / 4;
}

/// Contents made when they are asked for.
class MadeContents final : public schema::RecordReader {
 public:
  [[nodiscard]] Result<void> read(
      std::span<schema::ContentId const> contents,
      std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      schema::Response made;
      made.agent = "agent" + std::to_string(agent_of(contents[i]));
      made.model = "model";
      made.cost = cost_of(contents[i]);
      if (!visit(i, std::move(made))) break;
    }
    return {};
  }
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& /*digest*/) const override {
    return std::optional<std::string>{};
  }
};

bool has_agent(Snapshot const& snapshot, VertexId vertex, std::uint32_t agent) {
  return !snapshot.gone(vertex) && agent_of({vertex, snapshot.contents(vertex).back()}) == agent;
}

std::vector<VertexId> expected(Snapshot const& snapshot, std::uint32_t agent) {
  auto vertices = snapshot.vertices(RecordType::response);
  std::erase_if(vertices, [&](VertexId vertex) { return !has_agent(snapshot, vertex, agent); });
  return vertices;
}

/// What the columns find, and of what they do not know, what the contents say. Nothing where they are not built.
std::optional<std::vector<VertexId>> found(graph::FieldColumns const& columns, Snapshot const& snapshot,
                                           std::uint32_t agent) {
  std::vector<std::string> const wanted = {"agent" + std::to_string(agent)};
  graph::ColumnCondition const condition{.field = "agent", .equals = wanted};
  schema::NoInterrupt const never;
  schema::Poll poll(never);
  auto matches = columns.find(snapshot, RecordType::response, {&condition, 1}, {}, poll).value();
  if (!matches) return std::nullopt;
  std::erase_if(matches->unknown, [&](VertexId vertex) { return !has_agent(snapshot, vertex, agent); });
  auto all = std::move(matches->found);
  all.insert(all.end(), matches->unknown.begin(), matches->unknown.end());
  std::ranges::sort(all);
  return all;
}

/// Whether the numbers that the columns know are those of the contents.
bool has_right_numbers(graph::FieldColumns const& columns, Snapshot const& snapshot) {
  auto const vertices = snapshot.vertices(RecordType::response);
  schema::NoInterrupt const never;
  schema::Poll poll(never);
  std::size_t seen = 0;
  bool is_right = true;
  auto const unknown = columns.read_numbers(
      snapshot, RecordType::response, "cost", vertices, poll, [&](std::size_t i, std::optional<double> number) {
        ++seen;
        is_right = is_right && number == cost_of({vertices[i], snapshot.contents(vertices[i]).back()});
      });
  return is_right && seen + unknown.value().size() == vertices.size();
}

/// One transaction: some of new responses, a revision, a deletion, contents that go, or one that is taken back.
void change(graph::Graph& graph, std::mt19937_64& random) {
  auto const below = [&](std::uint64_t end) { return random() % end; };
  auto const before = graph.snapshot();
  auto const visible = before.vertices(RecordType::response);
  graph.begin(schema::TxId{schema::number(before.tx()) + 1}, {1, 0});
  for (std::uint64_t i = 0; i < 3; ++i) {
    graph.add_vertex(RecordType::response, "resp_" + std::to_string(random()), std::nullopt);
  }
  if (!visible.empty()) {
    auto const one = visible[below(visible.size())];
    switch (below(6)) {
      case 0:
        graph.hide(one);
        break;
      case 1:
        graph.forget_contents(one, graph::GoneWhy::purged);
        break;
      case 2:
      case 3:
        (void)graph.revise(one, graph::RevisionKind::whole);
        break;
      default:
        break;
    }
  }
  graph.end();
  if (below(5) == 0) {
    graph.rollback();
  } else {
    graph.publish();
  }
}

BOOST_AUTO_TEST_SUITE(columns)

BOOST_AUTO_TEST_CASE(columns_that_are_behind_leave_out_nothing) {
  std::mt19937_64 random(seed_from_environment());
  graph::Graph graph;
  graph::FieldColumns columns;
  MadeContents const contents;
  for (int i = 0; i < 1500; ++i) {
    change(graph, random);
    // What is followed may be older than what is published by then.
    auto const followed = graph.snapshot();
    if (random() % 4 == 0) change(graph, random);
    if (random() % 3 == 0) BOOST_REQUIRE(columns.follow(followed, contents));
    auto const head = graph.snapshot();
    auto const snapshot = head.as_of(schema::TxId{random() % (schema::number(head.tx()) + 1)});
    auto const agent = static_cast<std::uint32_t>(random() % agents);
    auto const answer = found(columns, snapshot, agent);
    if (answer) BOOST_TEST((*answer == expected(snapshot, agent)));
    BOOST_TEST(has_right_numbers(columns, snapshot));
  }
  BOOST_TEST(columns.figures().is_built);
}

/// Keeps an image.
class ImageInMemory final : public graph::ImageSink {
 public:
  std::vector<std::byte> bytes;

  [[nodiscard]] bool write(std::span<std::byte const> more) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return true;
  }
  [[nodiscard]] bool skip(std::uint64_t /*count*/) override { return false; }
};

BOOST_AUTO_TEST_CASE(columns_of_an_image_answer_as_those_that_it_is_of) {
  std::mt19937_64 random(seed_from_environment());
  MadeContents const contents;
  graph::Graph graph;
  graph::FieldColumns columns{{.values_min = 2, .rows_a_value = 1'000'000}};  // one agent of three is a hash
  ImageInMemory image;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 20; ++j) change(graph, random);
    graph::FieldColumns taken;
    if (!image.bytes.empty()) {
      BOOST_TEST(taken.take_image(graph.snapshot(), image.bytes));
      auto const now = graph.snapshot();  // as it was, what came since is unknown
      BOOST_TEST((found(taken, now, 1).value() == expected(now, 1)));
    }
    BOOST_REQUIRE(taken.follow(graph.snapshot(), contents));
    auto const lost_before = columns.figures().rows_lost;
    BOOST_REQUIRE(columns.follow(graph.snapshot(), contents));
    // What went since the image was made is found in it.
    if (!image.bytes.empty())
      BOOST_TEST((taken.figures().rows_lost > 0) == (columns.figures().rows_lost > lost_before));
    auto const head = graph.snapshot();
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
      auto const snapshot = head.as_of(schema::TxId{random() % (schema::number(head.tx()) + 1)});
      BOOST_TEST((found(taken, snapshot, agent).value() == expected(snapshot, agent)));
      BOOST_TEST((found(taken, head, agent).value() == expected(head, agent)));
      BOOST_TEST(has_right_numbers(taken, snapshot));
      BOOST_TEST(has_right_numbers(taken, head));
    }
    image.bytes.clear();
    BOOST_TEST(columns.write_image(head, image));
  }
}

BOOST_AUTO_TEST_CASE(an_image_that_is_cut_or_of_another_moment_changes_nothing) {
  std::mt19937_64 random(seed_from_environment());
  MadeContents const contents;
  graph::Graph graph;
  for (int i = 0; i < 100; ++i) change(graph, random);
  graph::FieldColumns columns;
  ImageInMemory image;
  auto const early = graph.snapshot();
  BOOST_TEST(!columns.write_image(early, image));  // nothing was followed
  BOOST_REQUIRE(columns.follow(early, contents));
  BOOST_REQUIRE(columns.write_image(early, image));
  for (std::size_t size = 0; size < image.bytes.size(); size += 1 + size / 8) {
    graph::FieldColumns taken;
    BOOST_TEST(!taken.take_image(early, std::span{image.bytes}.first(size)));
    BOOST_TEST(taken.figures().rows == 0U);
  }
  graph::Graph other;
  change(other, random);
  graph::FieldColumns taken;
  BOOST_TEST(!taken.take_image(other.snapshot(), image.bytes));
  // Contents that go while the columns have not followed.
  auto const one = early.vertices(RecordType::response).front();
  graph.begin(schema::TxId{schema::number(early.tx()) + 1}, {1, 0});
  graph.forget_contents(one, graph::GoneWhy::purged);
  graph.end();
  graph.publish();
  BOOST_TEST(!columns.write_image(early, image));
}

BOOST_AUTO_TEST_CASE(three_threads_write_follow_and_ask) {
  graph::Graph graph;
  graph::FieldColumns columns;
  MadeContents const contents;
  std::atomic<bool> is_done = false;
  std::atomic<std::uint32_t> wrong = 0;
  std::atomic<std::uint32_t> asked = 0;
  std::jthread const following([&] {
    while (!is_done) static_cast<void>(columns.follow(graph.snapshot(), contents));
  });
  std::jthread const asking([&] {
    std::mt19937_64 random(1);
    while (!is_done) {
      auto const head = graph.snapshot();
      auto const snapshot = head.as_of(schema::TxId{random() % (schema::number(head.tx()) + 1)});
      auto const agent = static_cast<std::uint32_t>(random() % agents);
      // Contents that go show at once at every moment: what changes meanwhile is not compared.
      auto const before = expected(snapshot, agent);
      auto const answer = found(columns, snapshot, agent);
      if (!answer || before != expected(snapshot, agent)) continue;
      ++asked;
      if (*answer != before) ++wrong;
    }
  });
  std::mt19937_64 random(seed_from_environment());
  for (int i = 0; i < 1000 || asked < 100; ++i) change(graph, random);
  is_done = true;
  BOOST_TEST(wrong == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
