// For each row the relations between two nodes that it has: a row each, or their count as its weight.
#include "queries/cypher/batch/into.hpp"

#include "queries/cypher/plan/pattern_facts.hpp"
#include "queries/cypher/walks/node_bits.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries::cypher {
namespace {

/// Of the two ends, the one whose column was set first changes least from row to row: its neighbours are marked in
/// bits, and most rows are done with one look at a bit.
class IntoStage final : public StepStage<ExpandStep> {
 public:
  IntoStage(PlanNode const& plan, RunState& state, IntoColumns columns, bool only_counts)
      : StepStage(plan, state),
        columns_(std::move(columns)),
        only_counts_(only_counts),
        is_turned_(columns_.target < columns_.from),
        marked_column_(is_turned_ ? columns_.target : columns_.from),
        other_column_(is_turned_ ? columns_.from : columns_.target) {}

  void begin(Row& row) override {
    Stage::begin(row);
    marked_.reset();
    for (auto const& each : std::exchange(found_, {})) bits_.erase(each.node);
    if (bits_.bound() < step_.graph->node_bound()) bits_.resize(step_.graph->node_bound());
  }

  bool push(Batch const& in) override {
    if (step_.has_no_type) return true;
    for (std::size_t i = 0; i < in.size; ++i) {
      auto const marked = in.nodes[marked_column_][i];
      if (marked_ != marked && !mark(marked)) return false;
      auto const other = in.nodes[other_column_][i];
      if (!spend(1)) return false;
      if (bits_.contains(other) && !take(in, i, other)) return false;
    }
    return true;
  }

 private:
  struct Found {
    std::uint32_t node;
    std::uint64_t id;
  };

  [[nodiscard]] bool mark(std::uint32_t node) {
    for (auto const& each : found_) bits_.erase(each.node);
    marked_ = node;
    nodes_.clear();
    ids_.clear();
    step_.graph->neighbours(node, is_turned_ ? reversed(step_.direction) : step_.direction, step_.types, nodes_, &ids_);
    found_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      found_.push_back({nodes_[i], ids_[i]});
      bits_.insert(nodes_[i]);
    }
    is_sorted_ = false;
    return spend(found_.size());
  }

  [[nodiscard]] bool take(Batch const& in, std::size_t i, std::uint32_t other) {
    if (!std::exchange(is_sorted_, true)) std::ranges::stable_sort(found_, {}, &Found::node);
    std::uint64_t weight = 0;
    for (auto at = std::ranges::lower_bound(found_, other, {}, &Found::node); at != found_.end() && at->node == other;
         ++at) {
      auto const& each = *at;
      if (std::ranges::any_of(columns_.others, [&](Column column) { return in.relations[column][i] == each.id; }))
        continue;
      if (only_counts_) {
        ++weight;
        continue;
      }
      copy(in, i);
      out_.relations[columns_.relation].push_back(each.id);
      if (!added()) return false;
    }
    if (weight == 0) return true;
    copy(in, i);
    out_.weights.push_back(weight);
    return added(weight);
  }

  IntoColumns columns_;
  bool only_counts_;
  bool is_turned_;
  Column marked_column_;
  Column other_column_;
  std::optional<std::uint32_t> marked_;
  NodeBits bits_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint64_t> ids_;
  std::vector<Found> found_;
  bool is_sorted_ = false;
};

}  // namespace

StagePtr make_into(PlanNode const& plan, RunState& state, IntoColumns columns, bool only_counts) {
  return std::make_unique<IntoStage>(plan, state, std::move(columns), only_counts);
}

}  // namespace whence::queries::cypher
