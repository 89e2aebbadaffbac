#pragma once
// An operator at work: pulls rows from its source and adds to them.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace whence::queries::cypher {

/// All operators of a plan write to one row, each to slots of its own, so that a row is copied only where it is kept.
/// Invariant: between two calls of `next` nothing changes the slots that an operator's source has set.
class Operator {
 public:
  Operator(PlanNode const& plan, RunState& state, std::unique_ptr<Operator> source)
      : plan_(plan), state_(state), source_(std::move(source)) {}
  Operator(Operator const&) = delete;
  Operator& operator=(Operator const&) = delete;
  virtual ~Operator() = default;

  /// Makes the next row. False: there is none, or the run has failed.
  bool next(Row& row) {
    auto const before = state_.steps();
    bool const more = !state_.failed() && pull(row);
    steps_ += state_.steps() - before;
    rows_ += more ? 1 : 0;
    return more;
  }
  /// Starts again, with what the row holds then.
  void restart() {
    if (source_ != nullptr) source_->restart();
    clear();
  }

  [[nodiscard]] PlanNode const& plan() const noexcept { return plan_; }
  [[nodiscard]] Operator const* source() const noexcept { return source_.get(); }
  /// Whether it and those below it work on batches of node numbers.
  [[nodiscard]] virtual bool is_batched() const noexcept { return false; }
  [[nodiscard]] virtual Operator const* inner() const noexcept { return nullptr; }
  [[nodiscard]] virtual std::uint64_t rows() const noexcept { return rows_; }
  /// Nodes and relations that it looked at itself.
  [[nodiscard]] virtual std::uint64_t own_steps() const noexcept {
    auto own = steps_ - (source_ != nullptr ? source_->steps_ : 0);
    return inner() != nullptr ? own - inner()->steps_ : own;
  }

 protected:
  virtual bool pull(Row& row) = 0;
  virtual void clear() {}

  PlanNode const& plan_;
  RunState& state_;
  std::unique_ptr<Operator> source_;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t steps_ = 0;  ///< with those of its sources
};

using OperatorPtr = std::unique_ptr<Operator>;

/// An operator that does one kind of step.
template <class Step>
class StepOperator : public Operator {
 public:
  StepOperator(PlanNode const& plan, RunState& state, OperatorPtr source)
      : Operator(plan, state, std::move(source)), step_(std::get<Step>(plan.step)) {}

 protected:
  Step const& step_;
};

/// `plan`, an aggregation, with all operators below it in batches of node numbers instead of rows; null where it or one
/// of them needs rows. `above`: the operators of the plan behind it, the next one first.
[[nodiscard]] OperatorPtr make_batch_aggregate(PlanNode const& plan, std::span<PlanNode const* const> above,
                                               RunState& state);

/// The operators of a plan. The plan outlives them.
[[nodiscard]] OperatorPtr make_operator(PlanNode const& plan, RunState& state);

/// Makes the operator of a step; each function stands beside its operator.
struct OperatorMaker {
  OperatorPtr operator()(ArgumentStep const& step);
  OperatorPtr operator()(ScanStep const& step);
  OperatorPtr operator()(SeekStep const& step);
  OperatorPtr operator()(ByIdStep const& step);
  OperatorPtr operator()(ExpandStep const& step);
  OperatorPtr operator()(ExpandManyStep const& step);
  OperatorPtr operator()(ReachStep const& step);
  OperatorPtr operator()(ShortestStep const& step);
  OperatorPtr operator()(BoundRelationStep const& step);
  OperatorPtr operator()(MakePathStep const& step);
  OperatorPtr operator()(FilterStep const& step);
  OperatorPtr operator()(OptionalStep const& step);
  OperatorPtr operator()(UnwindStep const& step);
  OperatorPtr operator()(ProjectStep const& step);
  OperatorPtr operator()(AggregateStep const& step);
  OperatorPtr operator()(DistinctStep const& step);
  OperatorPtr operator()(SortStep const& step);
  OperatorPtr operator()(SkipStep const& step);
  OperatorPtr operator()(LimitStep const& step);
  OperatorPtr operator()(CallStep const& step);

  template <class Made>
  [[nodiscard]] OperatorPtr make() {
    return std::make_unique<Made>(plan, state, std::move(source));
  }

  PlanNode const& plan;
  RunState& state;
  OperatorPtr source;
};

/// SKIP's and LIMIT's number; a failure for what is none.
[[nodiscard]] std::uint64_t bound_of(Expression const* expression, std::string_view what, RunState& state);

}  // namespace whence::queries::cypher
