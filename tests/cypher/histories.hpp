#pragma once
// Random histories of a real engine, and each of its moments as a naive graph.

#include "queries/view/view.hpp"
#include "tests/cypher/naive/naive_graph.hpp"
#include "tests/cypher/naive/query_maker.hpp"
#include "tests/support/fixtures.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace whence::tests {

/// Two engines that take the same transactions. The first is asked, at any moment. After each transaction the second,
/// which has taken no more than those up to it, is read whole as lists: what the first should show as of then.
class EngineHistory {
 public:
  explicit EngineHistory(std::uint64_t seed);

  [[nodiscard]] queries::View view() const;
  /// One graph per transaction, from 0 on.
  [[nodiscard]] std::vector<NaiveGraph> const& moments() const noexcept { return moments_; }
  [[nodiscard]] NaiveGraph const* at(Moment const& moment) const;
  [[nodiscard]] Vocabulary words() const;

 private:
  [[nodiscard]] engine::WriteBatch next_batch();
  [[nodiscard]] schema::ContextUnit next_unit();
  void take(engine::WriteBatch const& batch);
  [[nodiscard]] NaiveGraph read() const;

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string const& pick(std::vector<std::string> const& all) { return all[below(all.size())]; }

  std::mt19937_64 random_;
  test::EngineFixture asked_;
  test::EngineFixture replayed_;
  std::vector<NaiveGraph> moments_;
  std::vector<schema::Time> times_;  ///< per transaction, from 0 on
  std::uint32_t next_ = 0;
  std::vector<std::string> units_;
  std::vector<std::string> responses_;
  std::vector<std::string> newest_;  ///< units without a successor
};

}  // namespace whence::tests
