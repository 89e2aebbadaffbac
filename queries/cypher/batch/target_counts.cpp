#include "queries/cypher/batch/target_counts.hpp"

#include "queries/cypher/walks/node_bits.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace whence::queries::cypher {
namespace {

/// A byte for each node: most counts are small, and the fewer bytes the more of them are in the processor's cache.
using Count = std::uint8_t;
/// What is taken out of a count that would pass it, and noted.
constexpr Count carried = 254;

/// The counts, and the list of nodes that were met.
std::uint64_t bytes_for(PlanNode const& plan) {
  return plan.graph->node_bound() * (sizeof(Count) + sizeof(std::uint32_t));
}

/// An edge costs one addition at the place of its node, instead of a row that filters, keys and groups look at.
class TargetCountStage final : public StepStage<ExpandStep> {
 public:
  TargetCountStage(PlanNode const& plan, RunState& state, Column from, Column target)
      : StepStage(plan, state), from_(from), target_(target) {}
  ~TargetCountStage() override { release(); }

  void begin(Row& row) override {
    Stage::begin(row);
    release();
    read_.reset();
  }

  bool push(Batch const& in) override {
    if (step_.has_no_type) return true;
    if (counts_.empty() && !hold()) return false;
    LookAhead ahead{step_, in.nodes[from_]};
    for (std::size_t i = 0; i < in.size; ++i) {
      ahead.reach(i);
      read(in.nodes[from_][i]);
      if (!spend(found_.size() + 1)) return false;
      rows_ += found_.size();
      if (!count(found_)) return false;
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
    step_.graph->neighbours(node, step_.direction, step_.types, found_, nullptr);
  }
  [[nodiscard]] bool count(std::span<std::uint32_t const> nodes) {
    // Each is written, and stays where it is new: which are is not foreseen by a processor.
    auto met = met_.size();
    auto const carries = carries_.size();
    met_.resize(met + nodes.size());
    auto* const met_nodes = met_.data();
    auto* const counts = counts_.data();
    for (auto const node : nodes) {
      auto const count = counts[node];
      met_nodes[met] = node;
      met += count == 0 ? 1 : 0;
      counts[node] = static_cast<Count>(count + 1);
      if (count == carried) {
        carries_.push_back(node);
        counts[node] = 1;
      }
    }
    met_.resize(met);
    auto const more = (carries_.size() - carries) * sizeof(std::uint32_t);
    held_ += more;
    return more == 0 || state_.hold(more);
  }
  /// Each node that was met, once, in the order of meeting.
  [[nodiscard]] bool send() {
    std::ranges::sort(carries_);
    NodeBits has_carries;
    has_carries.resize(carries_.empty() ? 0 : counts_.size());
    for (auto const node : carries_) has_carries.insert(node);
    for (auto const node : met_) {
      std::uint64_t count = counts_[node];
      if (!carries_.empty() && has_carries.contains(node)) {
        auto const [first, last] = std::equal_range(carries_.begin(), carries_.end(), node);
        count += static_cast<std::uint64_t>(last - first) * carried;
      }
      out_.nodes[target_].push_back(node);
      out_.weights.push_back(count);
      if (++out_.size == Batch::size_max && !flush()) return false;
    }
    return !state_.failed();
  }
  [[nodiscard]] bool hold() {
    held_ = bytes_for(*plan_);
    if (!state_.hold(held_)) return false;
    counts_.resize(step_.graph->node_bound());
    return true;
  }
  void release() {
    state_.release(std::exchange(held_, 0));
    counts_ = {};
    met_ = {};
    carries_ = {};
  }

  Column from_;
  Column target_;
  std::optional<std::uint32_t> read_;  ///< the node whose relations are in `found_`
  std::vector<std::uint32_t> found_;
  std::vector<Count> counts_;           ///< by node
  std::vector<std::uint32_t> met_;      ///< whose count is not 0
  std::vector<std::uint32_t> carries_;  ///< nodes, each as often as `carried` was taken out of its count
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
