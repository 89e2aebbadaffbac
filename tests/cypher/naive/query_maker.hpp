#pragma once
// Random queries over the whole read language, of a graph whose names are given.
//
// Every query is valid and every value has the type that its place needs, so that no query fails: whether one fails
// would depend on the order in which conditions are checked. What has several right answers is left out or made to
// have one: the rows that a LIMIT inside of a query lets through are chosen in a total order, a shortest path shows its
// length only, and collected lists are compared as bags (`sorts_lists`).

#include "queries/cypher/values/value.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tests {

/// Names of a graph. Lists may be empty, but for `labels`, `types`, `node_integers` and `node_texts`.
struct Vocabulary {
  std::vector<std::string> labels = {};
  std::vector<std::string> types = {};
  std::vector<std::string> node_integers = {};
  std::vector<std::string> node_reals = {};
  std::vector<std::string> node_texts = {};
  std::vector<std::string> node_booleans = {};
  std::vector<std::string> node_lists = {};  ///< of integers
  std::vector<std::string> relation_integers = {};
  std::vector<std::string> relation_reals = {};
  std::vector<std::string> texts = {};  ///< that properties may have
  std::uint64_t newest = 0;             ///< transaction; 0: the graph has no past
  std::vector<std::string> times = {};  ///< of transactions, as `datetime()` reads them
};

class QueryMaker {
 public:
  QueryMaker(Vocabulary const& words, std::uint64_t seed);

  /// The next query, with `params()` and `sorts_lists()` for it.
  [[nodiscard]] std::string next();
  [[nodiscard]] queries::cypher::Map const& params() const noexcept { return params_; }
  [[nodiscard]] bool sorts_lists() const noexcept { return sorts_lists_; }

 private:
  enum class Kind : std::uint8_t { integer, real, text, boolean, integers, node, relation, relations, path, search };
  struct Name {
    std::string name;
    Kind kind;
  };

  // Clauses.
  std::string single(bool is_union_part);
  std::string match();
  std::string with();
  std::string returning(bool is_union_part);
  std::string unwind();
  std::string moment();
  std::string order_by(std::vector<Name> const& columns, bool is_total);
  std::string aggregation(std::vector<std::string> const& integer_keys, Kind& kind);
  std::string window();

  // Patterns. `may_bind`: new variables may be made.
  std::string pattern(std::uint64_t least, std::uint64_t longest, bool may_bind);
  std::string node(bool may_bind);
  std::string relation(bool may_bind);
  std::string search(bool is_clause);

  // Expressions of a kind.
  std::string of_kind(Kind kind, int depth);
  std::string integer(int depth);
  std::string real(int depth);
  std::string text(int depth);
  /// `may_be_pattern`: it stands where a bare pattern is a condition.
  std::string boolean(int depth, bool may_be_pattern = false);
  std::string condition(int depth);
  std::string integers(int depth);
  std::string subquery(int depth);

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::string const& pick(std::vector<std::string> const& all) { return all[below(all.size())]; }
  [[nodiscard]] std::vector<std::string> named(Kind kind) const;
  std::string fresh(char const* prefix) { return prefix + std::to_string(next_name_++); }
  std::string quoted(std::string const& text) { return "'" + text + "'"; }

  Vocabulary const& words_;
  std::mt19937_64 random_;
  queries::cypher::Map params_;
  bool sorts_lists_ = false;
  std::vector<Name> scope_;
  std::vector<std::string> relations_here_;  ///< names of relations in the pattern that is being made
  std::uint32_t next_name_ = 0;
  int open_walks_ = 0;  ///< relations of variable length in the query
  int steps_ = 0;       ///< relations in the query
};

}  // namespace whence::tests
