#pragma once
// Random histories of provenance, written to a graph and to the naive oracle alike.

#include "graph/graph.hpp"
#include "graph/walk.hpp"
#include "tests/support/graph_oracle.hpp"

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::EdgeId;
using graph::EdgeType;
using graph::Graph;
using graph::RecordType;
using graph::Snapshot;
using graph::TxId;
using graph::VertexId;

/// A graph of `tx_count` transactions of up to four vertices and six edges of any drawable type each. Influence runs
/// along a random order of the vertices, not the order of commit, and stays acyclic. Some transactions are rolled back
/// and replaced by others; `snapshots()[n]` was taken when transaction n was published.
class RandomHistory {
 public:
  RandomHistory(std::uint64_t seed, std::uint32_t tx_count) : random_{seed} {
    snapshots_.push_back(graph_.snapshot());
    while (snapshots_.size() <= tx_count) {
      for (auto group = number_below(3) + 1; group > 0; --group) write();
      if (number_below(4) == 0) {
        graph_.rollback();
        tx_ = snapshots_.size() - 1;
        oracle_.roll_back_to(tx_);
        rank_.resize(oracle_.vertices().size());
        continue;
      }
      graph_.publish();
      while (snapshots_.size() < tx_) snapshots_.push_back(graph_.snapshot().as_of(TxId{snapshots_.size()}));
      snapshots_.push_back(graph_.snapshot());
    }
  }

  [[nodiscard]] Graph const& graph() const { return graph_; }
  [[nodiscard]] GraphOracle const& oracle() const { return oracle_; }
  [[nodiscard]] std::vector<Snapshot> const& snapshots() const { return snapshots_; }
  [[nodiscard]] std::uint32_t number_below(std::uint32_t end) const {
    return std::uniform_int_distribution<std::uint32_t>{0, end - 1}(random_);
  }

 private:
  void write() {
    ++tx_;
    graph_.begin(TxId{tx_}, {static_cast<std::int64_t>(tx_), 0});
    for (auto count = number_below(5); count > 0; --count) add_vertex();
    for (auto count = number_below(7); count > 0 && rank_.size() > 1; --count) add_edge();
    graph_.end();
  }

  void add_vertex() {
    static constexpr RecordType types[] = {
        RecordType::context_unit, RecordType::response,        RecordType::message,  RecordType::feedback_record,
        RecordType::topic,        RecordType::retrieved_chunk, RecordType::document, RecordType::query};
    // Half are units and responses, so that there is much to draw between them. The id sorts apart from the number.
    auto const type = types[number_below(2) == 0 ? number_below(2) : number_below(std::size(types))];
    auto const id = std::to_string(random_());
    (void)graph_.add_vertex(type, id, {});
    (void)oracle_.add_vertex(tx_, type, id);
    rank_.push_back(static_cast<std::uint32_t>(random_()));
  }

  void add_edge() {
    auto const from = number_below(static_cast<std::uint32_t>(rank_.size()));
    auto const to = number_below(static_cast<std::uint32_t>(rank_.size()));
    for (auto const& rule : schema::edge_rules()) {
      if (rule.from != oracle_.vertices()[from].type || rule.to != oracle_.vertices()[to].type) continue;
      auto const is_along = rule.influence == schema::Influence::along;
      auto const cause = is_along ? from : to;
      auto const effect = is_along ? to : from;
      if (rule.influence != schema::Influence::none && rank_[cause] >= rank_[effect]) continue;
      std::optional<double> value;
      if (rule.carries != schema::Carries::none) value = weight();
      (void)graph_.add_edge(rule.type, VertexId{from}, VertexId{to}, value);
      (void)oracle_.add_edge(tx_, rule.type, from, to, value);
    }
  }

  // A power of two or zero: products are exact, so that many paths tie and the order by length and refs shows.
  double weight() {
    static constexpr double weights[] = {1, 0.5, 0.5, 0.25, 0.125, 0};
    return weights[number_below(std::size(weights))];
  }

  mutable std::mt19937_64 random_;
  Graph graph_;
  GraphOracle oracle_;
  std::uint64_t tx_ = 0;
  std::vector<std::uint32_t> rank_;
  std::vector<Snapshot> snapshots_;
};

/// Calls `check(history)` for `count` histories, or for the one of `WHENCE_TEST_SEED`. A failure prints its seed.
template <class Check>
void for_random_histories(int count, Check const& check) {
  auto const* given = std::getenv("WHENCE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::uint64_t const first = given != nullptr ? std::stoull(given) : std::random_device{}();
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(given != nullptr ? 1 : count); ++seed) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
      check(RandomHistory{seed, 14});
    }
  }
}

}  // namespace whence::test
