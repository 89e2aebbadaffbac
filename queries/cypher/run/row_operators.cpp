// Operators on rows: filter, optional, unwind, project, skip, limit, call.
#include "queries/cypher/evaluate/elements.hpp"
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/run/predicates.hpp"
#include "queries/cypher/state/procedures.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

class Filter final : public StepOperator<FilterStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    while (source_->next(row)) {
      if (!state_.spend(1)) return false;
      auto const check = [&](Predicate const& each) { return holds(each, *plan_.graph, row, state_); };
      if (std::ranges::all_of(step_.predicates, check)) return !state_.failed();
    }
    return false;
  }
};

class Optional final : public StepOperator<OptionalStep> {
 public:
  Optional(PlanNode const& plan, RunState& state, OperatorPtr source)
      : StepOperator(plan, state, std::move(source)), inner_(make_operator(*step_.inner, state)) {}
  [[nodiscard]] Operator const* inner() const noexcept override { return inner_.get(); }

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (is_open_) {
        if (inner_->next(row)) {
          has_found_ = true;
          return true;
        }
        is_open_ = false;
        if (state_.failed()) return false;
        if (!has_found_) {
          for (auto const slot : step_.null_slots) row[slot] = Value{};
          return true;
        }
      }
      if (!source_->next(row)) return false;
      inner_->restart();
      is_open_ = true;
      has_found_ = false;
    }
  }
  void clear() override { is_open_ = false; }

  OperatorPtr inner_;
  bool is_open_ = false;
  bool has_found_ = false;
};

class Unwind final : public StepOperator<UnwindStep> {
 public:
  Unwind(PlanNode const& plan, RunState& state, OperatorPtr source)
      : StepOperator(plan, state, std::move(source)), held_(state) {}

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (!elements_.is_at_end()) {
        row[step_.slot] = elements_.next();
        return state_.spend(1);
      }
      if (!source_->next(row)) return false;
      clear();
      elements_ = elements_of(*step_.list, row, state_);
      if (state_.failed() || !held_.add(elements_.value(), *step_.list)) return false;
    }
  }
  void clear() override {
    elements_ = {};
    held_.clear();
  }

  HeldValues held_;
  Elements elements_;
};

class Project final : public StepOperator<ProjectStep> {
 public:
  Project(PlanNode const& plan, RunState& state, OperatorPtr source)
      : StepOperator(plan, state, std::move(source)), held_(state), values_(step_.items.size()) {}

 private:
  bool pull(Row& row) override {
    if (!source_->next(row)) return false;
    // First all values, then the slots: `WITH a AS b, b AS a`.
    held_.clear();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = evaluate(*step_.items[i]->expression, row, state_);
      if (!held_.add(values_[i], *step_.items[i]->expression)) return false;
    }
    for (std::size_t i = 0; i < values_.size(); ++i) row[step_.items[i]->slot] = std::move(values_[i]);
    return state_.spend(1);
  }
  void clear() override { held_.clear(); }

  HeldValues held_;  ///< of the row that was made last
  std::vector<Value> values_;
};

class Skip final : public StepOperator<SkipStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    if (!is_done_) {
      is_done_ = true;
      for (auto left = bound_of(step_.count, "SKIP", state_); left > 0; --left) {
        if (!source_->next(row)) return false;
      }
    }
    return source_->next(row);
  }
  void clear() override { is_done_ = false; }

  bool is_done_ = false;
};

class Limit final : public StepOperator<LimitStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    if (!is_begun_) {
      is_begun_ = true;
      left_ = bound_of(step_.count, "LIMIT", state_);
    }
    if (left_ == 0 || !source_->next(row)) return false;
    --left_;
    return true;
  }
  void clear() override { is_begun_ = false; }

  bool is_begun_ = false;
  std::uint64_t left_ = 0;
};

/// The run as an interrupt: what a procedure looks at is counted, and bounded, as the query's own steps.
class InterruptOfRun final : public schema::Interrupt {
 public:
  explicit InterruptOfRun(RunState& state) : state_(state) {}
  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    if (state_.spend(steps)) return schema::Stop::none;
    bool const is_cancelled = state_.error() && state_.error()->kind == ErrorKind::cancelled;
    return is_cancelled ? schema::Stop::cancelled : schema::Stop::timeout;
  }

 private:
  RunState& state_;
};

/// The rows of a procedure for each row of the source.
class Call final : public StepOperator<CallStep> {
 public:
  Call(PlanNode const& plan, RunState& state, OperatorPtr source)
      : StepOperator(plan, state, std::move(source)), interrupt_(state) {}

 private:
  bool pull(Row& row) override {
    auto const& clause = *step_.clause;
    for (;;) {
      if (found_ != nullptr) {
        auto const more = found_->next(values_);
        if (!more) return fail(more.error());
        if (!hold(found_->bytes())) return false;
        if (*more) {
          for (auto const& yield : clause.yields)
            row[yield.slot] = yield.index < values_.size() ? values_[yield.index] : Value{};
          return state_.spend(1);
        }
        clear();
      }
      if (!source_->next(row) || !call(row)) return false;
      // A procedure without columns lets the row pass.
      if (clause.procedure->columns.empty()) return true;
    }
  }

  bool call(Row& row) {
    auto const& clause = *step_.clause;
    List arguments;
    for (auto const& each : clause.arguments) arguments.push_back(evaluate(*each, row, state_));
    arguments.resize(clause.procedure->parameters.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (clause.procedure->parameters[i].type == "FLOAT" && arguments[i].find_integer() != nullptr)
        arguments[i] = arguments[i].number();
    }
    if (state_.failed()) return false;
    auto rows =
        clause.procedure->call({*plan_.graph, interrupt_, state_.bytes_left(), state_.environment().caller}, arguments);
    if (!rows) return fail(rows.error());
    found_ = *std::move(rows);
    return hold(found_->bytes());
  }

  bool fail(QueryError error) {
    // The run's own bound, where that stopped the procedure, is the first failure and stays.
    if (error.place == Place{}) error.place = step_.clause->place;
    state_.fail(std::move(error));
    return false;
  }

  bool hold(std::uint64_t bytes) {
    state_.release(held_);
    held_ = bytes;
    return state_.hold(bytes);
  }

  void clear() override {
    found_.reset();
    state_.release(held_);
    held_ = 0;
  }

  InterruptOfRun interrupt_;
  std::unique_ptr<ProcedureRows> found_;
  List values_;
  std::uint64_t held_ = 0;
};

}  // namespace

std::uint64_t bound_of(Expression const* expression, std::string_view what, RunState& state) {
  if (expression == nullptr) return 0;
  Row none;
  auto const value = evaluate(*expression, none, state);
  if (state.failed()) return 0;
  auto const number = whole_number(value);
  if (!number) {
    state.fail(ErrorKind::syntax_error, "InvalidArgumentType", std::string{what} + " takes an integer",
               expression->place);
    return 0;
  }
  if (*number < 0) {
    state.fail(ErrorKind::syntax_error, "NegativeIntegerArgument", std::string{what} + " takes no negative number",
               expression->place);
    return 0;
  }
  return static_cast<std::uint64_t>(*number);
}

OperatorPtr OperatorMaker::operator()(FilterStep const&) {
  return make<Filter>();
}
OperatorPtr OperatorMaker::operator()(OptionalStep const&) {
  return make<Optional>();
}
OperatorPtr OperatorMaker::operator()(UnwindStep const&) {
  return make<Unwind>();
}
OperatorPtr OperatorMaker::operator()(ProjectStep const&) {
  return make<Project>();
}
OperatorPtr OperatorMaker::operator()(SkipStep const&) {
  return make<Skip>();
}
OperatorPtr OperatorMaker::operator()(LimitStep const&) {
  return make<Limit>();
}
OperatorPtr OperatorMaker::operator()(CallStep const&) {
  return make<Call>();
}

}  // namespace whence::queries::cypher
