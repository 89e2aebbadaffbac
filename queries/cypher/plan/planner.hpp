#pragma once
// From clauses to operators: where to start, in which direction to expand, where a condition can be checked first.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"

#include <optional>
#include <span>
#include <vector>

namespace whence::queries::cypher {

/// Which slots have values at a place of the plan.
using BoundSlots = std::vector<bool>;

/// Plans for one run: it asks the run's graph for statistics. Failures go to the run's state.
class Planner {
 public:
  Planner(Statement const& statement, RunState& state);

  /// One plan per part of a UNION.
  [[nodiscard]] std::vector<PlanPtr> statement();
  /// The plans of a pattern or a subquery inside of an expression.
  [[nodiscard]] std::vector<PlanPtr> subquery(Expression const& expression);
  /// Plans some clauses after rows that have `bound`; notes what they bind.
  [[nodiscard]] PlanPtr clauses(std::vector<Clause> const& clauses, std::size_t first, std::size_t last,
                                BoundSlots& bound, bool only_exists);

 private:
  [[nodiscard]] PlanPtr projection(PlanPtr source, Clause const& clause, BoundSlots& bound);
  /// `behind`: the clauses after it.
  [[nodiscard]] PlanPtr match(PlanPtr source, Clause const& clause, std::span<Clause const> behind, BoundSlots& bound,
                              bool counts_once);
  [[nodiscard]] PropertyGraph const* graph_at(AtMoment const* at);

  Statement const& statement_;
  RunState& state_;
  AtMoment const* at_;                ///< of every MATCH without its own
  std::vector<bool> property_reads_;  ///< slots of which the query reads properties
};

}  // namespace whence::queries::cypher
