#include "queries/cypher/batch/target_counts.hpp"

#include <limits>
#include <utility>

namespace whence::queries::cypher {
namespace {

using Count = std::uint32_t;

/// The counts, and the list of nodes that were met.
std::uint64_t bytes_for(PlanNode const& plan) {
  return plan.graph->node_bound() * (sizeof(Count) + sizeof(std::uint32_t));
}

/// An edge costs one addition at the place of its node, instead of a row that filters, keys and groups look at.
class TargetCountStage final : public Stage {
 public:
  TargetCountStage(PlanNode const& plan, RunState& state, Column from, Column target)
      : Stage(&plan, state), from_(from), target_(target) {}
  ~TargetCountStage() override { release(); }

  void begin(Row& row) override {
    Stage::begin(row);
    release();
    read_.reset();
    unsent_ = 0;
  }

  bool push(Batch const& in) override {
    if (plan_->has_no_type) return true;
    if (counts_.empty() && !hold()) return false;
    LookAhead ahead{*plan_, in.nodes[from_]};
    for (std::size_t i = 0; i < in.size; ++i) {
      ahead.reach(i);
      read(in.nodes[from_][i]);
      if (!spend(found_.size() + 1)) return false;
      // No count passes its largest number: what was counted before is handed on, and groups add it up.
      if (unsent_ + found_.size() > std::numeric_limits<Count>::max() && !send()) return false;
      unsent_ += found_.size();
      rows_ += found_.size();
      // Each is written, and stays where it is new: which are is not foreseen by a processor.
      auto met = met_.size();
      met_.resize(met + found_.size());
      for (auto const node : found_) {
        met_[met] = node;
        met += counts_[node]++ == 0 ? 1 : 0;
      }
      met_.resize(met);
    }
    return true;
  }
  bool finish() override {
    if (!send()) return false;
    release();
    return Stage::finish();
  }

 private:
  void read(std::uint32_t node) {
    if (read_ == node) return;
    read_ = node;
    found_.clear();
    plan_->graph->neighbours(node, plan_->direction, plan_->types, found_, nullptr);
  }
  [[nodiscard]] bool send() {
    for (auto const node : met_) {
      out_.nodes[target_].push_back(node);
      out_.weights.push_back(std::exchange(counts_[node], 0));
      if (++out_.size == Batch::size_max && !flush()) return false;
    }
    met_.clear();
    unsent_ = 0;
    return !state_.failed();
  }
  [[nodiscard]] bool hold() {
    held_ = bytes_for(*plan_);
    if (!state_.hold(held_)) return false;
    counts_.resize(plan_->graph->node_bound());
    return true;
  }
  void release() {
    state_.release(std::exchange(held_, 0));
    counts_ = {};
    met_ = {};
  }

  Column from_;
  Column target_;
  std::optional<std::uint32_t> read_;  ///< the node whose relations are in `found_`
  std::vector<std::uint32_t> found_;
  std::vector<Count> counts_;       ///< by node, since the last was handed on
  std::vector<std::uint32_t> met_;  ///< whose count is not 0
  std::uint64_t unsent_ = 0;
  std::uint64_t held_ = 0;
};

}  // namespace

bool may_count_targets(PlanNode const& plan, RunState const& state) {
  constexpr std::uint64_t rows_per_node =
      16;  // below a row for so many nodes clearing the counts costs more than it saves
  auto const nodes = static_cast<double>(plan.graph->node_bound());
  return plan.estimate * rows_per_node >= nodes && bytes_for(plan) <= state.bytes_left() / 4;
}

StagePtr make_target_counts(PlanNode const& plan, RunState& state, Column from, Column target) {
  return std::make_unique<TargetCountStage>(plan, state, from, target);
}

}  // namespace whence::queries::cypher
