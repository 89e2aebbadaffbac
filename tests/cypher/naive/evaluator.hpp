#pragma once
// A second, naive evaluator of the query language, to compare the engine with.
//
// It goes clause by clause over whole tables of named values, tries each node and each relation for each place of a
// pattern, and checks everything at the end: no plan, no slots, no index, no early end. It shares with the engine: the
// parser; the functions of the table; arithmetic and text operators (`apply`); the four notions of equality and order
// (`values/compare.hpp`). Its own are: names and scopes, patterns, searches, three-valued logic, comparisons, lists,
// comprehensions, CASE, subqueries, grouping, aggregations, DISTINCT (by comparing with each row), order, UNION.

#include "queries/cypher/state/state.hpp"
#include "queries/cypher/syntax/statement.hpp"
#include "tests/cypher/naive/naive_graph.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace whence::tests {

/// All rows before the last SKIP and LIMIT, with the values that they are ordered by: rows of equal keys may come in
/// any order, so that the window cuts through them anywhere.
struct NaiveAnswer {
  struct Row {
    std::vector<Value> values;
    std::vector<Value> keys;
  };
  std::vector<Row> rows = {};
  std::uint64_t skip = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::string> error = {};
  bool is_too_large = false;  ///< it would take too long, and was given up
};

class NaiveEvaluator {
 public:
  /// `head` is the graph where no moment is named. Both outlive the evaluator.
  NaiveEvaluator(NaiveGraph const& head, NaiveMoments const& moments, Map params);

  [[nodiscard]] NaiveAnswer answer(std::string_view text);

 private:
  using Table = std::vector<Map>;
  using Names = std::set<std::string>;
  struct Match;

  // Clauses (evaluator.cpp).
  Table run(Query const& query, Map const& start, Names const& names);
  Table single(SingleQuery const& part, Map const& start, Names names, bool is_last);
  Table projected(Clause const& clause, Table const& table, Names& names, bool is_last);
  Table grouped(std::vector<ProjectionItem const*> const& items, Table const& table);
  Value aggregated(Invocation const& call, Expression const& expression, Table const& rows);
  NaiveGraph const* graph_at(AtMoment const& at);
  std::uint64_t number_of(Expression const* expression, std::uint64_t otherwise);

  // Patterns (patterns.cpp).
  Table matches(Pattern const& pattern, Expression const* where, Map const& row);
  void path(Match& match, std::size_t number);
  void from_node(Match& match, std::size_t number, std::size_t place, NaiveNode const& node);
  void step(Match& match, std::size_t number, std::size_t place, NaiveNode const& node);
  void walk(Match& match, std::size_t number, std::size_t place, std::uint64_t at, std::vector<Value>& taken);
  void search(Match& match, std::size_t number);
  void search_between(Match& match, std::size_t number, NaiveNode const& from, NaiveNode const& to);
  std::vector<Path> trails(PathPattern const& path, Map const& expected, std::uint64_t from, std::uint64_t to);
  void finish(Match& match);
  bool has_properties(Value const& entity, Expression const* properties, Map const& row);
  /// The other end, where the relation may be taken from `at`.
  static std::optional<std::uint64_t> other_end(RelationPattern const& pattern, NaiveRelation const& relation,
                                                std::uint64_t at, bool is_bound = false);

  // Expressions (expressions.cpp).
  Value evaluate(Expression const& expression, Map const& row);
  friend struct NaiveForms;
  Value logical(Op op, Expression const& expression, Map const& row);
  Value compared(Op op, Value const& left, Value const& right);
  Value conditional(Conditional conditional, Expression const& expression, Map const& row);
  Value element(Value const& base, Value const& at);
  Value slice(Expression const& expression, Map const& row);
  Value property(Value const& base, std::string_view name);
  Value map_projection(MapProjection const& projection, Expression const& expression, Map const& row);
  Value called(Invocation const& call, Expression const& expression, Map const& row);
  Value search(PatternSearch const& search, Expression const& expression, Map const& row);
  Value subquery(Expression const& expression, Map const& row);
  Value nested(Subquery const& subquery, Map const& row);
  bool is_true(Expression const& condition, Map const& row);
  Value fail(std::string why);

  /// Counts work. False: it is too much.
  bool spend();

  NaiveGraph const* head_;
  NaiveMoments const& moments_;
  NaiveGraph const* graph_;  ///< that is read now
  RunState state_;           ///< for the functions that are shared
  Table const* group_ = nullptr;
  NaiveAnswer answer_;
  std::uint64_t steps_ = 0;
};

}  // namespace whence::tests
