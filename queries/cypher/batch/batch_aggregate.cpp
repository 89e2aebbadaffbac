// An aggregation whose pattern is matched in batches of node numbers: no row is made before a group is complete.
#include "queries/cypher/batch/batch_plan.hpp"
#include "queries/cypher/run/operator.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace whence::queries::cypher {
namespace {

/// What an operator of rows would say of the work of a stage.
class StageFigures final : public Operator {
 public:
  StageFigures(PlanNode const& plan, RunState& state, OperatorPtr source, Stage const* stage)
      : Operator(plan, state, std::move(source)), stage_(stage) {}
  [[nodiscard]] std::uint64_t rows() const noexcept override { return stage_ != nullptr ? stage_->rows() : 1; }
  [[nodiscard]] std::uint64_t own_steps() const noexcept override { return stage_ != nullptr ? stage_->steps() : 0; }

 private:
  bool pull(Row& /*row*/) override { return false; }

  Stage const* stage_;
};

class BatchAggregate final : public StepOperator<AggregateStep> {
 public:
  BatchAggregate(PlanNode const& plan, RunState& state, OperatorPtr figures, BatchPlan batches)
      : StepOperator(plan, state, std::move(figures)), batches_(std::move(batches)) {}
  [[nodiscard]] std::uint64_t own_steps() const noexcept override { return 0; }
  [[nodiscard]] bool is_batched() const noexcept override { return true; }

 private:
  bool pull(Row& row) override {
    if (!std::exchange(is_read_, true)) read(row);
    if (state_.failed() || at_ == chosen_.size()) return false;
    auto const group = chosen_[at_++];
    keys_.clear();
    for (std::size_t i = 0; i < step_.keys.size(); ++i) keys_.push_back(batches_.grouping->groups().key(group, i, row));
    for (std::size_t i = 0; i < keys_.size(); ++i) row[step_.keys[i]->slot] = std::move(keys_[i]);
    for (std::size_t i = 0; i < step_.aggregations.size(); ++i)
      row[std::get<Invocation>(step_.aggregations[i]->form).slot] = batches_.grouping->result(group, i);
    return !state_.failed();
  }

  void read(Row& row) {
    std::vector<std::unique_ptr<KeyColumn>> keys;
    for (auto const* item : step_.keys)
      keys.push_back(make_key_column(*item->expression, batches_.columns, batches_.facts, *plan_.graph, state_));
    batches_.grouping->start(row, std::make_unique<Groups>(std::move(keys), state_));
    for (auto const& stage : batches_.stages) stage->begin(row);
    Batch one;
    one.size = 1;
    if (!batches_.stages.front()->push(one) || !batches_.stages.front()->finish()) return;
    if (step_.keys.empty()) batches_.grouping->add_empty_group();
    choose();
  }

  /// All groups, or those of `top`, in the order in which they were met.
  void choose() {
    auto const& counts = batches_.grouping->counts();
    chosen_.clear();
    auto const all = std::uint64_t{counts.size()};
    auto most = all;
    if (batches_.top.sort != nullptr) {
      auto const limit = bound_of(batches_.top.sort->limit, "LIMIT", state_);
      auto const skipped = bound_of(batches_.top.sort->skip, "SKIP", state_);
      if (state_.failed()) return;
      most = std::min(all, limit > all || skipped > all ? all : limit + skipped);
    }
    std::uint64_t bound = 0;
    if (most > 0 && most < all) {
      auto sorted = counts;
      auto const nth = sorted.begin() + static_cast<std::ptrdiff_t>(most - 1);
      if (batches_.top.is_descending) {
        std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<>{});
      } else {
        std::nth_element(sorted.begin(), nth, sorted.end());
      }
      bound = *nth;
    }
    for (std::size_t group = 0; group < counts.size(); ++group) {
      bool const is_in =
          most == all || (most > 0 && (batches_.top.is_descending ? counts[group] >= bound : counts[group] <= bound));
      if (is_in) chosen_.push_back(group);
    }
  }

  void clear() override {
    is_read_ = false;
    at_ = 0;
    chosen_.clear();
  }

  BatchPlan batches_;
  bool is_read_ = false;
  std::vector<std::size_t> chosen_;
  std::size_t at_ = 0;
  std::vector<Value> keys_;
};

}  // namespace

OperatorPtr make_batch_aggregate(PlanNode const& plan, std::span<PlanNode const* const> above, RunState& state) {
  auto batches = plan_batches(plan, above, state);
  if (!batches) return nullptr;
  OperatorPtr figures = std::make_unique<StageFigures>(*batches->argument, state, nullptr, nullptr);
  for (std::size_t i = 0; i < batches->stages.size(); ++i) {
    figures =
        std::make_unique<StageFigures>(*batches->operators[i], state, std::move(figures), batches->stages[i].get());
  }
  return std::make_unique<BatchAggregate>(plan, state, std::move(figures), *std::move(batches));
}

}  // namespace whence::queries::cypher
