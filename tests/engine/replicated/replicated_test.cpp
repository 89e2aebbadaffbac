// Several nodes on one replicated log: every node has the same store, whichever was written to and whatever the log
// does.
//
// Claim: (1) without faults a history written through random nodes has the outcomes and the content of one engine
// alone; (2) with faults no acknowledged write is lost or there twice, two nodes never both win, and the logs of all
// nodes are equal to the byte. Method: the log is a simulated one under a seed (simulated_log.hpp); registers are
// claimed under `expect_tx`, and everything that was acknowledged is looked for on every node.

#include "store/log/store.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/replicated/simulated_log.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/wait_until.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <future>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::TxId;

/// One process of a cluster: a store of its own, an end of the log.
struct Node {
  TemporaryDirectory directory;
  SettableClock clock{at_second(3600)};
  engine::RandomIds ids;
  engine::EngineConfig config{.directory = directory.path() / "store", .group_records_max = 2, .is_durable = false};
  std::unique_ptr<engine::Engine> engine;

  Result<void> start(SimulatedLog& log) {
    auto opened = engine::Engine::open(config, clock, ids, log.connect());
    if (!opened) return opened.error();
    engine = std::move(*opened);
    return {};
  }
  [[nodiscard]] TxId head() const { return engine->snapshot().tx(); }
};

struct Cluster {
  SimulatedLog log;
  std::deque<Node> nodes;  // their engines end before the log

  explicit Cluster(std::size_t count, std::uint64_t seed = 1) : log{seed}, nodes(count) {
    for (auto& node : nodes) node.start(log).value();
  }

  Result<engine::WriteAnswer> write(std::size_t node, std::vector<schema::Record> records) {
    return nodes[node].engine->write(batch(std::move(records)));
  }

  /// Without faults, until every node is where the log is.
  void settle() {
    log.set({});
    for (auto& node : nodes) {
      if (!node.engine) node.start(log).value();
    }
    auto const is_settled = [&] {
      log.set({});  // nudges all
      auto const at = nodes.front().head();
      return log.size() == nodes.front().engine->shared_log()->position &&
             std::ranges::all_of(nodes, [&](Node const& node) { return node.head() == at; });
    };
    BOOST_REQUIRE(wait_until(is_settled));
  }

  /// Closes all nodes and compares their logs, entry by entry: the digests in them cover every content.
  void require_equal_logs() {
    for (auto& node : nodes) node.engine.reset();
    std::vector<std::unique_ptr<store::Store>> stores;
    for (auto const& node : nodes) {
      stores.push_back(store::Store::open(node.config.directory, {.is_read_only = true}).value());
    }
    auto const head = stores.front()->stats().head;
    for (auto const& each : stores) {
      BOOST_REQUIRE(each->epoch() == stores.front()->epoch());
      BOOST_REQUIRE(each->stats().head == head);
      for (TxId tx{1}; tx <= head; tx = schema::next(tx)) {
        BOOST_REQUIRE(each->log_entry(tx).value() == stores.front()->log_entry(tx).value());
      }
    }
  }
};

BOOST_AUTO_TEST_SUITE(replicated)

BOOST_AUTO_TEST_CASE(a_write_to_one_node_is_read_on_the_other) {
  Cluster cluster(2);
  BOOST_TEST(outcome(cluster.write(0, {unit("cu_1"), response("resp_1", {"cu_1"})})) == "ok 1");
  cluster.settle();
  auto const snapshot = cluster.nodes[1].engine->snapshot();
  BOOST_TEST(snapshot.find(schema::RecordType::response, "resp_1").has_value());
  BOOST_TEST(edges_of(snapshot).size() == 1);
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(a_node_that_is_behind_does_not_win) {
  Cluster cluster(2);
  cluster.log.set({.slow = 1});  // nobody hears of what the other writes
  BOOST_TEST(outcome(cluster.write(0, {unit("cu_1", "file:a")})) == "ok 1");
  cluster.log.set({});
  auto claim = batch({unit("cu_2")});
  claim.expect_tx = TxId{0};
  BOOST_TEST(outcome(cluster.nodes[1].engine->write(claim)) == "- /expect_tx precondition expect_tx");
  BOOST_TEST(outcome(cluster.write(1, {unit("cu_1", "file:b")})) == "0 /id conflict conflict");
  BOOST_TEST(outcome(cluster.write(1, {unit("cu_1", "file:a")})) == "unchanged 1");
  cluster.settle();
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(a_new_node_has_what_the_others_wrote) {
  Cluster cluster(1);
  for (int i = 0; i < 20; ++i) cluster.write(0, {unit("cu_" + std::to_string(i))}).value();
  auto& fresh = cluster.nodes.emplace_back();
  fresh.start(cluster.log).value();
  BOOST_TEST((fresh.head() == TxId{20}));
  cluster.settle();
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(an_idempotency_key_holds_on_every_node) {
  Cluster cluster(2);
  auto once = batch({unit("cu_1")});
  once.idempotency_key = "k";
  BOOST_TEST(outcome(cluster.nodes[0].engine->write(once)) == "ok 1");
  BOOST_TEST(outcome(cluster.nodes[1].engine->write(once)) == "ok 1");
  auto other = batch({unit("cu_2")});
  other.idempotency_key = "k";
  BOOST_TEST(outcome(cluster.nodes[1].engine->write(other)) == "- /idempotency_key conflict idempotency_key");
  cluster.settle();
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(what_one_node_proposes_another_confirms) {
  Cluster cluster(2);
  for (auto& node : cluster.nodes) {
    node.engine.reset();
    node.config.four_eyes = std::chrono::hours{1};
    node.start(cluster.log).value();
  }
  cluster.write(0, {unit("cu_1")}).value();
  auto const by = [&](std::size_t node, std::string who, engine::Step step) {
    engine::WriteBatch given;
    given.step = std::move(step);
    given.who = std::move(who);
    return cluster.nodes[node].engine->write(std::move(given));
  };
  auto const refs = std::vector<schema::NodeRef>{{schema::RecordType::context_unit, "cu_1"}};
  auto const proposed = by(0, "ann", engine::ContentRemoval{.is_purge = true, .refs = refs}).value();
  auto const id = schema::parse_ref(proposed.refs.front()).value().id;
  cluster.settle();
  BOOST_TEST(outcome(by(1, "ann", engine::PurgeConfirming{.id = id})) == "- /ref precondition four_eyes");
  BOOST_TEST(outcome(by(1, "ben", engine::PurgeConfirming{.id = id})) == "ok 3");
  cluster.settle();
  for (auto const& node : cluster.nodes) {
    auto const known = node.engine->snapshot();
    BOOST_TEST((known.gone(known.find(refs.front().type, "cu_1").value()) == graph::GoneWhy::purged));
  }
  BOOST_TEST(outcome(by(0, "ben", engine::PurgeConfirming{.id = id})) == "- /ref precondition closed");
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(a_store_whose_place_in_the_log_is_gone_is_refused) {
  Cluster cluster(1);
  cluster.write(0, {unit("cu_1")}).value();
  cluster.write(0, {unit("cu_2")}).value();
  cluster.log.trim(2);
  Node late;
  auto const started = late.start(cluster.log);
  BOOST_REQUIRE(!started);
  BOOST_TEST(started.error().code == Errc::resume_impossible);
}

BOOST_AUTO_TEST_CASE(a_store_of_another_log_is_refused) {
  Cluster cluster(1);
  cluster.write(0, {unit("cu_1")}).value();
  SimulatedLog elsewhere{2};
  Node stranger;
  stranger.start(elsewhere).value();
  stranger.engine->write(batch({unit("cu_9")})).value();
  stranger.engine.reset();
  auto const started = stranger.start(cluster.log);
  BOOST_REQUIRE(!started);
  BOOST_TEST(started.error().code == Errc::conflict);
}

BOOST_AUTO_TEST_CASE(an_altered_group_ends_writing_and_is_not_taken) {
  Cluster cluster(1);
  cluster.write(0, {unit("cu_1")}).value();
  cluster.log.damage(1);  // 0 is the founding one
  Node fresh;
  BOOST_CHECK_EXCEPTION(static_cast<void>(fresh.start(cluster.log)), std::runtime_error, [](auto const& failure) {
    return std::string_view{failure.what()}.find("other bytes") != std::string_view::npos;
  });
}

/// Lets a node that has not heard of the first write to another send two groups, the second built on the first, and
/// waits until it has answered both.
void send_two_too_late(Cluster& cluster) {
  cluster.log.set({.slow = 1});
  cluster.write(0, {unit("cu_first")}).value();
  auto& late = *cluster.nodes[1].engine;
  std::atomic<int> answered = 0;
  int sent = 0;
  cluster.log.on_send([&] {
    if (++sent == 1) late.submit(batch({unit("cu_third")}), [&](auto const&) { ++answered; });
    if (sent == 2) cluster.log.set({});
  });
  late.submit(batch({unit("cu_second")}), [&](auto const&) { ++answered; });
  BOOST_REQUIRE(wait_until([&] { return answered == 2; }));
  cluster.log.on_send({});
}

BOOST_AUTO_TEST_CASE(what_was_built_on_a_refused_group_is_refused_too) {
  Cluster cluster(2);
  send_two_too_late(cluster);
  BOOST_TEST(cluster.log.refused() == 2);
  BOOST_TEST((cluster.nodes[1].head() == TxId{3}));
  cluster.settle();
  cluster.require_equal_logs();
}

/// A wrong history, were it not for the message id that each group expects before it. The chain of hashes finds it.
BOOST_AUTO_TEST_CASE(by_places_alone_what_was_built_on_a_refused_group_would_be_taken) {
  Cluster cluster(2);
  cluster.log.expect_places_only();
  send_two_too_late(cluster);
  BOOST_TEST(cluster.log.refused() == 1);
  auto const failure = cluster.nodes[1].engine->failure();
  BOOST_REQUIRE(failure.has_value());
  BOOST_TEST(failure->find("is not the one that this store has") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_node_that_the_log_does_not_deliver_to_is_busy) {
  Cluster cluster(2);
  cluster.log.set({.slow = 1});
  BOOST_TEST(outcome(cluster.write(0, {unit("cu_1")})) == "ok 1");
  auto const refused = cluster.write(1, {unit("cu_2", "file:b")});
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().code == Errc::busy);
  cluster.log.set({});
  BOOST_TEST(outcome(cluster.write(1, {unit("cu_2", "file:b")})) == "ok 2");
  cluster.settle();
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(a_refusal_does_not_rest_on_what_an_old_leader_says) {
  Cluster cluster(2);
  cluster.log.set({.slow = 0.99, .stale = 1});
  for (std::uint64_t tx = 0; tx < 20; ++tx) {
    auto const name = std::to_string(tx);
    BOOST_TEST(outcome(cluster.write(0, {unit("cu_" + name)})) == "ok " + std::to_string(tx + 1));
    auto claim = batch({unit("cu_after_" + name)});
    claim.expect_tx = TxId{tx + 2};  // of one who knows what comes next
    BOOST_TEST(outcome(cluster.nodes[1].engine->write(claim)) == "- /expect_tx precondition expect_tx");
    BOOST_TEST((cluster.nodes[1].head() == TxId{tx + 1}));
  }
  cluster.settle();
  cluster.require_equal_logs();
}

BOOST_AUTO_TEST_CASE(a_log_that_took_two_groups_for_one_place_ends_writing) {
  Cluster cluster(2);
  cluster.log.set({.slow = 1});  // the second node does not hear of the first one's write
  BOOST_TEST(outcome(cluster.write(0, {unit("cu_1")})) == "ok 1");
  cluster.log.set({.slow = 1, .forked = 1});
  BOOST_TEST(outcome(cluster.write(1, {unit("cu_2")})) == "ok 1");
  cluster.log.set({});
  auto const refused = cluster.write(0, {unit("cu_3")});
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().message.find("another transaction 1") != std::string::npos);
  BOOST_TEST((cluster.nodes[0].head() == TxId{1}));
}

/// The register's values, each a unit that one node claimed.
std::string value_id(std::uint64_t value) {
  return "cu_value_" + std::to_string(value);
}

/// Random writes through random nodes of a log with faults. Each claims the next value of the register under
/// `expect_tx`, or writes a unit of its own until it is acknowledged.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_{seed}, cluster_{3, seed} {}

  void run(int steps) {
    LogFaults const faults{
        .lost = 0.05, .unanswered = 0.05, .late = 0.1, .slow = 0.3, .repeated = 0.05, .silent = 0.05};
    for (int i = 0; i < steps; ++i) {
      if (i % 7 == 0) cluster_.log.set(faults);
      auto& node = cluster_.nodes[random_() % cluster_.nodes.size()];
      if (random_() % 12 == 0) {
        node.engine.reset();
        cluster_.log.set({});  // a start waits for the log to answer
        node.start(cluster_.log).value();
        cluster_.log.set(faults);
      }
      auto const what = random_() % 3;
      if (what == 0) claim(node);
      if (what == 1) write(i);
      if (what == 2) write_many(node, i);
    }
    cluster_.settle();
    check();
    cluster_.require_equal_logs();
  }

  [[nodiscard]] std::uint64_t refused() const { return cluster_.log.refused(); }
  [[nodiscard]] std::size_t claimed() const { return claims_.size(); }

 private:
  void claim(Node& node) {
    auto const seen = node.engine->snapshot();
    std::uint64_t value = 0;
    while (seen.find(schema::RecordType::context_unit, value_id(value))) ++value;
    auto const mark = "claim:" + std::to_string(random_());
    auto next = batch({unit(value_id(value), mark)});
    next.expect_tx = seen.tx();
    auto const answer = node.engine->write(next);
    if (!answer) return;
    BOOST_TEST((answer->tx == schema::next(seen.tx())));  // nothing came between
    claims_.emplace_back(value, mark);
  }

  /// Hands a node several batches at once: they go into the log one behind the other.
  void write_many(Node& node, int i) {
    constexpr std::size_t count = 6;
    std::vector<std::promise<Result<engine::WriteAnswer>>> answers(count);
    auto const name = [&](std::size_t each) { return "cu_many_" + std::to_string(i) + '_' + std::to_string(each); };
    for (std::size_t each = 0; each < count; ++each) {
      node.engine->submit(batch({unit(name(each)), unit(name(each) + "_")}),
                          [&answers, each](auto answer) { answers[each].set_value(std::move(answer)); });
    }
    for (std::size_t each = 0; each < count; ++each) {
      auto const answer = answers[each].get_future().get();
      if (answer) written_.emplace_back(name(each), answer->tx);
      if (!answer) BOOST_REQUIRE(answer.error().code == Errc::busy);
    }
  }

  /// Tries one node after the other under one key.
  void write(int i) {
    auto mine = batch({unit("cu_mine_" + std::to_string(i))});
    mine.idempotency_key = "mine-" + std::to_string(i);
    for (int tries = 0; tries < 20; ++tries) {
      auto const answer = cluster_.nodes[random_() % cluster_.nodes.size()].engine->write(mine);
      if (!answer) {
        BOOST_REQUIRE(answer.error().code == Errc::busy);
        continue;
      }
      written_.emplace_back("cu_mine_" + std::to_string(i), answer->tx);
      return;
    }
  }

  void check() const {
    for (auto const& node : cluster_.nodes) {
      auto const snapshot = node.engine->snapshot();
      for (auto const& each : claims_) {
        auto const vertex = snapshot.find(schema::RecordType::context_unit, value_id(each.first));
        BOOST_REQUIRE(vertex.has_value());
        std::vector<schema::VertexId> const one{*vertex};
        graph::read_those_there(snapshot, node.engine->records(), one, [&](std::size_t, schema::Record&& record) {
          BOOST_TEST(std::get<schema::ContextUnit>(record).source == each.second);  // whoever was told so has won
          return true;
        }).value();
      }
      for (auto const& [id, tx] : written_) {
        auto const vertex = snapshot.find(schema::RecordType::context_unit, id);
        BOOST_REQUIRE(vertex.has_value());
        BOOST_TEST((snapshot.created(*vertex) == tx));
      }
    }
  }

  std::mt19937_64 random_;
  Cluster cluster_;
  std::vector<std::pair<std::uint64_t, std::string>> claims_;
  std::vector<std::pair<std::string, TxId>> written_;
};

BOOST_AUTO_TEST_CASE(no_acknowledged_write_is_lost_and_two_nodes_never_both_win) {
  auto const stories = count_from_environment("WHENCE_CLUSTER_STORIES", is_sanitized ? 50 : 200);
  std::uint64_t const first = given_seed().value_or(1);
  std::uint64_t refused = 0;
  std::size_t claimed = 0;
  for (std::uint64_t seed = first; seed < first + stories; ++seed) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
      Story story(seed);
      story.run(40);
      refused += story.refused();
      claimed += story.claimed();
    }
  }
  BOOST_TEST(refused > stories);  // else nothing was tried
  BOOST_TEST(claimed > stories);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
