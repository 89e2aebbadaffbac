// The stages that scan, seek and expand, and what makes the stage of any step: `make_stage`, at the end, takes filters,
// reaches and expansions into known nodes from files of their own.
#include "queries/cypher/batch/batch.hpp"
#include "queries/cypher/batch/filter_stage.hpp"
#include "queries/cypher/batch/into.hpp"
#include "queries/cypher/batch/reach_stage.hpp"
#include "queries/cypher/batch/target_counts.hpp"
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

class ScanStage final : public StepStage<ScanStep> {
 public:
  ScanStage(PlanNode const& plan, RunState& state, Column column) : StepStage(plan, state), column_(column) {}
  void set_reads(PropertyReads const& reads) override {
    prefetches_ = step_.reads_properties && reads.of_records[step_.slot];
    at_hand_ = reads.at_hand[step_.slot];
  }

  bool push(Batch const& in) override {
    if (step_.has_label && !step_.label) return true;
    for (std::size_t i = 0; i < in.size; ++i) {
      std::uint64_t position = 0;
      for (;;) {
        auto const count = plan_->graph->scan(step_.label, position, block_);
        if (!spend(count + 1)) return false;
        if (count == 0) break;
        auto const block = std::span{block_}.first(count);
        if (prefetches_ && count > 1) {
          plan_->graph->prefetch(block);
        } else if (!at_hand_.empty()) {
          plan_->graph->prefetch_unknown(block, at_hand_);
        }
        for (std::size_t at = 0; at < count; ++at) {
          copy(in, i);
          out_.nodes[column_].push_back(static_cast<std::uint32_t>(block_[at]));
          if (!added()) return false;
        }
      }
    }
    return true;
  }

 private:
  Column column_;
  bool prefetches_ = false;
  std::vector<std::string_view> at_hand_;  ///< properties that are read, where no others are
  std::array<std::uint64_t, 256> block_{};
};

class SeekStage final : public StepStage<SeekStep> {
 public:
  SeekStage(PlanNode const& plan, RunState& state, Column column, RowFiller filler)
      : StepStage(plan, state), column_(column), filler_(std::move(filler)) {}

  bool push(Batch const& in) override {
    for (std::size_t i = 0; i < in.size; ++i) {
      filler_.fill(*row_, in, i);
      auto const value = evaluate(*step_.value, *row_, state_);
      if (state_.failed()) return false;
      std::vector<std::uint64_t> found;
      if (!value.is_null())
        found = plan_->graph->find_nodes(step_.label, step_.property, value).value_or(std::vector<std::uint64_t>{});
      if (!spend(found.size() + 1)) return false;
      for (auto const node : found) {
        copy(in, i);
        out_.nodes[column_].push_back(static_cast<std::uint32_t>(node));
        if (!added()) return false;
      }
    }
    return true;
  }

 private:
  Column column_;
  RowFiller filler_;
};

/// Relations of a node. What one row finds the next may have again: rows of one node follow one another.
class ExpandStage final : public StepStage<ExpandStep> {
 public:
  struct Columns {
    Column from;
    Column target;
    Column relation;
    std::vector<Column> others;  ///< relations of the same match
  };

  ExpandStage(PlanNode const& plan, RunState& state, Columns columns, bool only_counts)
      : StepStage(plan, state), columns_(std::move(columns)), only_counts_(only_counts) {}

  void begin(Row& row) override {
    Stage::begin(row);
    from_.reset();
  }

  bool push(Batch const& in) override {
    if (step_.has_no_type) return true;
    if (only_counts_ && columns_.others.empty()) return count_all(in);
    LookAhead ahead{step_, in.nodes[columns_.from]};
    for (std::size_t i = 0; i < in.size; ++i) {
      ahead.reach(i);
      read(in.nodes[columns_.from][i]);
      if (!spend(nodes_.size() + 1) || !(only_counts_ ? count(in, i) : take(in, i))) return false;
    }
    return true;
  }

 private:
  void read(std::uint32_t node) {
    if (from_ == node) return;
    from_ = node;
    nodes_.clear();
    ids_.clear();
    bool const needs_ids = !columns_.others.empty() || (!only_counts_ && kept_.is_relation_wanted[columns_.relation]);
    step_.graph->neighbours(node, step_.direction, step_.types, nodes_, needs_ids ? &ids_ : nullptr);
  }
  [[nodiscard]] bool is_taken(Batch const& in, std::size_t i, std::uint64_t id) const {
    return std::ranges::any_of(columns_.others, [&](Column column) { return in.relations[column][i] == id; });
  }
  [[nodiscard]] bool count(Batch const& in, std::size_t i) {
    std::uint64_t weight = nodes_.size();
    if (!columns_.others.empty()) {
      weight = static_cast<std::uint64_t>(
          std::ranges::count_if(ids_, [&](std::uint64_t id) { return !is_taken(in, i, id); }));
    }
    if (weight == 0) return true;
    copy(in, i);
    out_.weights.push_back(weight);
    return added(weight);
  }
  /// How many relations each node has, without a look at where they lead.
  [[nodiscard]] bool count_all(Batch const& in) {
    auto const from = std::span{in.nodes[columns_.from]};
    for (std::size_t i = 0; i < in.size;) {
      auto const done = step_.graph->degrees(from.subspan(i), step_.direction, step_.types, degrees_);
      for (auto const degree : std::span{degrees_}.first(done)) {
        if (!spend(degree + 1)) return false;
        auto const row = i++;
        if (degree == 0) continue;
        copy(in, row);
        out_.weights.push_back(degree);
        if (!added(degree)) return false;
      }
    }
    return true;
  }
  /// The found relations in runs as long as the batch has room, column by column.
  [[nodiscard]] bool take(Batch const& in, std::size_t i) {
    if (!columns_.others.empty()) return take_some(in, i);
    for (std::size_t at = 0; at < nodes_.size();) {
      auto const count = std::min(nodes_.size() - at, Batch::size_max - out_.size);
      for (auto const column : kept_.nodes)
        out_.nodes[column].insert(out_.nodes[column].end(), count, in.nodes[column][i]);
      for (auto const column : kept_.relations)
        out_.relations[column].insert(out_.relations[column].end(), count, in.relations[column][i]);
      auto const nodes = std::span{nodes_}.subspan(at, count);
      out_.nodes[columns_.target].insert(out_.nodes[columns_.target].end(), nodes.begin(), nodes.end());
      if (kept_.is_relation_wanted[columns_.relation]) {
        auto const ids = std::span{ids_}.subspan(at, count);
        out_.relations[columns_.relation].insert(out_.relations[columns_.relation].end(), ids.begin(), ids.end());
      }
      out_.size += count;
      rows_ += count;
      at += count;
      if (out_.size == Batch::size_max && !flush()) return false;
    }
    return true;
  }
  [[nodiscard]] bool take_some(Batch const& in, std::size_t i) {
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      if (is_taken(in, i, ids_[at])) continue;
      copy(in, i);
      out_.nodes[columns_.target].push_back(nodes_[at]);
      out_.relations[columns_.relation].push_back(ids_[at]);
      if (!added()) return false;
    }
    return true;
  }

  Columns columns_;
  bool only_counts_;
  std::array<std::uint64_t, 256> degrees_{};
  std::optional<std::uint32_t> from_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint64_t> ids_;
};

Column add_node(SlotColumns& columns, Slot slot) {
  auto const column = columns.node_slots.size();
  columns.nodes[slot] = column;
  columns.node_slots.push_back(slot);
  return column;
}

StagePtr make_expand(PlanNode const& plan, SlotColumns& columns, RunState& state, Asked asked) {
  auto const& step = std::get<ExpandStep>(plan.step);
  auto const from = columns.nodes[step.slot];
  if (!from || columns.nodes[step.relation_slot] || columns.relations[step.relation_slot]) return nullptr;
  std::vector<Column> others;
  for (auto const slot : step.other_relations) {
    if (!columns.relations[slot]) return nullptr;
    others.push_back(*columns.relations[slot]);
  }
  auto const relation = columns.relation_count;
  if (step.target_is_bound || step.target_slot == step.slot) {
    auto const target = columns.nodes[step.target_slot];
    if (!target) return nullptr;
    columns.relations[step.relation_slot] = columns.relation_count++;
    return make_into(plan, state, {*from, *target, relation, std::move(others)}, asked == Asked::counts);
  }
  if (columns.nodes[step.target_slot]) return nullptr;
  columns.relations[step.relation_slot] = columns.relation_count++;
  auto const target = add_node(columns, step.target_slot);
  if (asked == Asked::targets && others.empty() && may_count_targets(plan, state))
    return make_target_counts(plan, state, *from, target);
  return std::make_unique<ExpandStage>(plan, state, ExpandStage::Columns{*from, target, relation, std::move(others)},
                                       asked == Asked::counts);
}

}  // namespace

std::optional<RowFiller> filler_of(Expression const& expression, SlotColumns const& columns,
                                   PropertyGraph const* graph) {
  std::vector<Slot> used;
  if (!slots_of(expression, used)) return std::nullopt;
  RowFiller filler{.graph = graph};
  for (auto const slot : used) {
    if (slot >= columns.nodes.size()) continue;
    if (columns.relations[slot]) return std::nullopt;
    if (columns.nodes[slot]) filler.slots.emplace_back(slot, *columns.nodes[slot]);
  }
  std::ranges::sort(filler.slots);
  filler.slots.erase(std::unique(filler.slots.begin(), filler.slots.end()), filler.slots.end());
  return filler;
}

StagePtr make_stage(PlanNode const& plan, SlotColumns& columns, SlotFacts const& facts, RunState& state, Asked asked) {
  if (auto const* scan = plan.find<ScanStep>()) {
    if (columns.nodes[scan->slot]) return nullptr;
    return std::make_unique<ScanStage>(plan, state, add_node(columns, scan->slot));
  }
  if (auto const* seek = plan.find<SeekStep>()) {
    if (columns.nodes[seek->slot]) return nullptr;
    auto filler = filler_of(*seek->value, columns, plan.graph);
    if (!filler) return nullptr;
    return std::make_unique<SeekStage>(plan, state, add_node(columns, seek->slot), *std::move(filler));
  }
  if (auto const* reach = plan.find<ReachStep>()) {
    auto const from = columns.nodes[reach->slot];
    auto const target = columns.nodes[reach->target_slot];
    if (!from || reach->target_is_bound != target.has_value() || reach->target_slot == reach->slot) return nullptr;
    if (target) return make_reach(plan, state, *from, *target, false);
    return make_reach(plan, state, *from, add_node(columns, reach->target_slot), asked == Asked::counts);
  }
  if (plan.find<ExpandStep>() != nullptr) return make_expand(plan, columns, state, asked);
  return plan.find<FilterStep>() != nullptr ? make_filter(plan, columns, facts, state) : nullptr;
}

}  // namespace whence::queries::cypher
