#pragma once
// Random histories of provenance, written to a graph and to the naive oracle alike.

#include "tests/graph/world.hpp"
#include "tests/support/graph_oracle.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace whence::test {

/// A graph of `tx_count` transactions of up to four vertices, six edges of any type, three revisions and one
/// deletion each. Influence runs along a random order of the vertices, not the order of commit, and stays acyclic. Some
/// new vertices have the name of a deleted one, some deleted in the same transaction. Some transactions are rolled back
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
    auto edges = number_below(7);
    for (auto before = number_below(3); edges > before && rank_.size() > 1; --edges) add_edge();
    if (number_below(3) == 0) hide_vertex();
    for (; edges > 0 && rank_.size() > 1; --edges) add_edge();
    for (auto count = number_below(4); count > 0 && !rank_.empty(); --count) revise_vertex();
    graph_.end();
  }

  [[nodiscard]] std::uint32_t any_vertex() const { return number_below(static_cast<std::uint32_t>(rank_.size())); }

  // Half of the deleted names are written again, at once or later.
  void hide_vertex() {
    if (rank_.empty()) return;
    auto const v = any_vertex();
    if (oracle_.vertices()[v].tx == tx_ || !oracle_.is_visible(tx_, v)) return;
    graph_.hide(VertexId{v});
    oracle_.hide(tx_, v);
    if (number_below(4) == 0) add_again(v);
  }
  void add_again(std::uint32_t deleted) {
    auto const [type, id] = std::pair{oracle_.vertices()[deleted].type, oracle_.vertices()[deleted].id};
    if (oracle_.find(tx_, type, id)) return;
    add(type, id);
  }

  void revise_vertex() {
    static constexpr schema::RevisionKind kinds[] = {schema::RevisionKind::whole, schema::RevisionKind::addition,
                                                     schema::RevisionKind::update, schema::RevisionKind::update};
    // The first ones mostly, so that some have long chains.
    auto const v = number_below(std::min(any_vertex() + 1, 6U));
    if (v >= rank_.size() || !oracle_.is_visible(tx_, v)) return;
    auto const kind = kinds[number_below(std::size(kinds))];
    auto const number = graph_.revise(VertexId{v}, kind);
    oracle_.revise(tx_, v, kind);
    BOOST_TEST(number == oracle_.revisions(tx_, v).size());
  }

  void add_vertex() {
    if (!rank_.empty() && number_below(4) == 0) {
      auto const v = any_vertex();
      if (!oracle_.is_visible(tx_, v)) return add_again(v);
    }
    static constexpr RecordType types[] = {
        RecordType::context_unit, RecordType::response,        RecordType::message,  RecordType::feedback_record,
        RecordType::topic,        RecordType::retrieved_chunk, RecordType::document, RecordType::query};
    // Half are units and responses, so that many edges fit between them. The id sorts apart from the number.
    auto const type = types[number_below(2) == 0 ? number_below(2) : number_below(std::size(types))];
    add(type, std::to_string(random_()));
  }

  void add(RecordType type, std::string const& id) {
    (void)graph_.add_vertex(type, id, {});
    (void)oracle_.add_vertex(tx_, type, id);
    rank_.push_back(static_cast<std::uint32_t>(random_()));
  }

  void add_edge() {
    auto const from = any_vertex();
    auto const to = any_vertex();
    if (!oracle_.is_visible(tx_, from) || !oracle_.is_visible(tx_, to)) return;
    if (from == to) return;  // no record names itself
    for (auto const& rule : schema::edge_rules()) {
      if (rule.from != oracle_.vertices()[from].type || rule.to != oracle_.vertices()[to].type) continue;
      auto const is_along = rule.influence == schema::Influence::along;
      auto const cause = is_along ? from : to;
      auto const effect = is_along ? to : from;
      if (rule.influence != schema::Influence::none && rank_[cause] >= rank_[effect]) continue;
      std::optional<double> value;
      bool const lacks_weight = rule.carries == schema::Carries::weight && number_below(6) == 0;
      if (rule.carries != schema::Carries::none && !lacks_weight) value = weight();
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
  auto const given = whence::test::given_seed();
  std::uint64_t const first = whence::test::seed_from_environment();
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(given ? 1 : count); ++seed) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
      check(RandomHistory{seed, 14});
    }
  }
}

}  // namespace whence::test
