#include "queries/cypher/batch/reach_stage.hpp"

#include "queries/cypher/walks/reachable.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

class ReachStage final : public StepStage<ReachStep> {
 public:
  ReachStage(PlanNode const& plan, RunState& state, Column from, Column target, bool only_counts)
      : StepStage(plan, state), from_(from), target_(target), only_counts_(only_counts) {}

  bool push(Batch const& in) override {
    for (std::size_t i = 0; i < in.size; ++i) {
      auto const before = state_.steps();
      bool const is_good = step_.target_is_bound ? into(in, i) : all(in, i);
      steps_ += state_.steps() - before;
      if (!is_good) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] bool into(Batch const& in, std::size_t i) {
    auto const wanted = in.nodes[target_][i];
    auto const& reached = reachable_.from(step_, state_, in.nodes[from_][i], wanted);
    if (state_.failed()) return false;
    if (reached.empty() || reached.back() != wanted) return true;
    copy(in, i);
    return added();
  }
  [[nodiscard]] bool all(Batch const& in, std::size_t i) {
    auto const& reached = reachable_.from(step_, state_, in.nodes[from_][i]);
    if (state_.failed()) return false;
    if (only_counts_ && !reached.empty()) {
      copy(in, i);
      out_.weights.push_back(reached.size());
      return added(reached.size());
    }
    for (std::size_t at = 0; at < reached.size();) {
      auto const count = std::min(reached.size() - at, Batch::size_max - out_.size);
      for (auto const column : kept_.nodes)
        out_.nodes[column].insert(out_.nodes[column].end(), count, in.nodes[column][i]);
      for (auto const column : kept_.relations)
        out_.relations[column].insert(out_.relations[column].end(), count, in.relations[column][i]);
      auto const part = std::span{reached}.subspan(at, count);
      out_.nodes[target_].insert(out_.nodes[target_].end(), part.begin(), part.end());
      out_.size += count;
      rows_ += count;
      at += count;
      if (out_.size == Batch::size_max && !flush()) return false;
    }
    return true;
  }

  Column from_;
  Column target_;
  bool only_counts_;
  Reachable reachable_;
};

}  // namespace

StagePtr make_reach(PlanNode const& plan, RunState& state, Column from, Column target, bool only_counts) {
  return std::make_unique<ReachStage>(plan, state, from, target, only_counts);
}

}  // namespace whence::queries::cypher
