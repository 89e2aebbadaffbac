// Instead of making a row for each relation a byte for each node is counted up. At the end each node is sent once, with
// its count as weight; what a byte does not hold is carried into a list.
#include "queries/cypher/batch/target_counts.hpp"

#include "graph/walks/helpers.hpp"
#include "queries/cypher/batch/target_tally.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <span>
#include <utility>

namespace whence::queries::cypher {
namespace {

using graph::Helper;
using graph::Helpers;

/// What one thread reads and counts.
struct Lane {
  TargetTally tally = {};
  std::vector<std::uint32_t> found = {};  ///< the relations of the node that was read last
  std::uint64_t rows = 0;
};

/// The relations of some nodes, which several threads count, part after part.
class SharedCount final : public graph::SharedWork {
 public:
  /// `helper_lanes`: one for each helper that may join. `first_part`: above those of earlier nodes.
  SharedCount(Expansion const& expansion, std::span<std::uint32_t const> nodes, std::size_t first_part,
              std::span<Lane> helper_lanes) noexcept
      : expansion_(expansion), nodes_(nodes), first_part_(first_part), helper_lanes_(helper_lanes) {}

  void help(Helper& helper) noexcept override {
    auto const lane = joined_.fetch_add(1);
    if (lane >= helper_lanes_.size() || !is_ready(helper_lanes_[lane])) return;
    try {
      auto const keep_on = [this](std::uint64_t steps) {
        steps_.fetch_add(steps, std::memory_order_relaxed);
        return !is_stopped_.load(std::memory_order_relaxed);
      };
      while (helper.may_stay() && take_part(helper_lanes_[lane], keep_on)) continue;
    } catch (std::bad_alloc const&) {
      has_no_memory_.store(true);
      stop();
    }
  }

  /// Counts the next part, if any is left. `keep_on`: asked with the steps of each node; once it says no, no thread
  /// takes a further part.
  template <class KeepOn>
  [[nodiscard]] bool take_part(Lane& lane, KeepOn const& keep_on) {
    auto const begin = next_.fetch_add(part_size, std::memory_order_relaxed);
    if (begin >= nodes_.size()) return false;
    auto const part = nodes_.subspan(begin, std::min(part_size, nodes_.size() - begin));
    lane.tally.begin(first_part_ + begin / part_size);
    LookAhead ahead{expansion_, part};
    for (std::size_t i = 0; i < part.size(); ++i) {
      ahead.reach(i);
      if (i == 0 || part[i] != part[i - 1]) {
        lane.found.clear();
        expansion_.graph->neighbours(part[i], expansion_.direction, expansion_.types, lane.found, nullptr);
      }
      if (!keep_on(lane.found.size() + 1)) {
        stop();
        return false;
      }
      lane.rows += lane.found.size();
      lane.tally.add(lane.found);
    }
    return true;
  }
  /// Ends the taking of parts, and soon those that are taken.
  void stop() noexcept {
    is_stopped_.store(true, std::memory_order_relaxed);
    next_.store(nodes_.size(), std::memory_order_relaxed);
  }

  /// The steps of the helpers since the last call.
  [[nodiscard]] std::uint64_t helper_steps() noexcept { return steps_.exchange(0, std::memory_order_relaxed); }
  /// A helper found no memory: what it took is not counted.
  [[nodiscard]] bool has_no_memory() const noexcept { return has_no_memory_.load(); }
  [[nodiscard]] std::size_t end_part() const noexcept { return first_part_ + nodes_.size() / part_size + 1; }

 private:
  static constexpr std::size_t part_size = 512;

  /// Whether there is memory for what a helper counts; without it the others go on.
  [[nodiscard]] bool is_ready(Lane& lane) const noexcept {
    try {
      if (!lane.tally.is_ready()) lane.tally.prepare(expansion_.graph->node_bound());
      return true;
    } catch (std::bad_alloc const&) {
      return false;
    }
  }

  Expansion const& expansion_;
  std::span<std::uint32_t const> nodes_;
  std::size_t first_part_;
  std::span<Lane> helper_lanes_;
  std::atomic<std::size_t> joined_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<bool> is_stopped_ = false;
  std::atomic<bool> has_no_memory_ = false;
};

/// Ends the taking of parts at its end, however that comes.
struct StopAtEnd {
  SharedCount& shared;
  ~StopAtEnd() { shared.stop(); }
};

/// Gathers the nodes that it gets, so that there is enough work at once to share it.
class TargetCountStage final : public StepStage<ExpandStep> {
 public:
  TargetCountStage(PlanNode const& plan, RunState& state, Column from, Column target)
      : StepStage(plan, state), from_(from), target_(target) {}
  ~TargetCountStage() override { release(); }

  void begin(Row& row) override {
    Stage::begin(row);
    release();
  }

  bool push(Batch const& in) override {
    if (step_.has_no_type) return true;
    if (lanes_.empty() && !hold()) return false;
    auto const nodes = std::span{in.nodes[from_]}.first(in.size);
    waiting_.insert(waiting_.end(), nodes.begin(), nodes.end());
    return waiting_.size() < waiting_max || count();
  }
  bool finish() override {
    if (!count() || !send()) return false;
    release();
    return Stage::finish();
  }

 private:
  static constexpr std::size_t waiting_max = 1U << 16U;

  /// Counts the relations of the nodes that wait.
  [[nodiscard]] bool count() {
    if (waiting_.empty()) return !state_.failed();
    bool const is_long = waiting_.size() >= graph::long_layer_min;
    if (is_long && lanes_.size() == 1) add_helper_lanes();
    SharedCount shared{step_, waiting_, parts_, std::span{lanes_}.subspan(1)};
    if (is_long && lanes_.size() > 1) {
      count_with_helpers(shared);
    } else {
      count_parts(shared);
    }
    waiting_.clear();
    parts_ = shared.end_part();
    if (shared.has_no_memory())
      state_.fail(ErrorKind::out_of_memory, "memory", "there is not enough memory for this query now");
    return spend(shared.helper_steps()) && hold_more();
  }
  void count_with_helpers(SharedCount& shared) {
    Helpers::LongWalk const long_walk{Helpers::of_process()};
    Helpers::Loan loan{Helpers::of_process(), shared};
    StopAtEnd const stop{shared};  // helpers do not go on where this thread fails
    count_parts(shared);
    while (!loan.wait_for(std::chrono::milliseconds{1})) {
      if (!spend(shared.helper_steps())) shared.stop();
    }
  }
  void count_parts(SharedCount& shared) {
    auto const keep_on = [this](std::uint64_t steps) { return spend(steps); };
    while (shared.take_part(lanes_.front(), keep_on)) {
      if (!spend(shared.helper_steps())) shared.stop();
    }
  }
  /// Each node that was met, once, in the order of meeting.
  [[nodiscard]] bool send() {
    std::vector<TargetTally> tallies;
    for (auto& lane : lanes_) {
      tallies.push_back(std::move(lane.tally));
      rows_ += std::exchange(lane.rows, 0);
    }
    MetTargets{tallies}.each([this](std::uint32_t node, std::uint64_t count) {
      out_.nodes[target_].push_back(node);
      out_.weights.push_back(count);
      return ++out_.size < Batch::size_max || flush();
    });
    return !state_.failed();
  }

  /// Room for the calling thread.
  [[nodiscard]] bool hold() {
    auto const each = TargetTally::bytes_for(*step_.graph);
    held_ = each + waiting_max * sizeof(std::uint32_t);
    if (!state_.hold(held_)) return false;
    lanes_.resize(1);
    lanes_.front().tally.prepare(step_.graph->node_bound());
    return true;
  }
  /// As many as the run has plenty of room for; without them it counts alone.
  void add_helper_lanes() {
    auto const each = TargetTally::bytes_for(*step_.graph);
    auto const count = std::min<std::uint64_t>(Helpers::of_process().size_max(), state_.bytes_left() / 4 / each);
    if (count == 0 || !state_.hold_if_free(count * each)) return;
    held_ += count * each;
    lanes_.resize(1 + count);
  }
  [[nodiscard]] bool hold_more() {
    std::uint64_t now = 0;
    for (auto const& lane : lanes_) now += lane.tally.more_bytes();
    auto const before = std::exchange(more_, std::max(more_, now));
    held_ += more_ - before;
    return more_ == before || state_.hold(more_ - before);
  }
  void release() {
    state_.release(std::exchange(held_, 0));
    more_ = 0;
    parts_ = 0;
    std::vector<Lane>{}.swap(lanes_);
    std::vector<std::uint32_t>{}.swap(waiting_);
  }

  Column from_;
  Column target_;
  std::vector<std::uint32_t> waiting_;  ///< nodes whose relations are to be counted
  std::size_t parts_ = 0;               ///< of the nodes that are
  std::vector<Lane> lanes_;             ///< of the calling thread, then of helpers
  std::uint64_t held_ = 0;
  std::uint64_t more_ = 0;  ///< bytes, of `held_`: what the tallies took as they grew
};

}  // namespace

bool may_count_targets(PlanNode const& plan, RunState const& state) {
  constexpr std::uint64_t rows_per_node =
      16;  // below a row for so many nodes clearing the counts costs more than it saves
  auto const nodes = static_cast<double>(plan.graph->node_bound());
  return plan.estimate * rows_per_node >= nodes && TargetTally::bytes_for(*plan.graph) <= state.bytes_left() / 4;
}

StagePtr make_target_counts(PlanNode const& plan, RunState& state, Column from, Column target) {
  return std::make_unique<TargetCountStage>(plan, state, from, target);
}

}  // namespace whence::queries::cypher
