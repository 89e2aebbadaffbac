// Claim: any query, on any graph, at any moment, has the rows that its definition gives, whatever the plan.
// Method: random queries over the whole read language (naive/query_maker.hpp), on random graphs in memory and on real
// engines with random histories, each compared with the naive evaluator (naive/evaluator.hpp) on a list of nodes and
// relations that was made apart. WHENCE_TEST_SEED repeats a run, WHENCE_NAIVE_QUERIES sets its length.

#include "queries/cypher/whence/view_graph.hpp"
#include "tests/cypher/asked.hpp"
#include "tests/cypher/histories.hpp"
#include "tests/cypher/naive/evaluator.hpp"
#include "tests/cypher/naive/query_maker.hpp"
#include "tests/cypher/naive/small_graph.hpp"
#include "tests/support/seed.hpp"

#include <map>
#include <random>
#include <span>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

constexpr std::uint64_t queries_per_graph = 25;
/// A walk over all paths may come before a pattern without matches, which the naive evaluator meets first.
constexpr std::uint64_t steps_max = 200'000'000;
constexpr std::size_t rows_shown_max = 30;  ///< of each side, where they differ

struct EngineAnswer {
  std::vector<std::string> rows = {};
  std::optional<QueryError> error = {};
};

EngineAnswer asked_of_engine(PropertyGraph const& graph, std::string const& text, Map params, bool sorts_lists) {
  static schema::NoInterrupt const interrupt;
  EngineAnswer made;
  auto const prepared = prepare(text);
  if (!prepared) {
    made.error = prepared.error();
    return made;
  }
  auto rows =
      queries::cypher::run(*prepared, graph, std::move(params), {.interrupt = interrupt, .steps_max = steps_max});
  if (!rows) {
    made.error = rows.error();
    return made;
  }
  for (;;) {
    auto row = rows->next();
    if (!row) made.error = row.error();
    if (!row || !*row) return made;
    made.rows.push_back(shown(**row, sorts_lists));
  }
}

/// Why the engine's rows are none of the answers that the naive rows allow; empty: they are one.
std::string difference(std::vector<std::string> const& rows, NaiveAnswer const& naive, bool sorts_lists) {
  auto const size = static_cast<std::uint64_t>(naive.rows.size());
  auto const skipped = std::min(naive.skip, size);
  auto const count = std::min(naive.limit, size - skipped);
  if (rows.size() != count) return std::to_string(rows.size()) + " rows instead of " + std::to_string(count);
  // The rows that there are, each with the keys that it is ordered by.
  std::map<std::pair<std::string, std::string>, int> left;
  for (auto const& row : naive.rows) ++left[{shown(row.values, sorts_lists), shown(row.keys, false)}];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& keys = naive.rows[skipped + i].keys;
    auto const found = left.find({rows[i], shown(keys, false)});
    if (found == left.end() || found->second == 0) return "row " + std::to_string(i) + ": " + rows[i];
    --found->second;
  }
  return {};
}

template <class T>
std::span<T const> first(std::vector<T> const& rows) {
  return std::span{rows}.first(std::min(rows.size(), rows_shown_max));
}

/// What a run has done; a generator that makes nothing would pass every comparison.
struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t given_up = 0;
  std::uint64_t with_rows = 0;

  [[nodiscard]] std::uint64_t all() const noexcept { return compared + given_up; }

  /// A run of `count` queries compares half as many that have rows. Few graphs have few of them by chance: the run
  /// goes on then, to twice its length at most.
  [[nodiscard]] bool has_enough(std::uint64_t count) const noexcept {
    return (all() >= count && with_rows * 2 >= count) || all() >= count * 2;
  }
};

void compare(PropertyGraph const& graph, NaiveGraph const& head, NaiveMoments const& moments, QueryMaker& maker,
             Tally& tally) {
  auto const text = maker.next();
  BOOST_TEST_CONTEXT(text) {
    auto const naive = NaiveEvaluator{head, moments, maker.params()}.answer(text);
    if (naive.is_too_large) {
      ++tally.given_up;
      return;
    }
    BOOST_TEST(naive.error.value_or("") == "");
    auto const engine = asked_of_engine(graph, text, maker.params(), maker.sorts_lists());
    if (engine.error && engine.error->kind == ErrorKind::limit_exceeded) {
      ++tally.given_up;
      return;
    }
    std::ostringstream error;
    if (engine.error) error << *engine.error;
    BOOST_TEST(error.str() == "");
    if (naive.error || engine.error) return;
    auto const differs = difference(engine.rows, naive, maker.sorts_lists());
    if (!differs.empty()) {
      std::string all;
      for (auto const& row : first(naive.rows)) all += "\n  naive:  " + shown(row.values, maker.sorts_lists());
      for (auto const& row : first(engine.rows)) all += "\n  engine: " + row;
      for (auto const& each : maker.params()) all += "\n  $" + each.first + " = " + shown(each.second, false);
      BOOST_ERROR(differs << all);
    }
    ++tally.compared;
    tally.with_rows += naive.rows.empty() ? 0 : 1;
  }
}

void check(Tally const& tally, std::uint64_t count) {
  BOOST_TEST_MESSAGE(tally.compared << " queries compared, " << tally.with_rows << " of them with rows, "
                                    << tally.given_up << " too large for one of the two");
  BOOST_TEST(tally.given_up * 20 <= tally.all());
  BOOST_TEST(tally.with_rows * 2 >= count);
}

BOOST_AUTO_TEST_SUITE(cypher_naive)

BOOST_AUTO_TEST_CASE(queries_of_graphs_in_memory_have_the_naive_rows) {
  auto const seed = test::seed_from_environment();
  auto const count = test::count_from_environment("WHENCE_NAIVE_QUERIES", 1'500);
  auto const words = SmallGraph::words();
  Tally tally;
  for (std::uint64_t graph = 0; !tally.has_enough(count); ++graph) {
    SmallGraph const small{seed + graph};
    QueryMaker maker{words, seed + graph};
    NaiveMoments const moments = [](Moment const&) { return nullptr; };
    for (std::uint64_t i = 0; i < queries_per_graph; ++i) {
      BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", graph " << graph << ", query " << i) {
        compare(small.memory, small.naive, moments, maker, tally);
      }
    }
  }
  check(tally, count);
}

BOOST_AUTO_TEST_CASE(queries_of_an_engine_at_its_moments_have_the_naive_rows) {
  auto const seed = test::seed_from_environment();
  // A history costs more than queries of it do.
  auto const count = test::count_from_environment("WHENCE_NAIVE_QUERIES", 500);
  constexpr std::uint64_t queries_per_history = 8 * queries_per_graph;
  Tally tally;
  for (std::uint64_t number = 0; !tally.has_enough(count); ++number) {
    EngineHistory const history{seed + number};
    auto const words = history.words();
    QueryMaker maker{words, seed + number};
    NaiveMoments const moments = [&](Moment const& moment) { return history.at(moment); };
    for (std::uint64_t i = 0; i < queries_per_history; ++i) {
      BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", history " << number << ", query " << i) {
        ViewGraph const graph{history.view()};
        compare(graph, history.moments().back(), moments, maker, tally);
        BOOST_TEST(!graph.error().has_value());
      }
    }
  }
  check(tally, count);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
