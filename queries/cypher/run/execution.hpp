#pragma once
// A run of a prepared query: its plans, its operators, and the subqueries inside of its expressions.

#include "queries/cypher/plan/planner.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/values/compare.hpp"

#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

namespace whence::queries::cypher {

class Execution final : public Subqueries {
 public:
  Execution(std::shared_ptr<Statement const> statement, PropertyGraph const& graph, Map params,
            QueryBudget const& budget, Environment const& environment);

  /// Makes plans and operators. Fails for a missing parameter, or a moment that the graph does not have.
  [[nodiscard]] std::optional<QueryError> start();
  [[nodiscard]] Outcome<std::optional<std::vector<Value>>> next();
  [[nodiscard]] std::vector<PlanLine> plan() const;
  [[nodiscard]] std::uint64_t held() const noexcept { return state_.held(); }
  [[nodiscard]] std::vector<Notice> const& notices() const noexcept { return state_.notices(); }
  [[nodiscard]] Statement const& statement() const noexcept { return *statement_; }

  void each(Expression const& expression, Row const& row, std::function<bool(Row&)> const& visit) override;

 private:
  struct Part {
    PlanPtr plan;
    OperatorPtr root;
  };

  [[nodiscard]] QueryError with_place(QueryError error) const;

  std::shared_ptr<Statement const> statement_;
  std::uint64_t rows_max_;
  RunState state_;
  std::vector<Part> parts_;
  std::map<Expression const*, std::vector<Part>> subqueries_;
  std::size_t part_ = 0;
  Row row_;
  std::uint64_t rows_ = 0;
  bool is_done_ = false;
  std::unordered_set<std::vector<Value>, RowHash, SameRow> seen_;  ///< of a UNION without ALL
};

}  // namespace whence::queries::cypher
