// Claim: while one writer appends, rolls back and publishes, every reader sees whole transactions only, and what it
// sees under one snapshot never changes; no access races. Method: transaction n adds the response "n", made from the
// one hub unit and from the response's own fresh unit, so what a snapshot of transaction n must answer follows from n
// alone. The writer rolls back every third attempt, with other contents. Readers take snapshots, keep some old ones,
// and check. A second history deletes, revises and takes both back. Meant to be run under ThreadSanitizer.
#include "graph/graph.hpp"
#include "graph/walks/walk.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Graph;
using graph::Snapshot;
using graph::VertexId;
using schema::EdgeType;
using schema::RecordType;
using schema::TxId;

namespace {

constexpr std::uint64_t written_tx = 3000;
constexpr int reader_count = 3;

VertexId const hub{0};

void write_transaction(Graph& graph, std::uint64_t tx) {
  graph.begin(TxId{tx}, {static_cast<std::int64_t>(tx), 0});
  if (tx == 1) (void)graph.add_vertex(RecordType::context_unit, "hub", {});
  auto const unit = graph.add_vertex(RecordType::context_unit, "u" + std::to_string(tx), {});
  auto const response = graph.add_vertex(RecordType::response, std::to_string(tx), {});
  graph.reserve_causes(response, 2);
  (void)graph.add_edge(EdgeType::used_in, hub, response, 0.5);
  (void)graph.add_edge(EdgeType::used_in, unit, response, 0.5);
  graph.set_state(hub, graph::StateCause::feedback, {graph::UnitStatus::active, 0, static_cast<std::uint32_t>(tx)});
  graph.end();
}

void write_and_take_back(Graph& graph, std::uint64_t tx) {
  graph.begin(TxId{tx}, {static_cast<std::int64_t>(tx), 0});
  for (int i = 0; i < 5; ++i) {
    auto const wrong = graph.add_vertex(RecordType::topic, "wrong" + std::to_string(tx * 5 + std::uint64_t(i)), {});
    auto const response = graph.add_vertex(RecordType::response, "w" + std::to_string(tx * 5 + std::uint64_t(i)), {});
    (void)graph.add_edge(EdgeType::used_in, hub, response, 0.25);
    (void)graph.add_edge(EdgeType::evaluates, wrong, response, 0.25);
  }
  graph.set_state(hub, graph::StateCause::deprecated, {graph::UnitStatus::deprecated, -1, 0});
  graph.rollback();
}

/// The first rule that `snapshot` breaks, or nothing.
std::optional<std::string> broken_rule(Snapshot const& snapshot) {
  auto const tx = schema::number(snapshot.tx());
  if (snapshot.vertex_count() != (tx == 0 ? 0 : 2 * tx + 1)) return "vertex count";
  if (snapshot.edge_count(EdgeType::used_in) != 2 * tx) return "edge count";
  if (tx == 0) return {};
  auto const made = snapshot.effects(hub);
  if (made.size() != tx) return "effects of the hub";
  if (made.vertices.back() != VertexId{static_cast<std::uint32_t>(2 * tx)}) return "last effect";
  if (snapshot.state(hub) != graph::UnitState{graph::UnitStatus::active, 0, static_cast<std::uint32_t>(tx)})
    return "state";
  if (snapshot.find(RecordType::response, std::to_string(tx)) != made.vertices.back()) return "newest by id";
  if (snapshot.find(RecordType::response, std::to_string(tx + 1))) return "found what is not yet there";
  if (snapshot.find(RecordType::topic, "wrong5")) return "found what was taken back";
  if (snapshot.vertices(RecordType::response).size() != tx) return "vertices by type";
  auto const reach = graph::reach(snapshot, {&hub, 1}, graph::Direction::descendants, {}, schema::NoInterrupt{});
  if (reach->vertices.size() != tx) return "reach";
  return {};
}

using Rule = std::optional<std::string> (*)(Snapshot const&);

void read_until(std::atomic<bool> const& is_done, Graph const& graph, Rule broken, std::atomic<int>& failures) {
  std::vector<Snapshot> kept;
  std::uint64_t round = 0;
  do {
    auto const now = graph.snapshot();
    auto const earlier = now.as_of(TxId{schema::number(now.tx()) / 2});
    if (++round % 16 == 0) kept.push_back(now);
    if (kept.size() > 20) kept.erase(kept.begin(), kept.begin() + 10);
    auto const& old = kept.empty() ? now : kept[round % kept.size()];
    for (auto const* each : {&now, &earlier, &old}) {
      if (broken(*each)) ++failures;
    }
  } while (!is_done.load());
}

// The same with deletions. Transaction n adds response n, made from the hub, and deletes the response of transaction
// n / 2 where n is even, whose name n takes over; it also revises the hub. So at n the visible responses are those of
// which the double is above n, and the name of a response is that of the odd number it goes back to.

VertexId response_of(std::uint64_t tx) {
  return VertexId{static_cast<std::uint32_t>(tx)};
}

std::string name_of_response(std::uint64_t tx) {
  while (tx % 2 == 0) tx /= 2;
  return std::to_string(tx);
}

void write_with_deletion(Graph& graph, std::uint64_t tx) {
  graph.begin(TxId{tx}, {static_cast<std::int64_t>(tx), 0});
  if (tx == 1) (void)graph.add_vertex(RecordType::context_unit, "hub", {});
  if (tx % 2 == 0) graph.hide(response_of(tx / 2));
  auto const response = graph.add_vertex(RecordType::response, name_of_response(tx), {});
  (void)graph.add_edge(EdgeType::used_in, hub, response, 1);
  (void)graph.revise(hub, tx % 8 == 0   ? graph::RevisionKind::whole
                          : tx % 2 == 0 ? graph::RevisionKind::addition
                                        : graph::RevisionKind::update);
  graph.end();
}

void delete_and_take_back(Graph& graph, std::uint64_t tx) {
  graph.begin(TxId{tx}, {static_cast<std::int64_t>(tx), 0});
  graph.hide(response_of(tx - 1));
  (void)graph.add_vertex(RecordType::response, name_of_response(tx - 1), {});
  (void)graph.revise(hub, graph::RevisionKind::whole);
  graph.hide(hub);
  graph.rollback();
}

/// The numbers of the hub's contents at `tx`: the last multiple of 8, the even ones after it, and the last.
std::vector<std::uint32_t> contents_at(std::uint64_t tx) {
  std::vector<std::uint32_t> numbers;
  for (auto n = tx - tx % 8; n <= tx; ++n) {
    if (n % 2 == 0 || n == tx) numbers.push_back(static_cast<std::uint32_t>(n));
  }
  return numbers;
}

std::optional<std::string> broken_rule_of_deletion(Snapshot const& snapshot) {
  auto const tx = schema::number(snapshot.tx());
  if (tx == 0) return {};
  auto const visible = tx - tx / 2;
  if (snapshot.vertex_count() != tx + 1) return "vertex count";
  if (snapshot.vertex_count(RecordType::response) != visible) return "visible responses";
  if (snapshot.edge_count(EdgeType::used_in) != visible) return "visible edges";
  if (snapshot.is_deleted(hub)) return "deletion taken back";
  auto const made = snapshot.effects(hub);
  if (made.size() != visible) return "effects of the hub";
  if (made.vertices.front() != response_of(tx / 2 + 1)) return "first effect";
  if (snapshot.effects_ever(hub).size() != tx) return "effects ever";
  if (snapshot.find(RecordType::response, name_of_response(tx)) != response_of(tx)) return "newest by name";
  auto const reach = graph::reach(snapshot, {&hub, 1}, graph::Direction::descendants, {}, schema::NoInterrupt{});
  if (reach->vertices.size() != visible) return "reach";
  if (!snapshot.causes(response_of(1)).empty() != (tx < 2)) return "causes of what is deleted";
  if (snapshot.contents(hub) != contents_at(tx)) return "contents";
  if (snapshot.revisions(hub).size() != tx) return "revisions";
  return {};
}

/// Publishes every transaction that `write` writes while readers check `broken`.
void read_while_writing(Rule broken, void (*write)(Graph&, std::uint64_t tx)) {
  Graph graph;
  std::atomic<bool> is_done = false;
  std::atomic<int> failures = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < reader_count; ++i) {
    readers.emplace_back([&] { read_until(is_done, graph, broken, failures); });
  }
  for (std::uint64_t tx = 1; tx <= written_tx; ++tx) {
    write(graph, tx);
    graph.publish();
  }
  is_done = true;
  for (auto& reader : readers) reader.join();
  BOOST_TEST(failures == 0);
  BOOST_TEST(broken(graph.snapshot()).value_or("none") == "none");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(concurrency)

BOOST_AUTO_TEST_CASE(readers_see_whole_transactions_that_never_change) {
  read_while_writing(broken_rule, [](Graph& graph, std::uint64_t tx) {
    if (tx % 3 == 0) write_and_take_back(graph, tx);
    write_transaction(graph, tx);
  });
}

BOOST_AUTO_TEST_CASE(readers_see_deletions_and_revisions_of_their_time) {
  read_while_writing(broken_rule_of_deletion, [](Graph& graph, std::uint64_t tx) {
    if (tx % 3 == 0) delete_and_take_back(graph, tx);
    write_with_deletion(graph, tx);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
