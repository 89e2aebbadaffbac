// An aggregation whose pattern is matched in batches of node numbers: no row is made before a group is complete.
#include "queries/cypher/batch/groups.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"
#include "queries/cypher/run/evaluate.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/walks/node_bits.hpp"

#include <algorithm>
#include <deque>

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

/// Different nodes: a list while they are few, then bits.
class NodeCount {
 public:
  explicit NodeCount(std::uint64_t bound) : bound_(bound) {}
  void add(std::span<std::uint32_t const> nodes) {
    if (is_list_ && list_.size() + nodes.size() > bound_ / 64) {
      bits_.resize(bound_);
      is_list_ = false;
      for (auto const node : std::exchange(list_, {})) count_ += bits_.insert(node) ? 1 : 0;
    }
    if (is_list_) {
      list_.insert(list_.end(), nodes.begin(), nodes.end());
    } else {
      for (auto const node : nodes) count_ += bits_.insert(node) ? 1 : 0;
    }
  }
  [[nodiscard]] std::uint64_t count() {
    if (!is_list_) return count_;
    std::ranges::sort(list_);
    return static_cast<std::uint64_t>(std::unique(list_.begin(), list_.end()) - list_.begin());
  }

 private:
  std::uint64_t bound_;
  bool is_list_ = true;
  std::vector<std::uint32_t> list_;
  NodeBits bits_;
  std::uint64_t count_ = 0;
};

/// How one aggregation is computed.
struct Counted {
  enum class How : std::uint8_t { rows, different_nodes, values } how = How::rows;
  Expression const* call = nullptr;
  Column column = 0;      ///< of different nodes
  RowFiller filler = {};  ///< of values
};

/// The only groups that an ORDER BY with a LIMIT behind can choose: those with the most rows, or with the least.
struct TopByCount {
  PlanNode const* sort = nullptr;
  bool is_descending = false;
};

class Grouping final : public Stage {
 public:
  Grouping(PlanNode const& plan, RunState& state, std::vector<Counted> counted)
      : Stage(&plan, state), counted_(std::move(counted)) {}

  void start(Row& row, std::unique_ptr<Groups> groups) {
    begin(row);
    groups_ = std::move(groups);
    counts_.clear();
    values_.clear();
    different_.clear();
    for (auto const& each : counted_) {
      if (each.how == Counted::How::different_nodes) different_.emplace_back(plan_->graph->node_bound());
    }
  }

  bool push(Batch const& in) override {
    if (!groups_->read(in, *row_, of_row_)) return false;
    counts_.resize(groups_->size());
    if (in.weights.empty()) {
      for (auto const group : of_row_) ++counts_[group];
    } else {
      for (std::size_t i = 0; i < in.size; ++i) counts_[of_row_[i]] += in.weights[i];
    }
    std::size_t place = 0;
    for (auto const& each : counted_) {
      if (each.how == Counted::How::different_nodes) different_[place++].add(in.nodes[each.column]);
    }
    return add_values(in);
  }
  bool finish() override { return !state_.failed(); }

  [[nodiscard]] Groups& groups() noexcept { return *groups_; }
  [[nodiscard]] std::vector<std::uint64_t> const& counts() const noexcept { return counts_; }
  /// Without keys there is a group, also of no rows.
  void add_empty_group() {
    if (counts_.empty()) counts_.push_back(0);
    ensure_values(0);
  }
  [[nodiscard]] Value result(std::size_t group, std::size_t i) {
    std::size_t different = 0;
    std::size_t value = 0;
    for (std::size_t at = 0; at < i; ++at) {
      different += counted_[at].how == Counted::How::different_nodes ? 1 : 0;
      value += counted_[at].how == Counted::How::values ? 1 : 0;
    }
    switch (counted_[i].how) {
      case Counted::How::rows:
        return static_cast<std::int64_t>(counts_[group]);
      case Counted::How::different_nodes:
        return static_cast<std::int64_t>(different_[different].count());
      case Counted::How::values:
        break;
    }
    return values_[group][value].result();
  }

 private:
  void ensure_values(std::size_t group) {
    while (values_.size() <= group) {
      auto& made = values_.emplace_back();
      for (auto const& each : counted_) {
        if (each.how == Counted::How::values) made.emplace_back(*each.call, state_);
      }
      if (!made.empty()) static_cast<void>(state_.hold(made.size() * sizeof(Aggregator)));
    }
  }
  [[nodiscard]] bool add_values(Batch const& in) {
    if (std::ranges::none_of(counted_, [](Counted const& each) { return each.how == Counted::How::values; }))
      return true;
    for (std::size_t i = 0; i < in.size; ++i) {
      ensure_values(of_row_[i]);
      std::size_t place = 0;
      for (auto const& each : counted_) {
        if (each.how != Counted::How::values) continue;
        each.filler.fill(*row_, in, i);
        values_[of_row_[i]][place++].add(*row_);
      }
      if (state_.failed()) return false;
    }
    return true;
  }

  std::vector<Counted> counted_;
  std::unique_ptr<Groups> groups_;
  std::vector<std::uint64_t> counts_;
  std::deque<std::vector<Aggregator>> values_;
  std::vector<NodeCount> different_;
  std::vector<std::uint32_t> of_row_;
};

class BatchAggregate final : public Operator {
 public:
  BatchAggregate(PlanNode const& plan, RunState& state, OperatorPtr figures, std::vector<StagePtr> stages,
                 std::unique_ptr<Grouping> grouping, SlotColumns columns, SlotFacts facts, TopByCount top)
      : Operator(plan, state, std::move(figures)),
        stages_(std::move(stages)),
        grouping_(std::move(grouping)),
        columns_(std::move(columns)),
        facts_(std::move(facts)),
        top_(top) {}
  [[nodiscard]] std::uint64_t own_steps() const noexcept override { return 0; }
  [[nodiscard]] bool is_batched() const noexcept override { return true; }

 private:
  bool pull(Row& row) override {
    if (!std::exchange(is_read_, true)) read(row);
    if (state_.failed() || at_ == chosen_.size()) return false;
    auto const group = chosen_[at_++];
    keys_.clear();
    for (std::size_t i = 0; i < plan_.items.size(); ++i) keys_.push_back(grouping_->groups().key(group, i, row));
    for (std::size_t i = 0; i < keys_.size(); ++i) row[plan_.items[i]->slot] = std::move(keys_[i]);
    for (std::size_t i = 0; i < plan_.aggregations.size(); ++i)
      row[plan_.aggregations[i]->slot] = grouping_->result(group, i);
    return !state_.failed();
  }

  void read(Row& row) {
    std::vector<std::unique_ptr<KeyColumn>> keys;
    for (auto const* item : plan_.items)
      keys.push_back(make_key_column(*item->expression, columns_, facts_, *plan_.graph, state_));
    grouping_->start(row, std::make_unique<Groups>(std::move(keys), state_));
    for (auto const& stage : stages_) stage->begin(row);
    Batch one;
    one.size = 1;
    if (!stages_.front()->push(one) || !stages_.front()->finish()) return;
    if (plan_.items.empty()) grouping_->add_empty_group();
    choose();
  }

  /// All groups, or those of `top_`, in the order in which they were met.
  void choose() {
    auto const& counts = grouping_->counts();
    chosen_.clear();
    auto const all = std::uint64_t{counts.size()};
    auto most = all;
    if (top_.sort != nullptr) {
      auto const limit = bound_of(top_.sort->top, "LIMIT", state_);
      auto const skipped = bound_of(top_.sort->top_skip, "SKIP", state_);
      if (state_.failed()) return;
      most = std::min(all, limit > all || skipped > all ? all : limit + skipped);
    }
    std::uint64_t bound = 0;
    if (most > 0 && most < all) {
      auto sorted = counts;
      auto const nth = sorted.begin() + static_cast<std::ptrdiff_t>(most - 1);
      if (top_.is_descending) {
        std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<>{});
      } else {
        std::nth_element(sorted.begin(), nth, sorted.end());
      }
      bound = *nth;
    }
    for (std::size_t group = 0; group < counts.size(); ++group) {
      bool const is_in =
          most == all || (most > 0 && (top_.is_descending ? counts[group] >= bound : counts[group] <= bound));
      if (is_in) chosen_.push_back(group);
    }
  }

  void clear() override {
    is_read_ = false;
    at_ = 0;
    chosen_.clear();
  }

  std::vector<StagePtr> stages_;
  std::unique_ptr<Grouping> grouping_;
  SlotColumns columns_;
  SlotFacts facts_;
  TopByCount top_;
  bool is_read_ = false;
  std::vector<std::size_t> chosen_;
  std::size_t at_ = 0;
  std::vector<Value> keys_;
};

/// The columns that expressions and operators read.
struct Needed {
  std::vector<bool> nodes;
  std::vector<bool> relations;

  void add(Expression const& expression, SlotColumns const& columns) {
    std::vector<Slot> used;
    static_cast<void>(slots_of(expression, used));
    for (auto const slot : used) add(slot, columns);
  }
  void add(Slot slot, SlotColumns const& columns) {
    if (slot < columns.nodes.size() && columns.nodes[slot]) nodes[*columns.nodes[slot]] = true;
    if (slot < columns.relations.size() && columns.relations[slot]) relations[*columns.relations[slot]] = true;
  }
  /// What a stage reads of its input.
  void add(PlanNode const& plan, SlotColumns const& columns) {
    if (plan.expression != nullptr) add(*plan.expression, columns);
    if (plan.kind != OperatorKind::scan && plan.kind != OperatorKind::seek) add(plan.slot, columns);
    if (plan.target_is_bound || plan.target_slot == plan.slot) add(plan.target_slot, columns);
    for (auto const slot : plan.other_relations) add(slot, columns);
    for (auto const& predicate : plan.predicates) {
      if (predicate.expression != nullptr) add(*predicate.expression, columns);
      add(predicate.slot, columns);
    }
  }
};

std::optional<Counted> counted_of(Expression const& call, SlotColumns const& columns, bool has_keys,
                                  PropertyGraph const& graph) {
  if (call.kind == ExpressionKind::count_all) return Counted{.how = Counted::How::rows, .call = &call};
  auto const& of = *call.operands[0];
  bool const is_node = of.kind == ExpressionKind::variable && columns.nodes[of.slot];
  bool const is_relation = of.kind == ExpressionKind::variable && columns.relations[of.slot];
  if (call.function->aggregation == Aggregation::count && (is_node || (is_relation && !call.is_distinct))) {
    if (!call.is_distinct) return Counted{.how = Counted::How::rows, .call = &call};
    if (!has_keys)
      return Counted{.how = Counted::How::different_nodes, .call = &call, .column = *columns.nodes[of.slot]};
  }
  RowFiller filler{.graph = &graph};
  for (auto const& operand : call.operands) {
    auto more = filler_of(*operand, columns, &graph);
    if (!more) return std::nullopt;
    filler.slots.insert(filler.slots.end(), more->slots.begin(), more->slots.end());
  }
  return Counted{.how = Counted::How::values, .call = &call, .filler = std::move(filler)};
}

/// The sort with a limit that takes the groups, if its first key is a count of rows.
TopByCount top_of(PlanNode const& plan, std::vector<Counted> const& counted, std::span<PlanNode const* const> above) {
  std::span<ProjectionItem const* const> computed;
  if (!above.empty() && above.front()->kind == OperatorKind::project) {
    computed = above.front()->items;
    above = above.subspan(1);
  }
  if (above.empty() || above.front()->kind != OperatorKind::sort || above.front()->top == nullptr) return {};
  auto const& first = *above.front()->order.front();
  auto slot = first.expression->kind == ExpressionKind::variable ? first.expression->slot : no_slot;
  for (auto const* item : computed) {
    if (item->slot != slot) continue;
    slot = std::ranges::find(plan.aggregations, item->expression.get()) != plan.aggregations.end()
               ? item->expression->slot
               : no_slot;
    break;
  }
  for (auto const& each : counted) {
    if (each.call->slot == slot && each.how == Counted::How::rows)
      return {.sort = above.front(), .is_descending = first.is_descending};
  }
  return {};
}

SlotFacts facts_of(std::span<PlanNode const* const> below, std::size_t slots) {
  SlotFacts facts{.labels = std::vector<std::optional<NameId>>(slots), .is_scanned = std::vector<bool>(slots)};
  for (std::size_t i = 0; i < below.size(); ++i) {
    auto const& plan = *below[i];
    if (plan.kind == OperatorKind::scan || plan.kind == OperatorKind::seek) facts.labels[plan.slot] = plan.label;
    for (auto const& predicate : plan.predicates) {
      if (predicate.kind == Predicate::Kind::labels)
        facts.labels[predicate.slot] = plan.graph->find_label(predicate.labels->front());
    }
    bool const all_filter = std::ranges::all_of(
        below.subspan(i + 1), [](PlanNode const* each) { return each->kind == OperatorKind::filter; });
    if (plan.kind == OperatorKind::scan && i == 0 && all_filter) facts.is_scanned[plan.slot] = true;
  }
  return facts;
}

}  // namespace

OperatorPtr make_batch_aggregate(PlanNode const& plan, std::span<PlanNode const* const> above, RunState& state) {
  std::vector<PlanNode const*> below;
  auto const* at = plan.source.get();
  for (; at != nullptr && at->kind != OperatorKind::argument; at = at->source.get()) {
    if (at->graph != plan.graph) return nullptr;
    below.push_back(at);
  }
  if (at == nullptr || at->given != nullptr || below.empty()) return nullptr;
  std::ranges::reverse(below);

  SlotColumns columns{state.slots()};
  std::vector<StagePtr> stages;
  auto const read_above = [&](Slot target, Slot relation) {
    std::vector<Slot> used;
    for (auto const* item : plan.items) static_cast<void>(slots_of(*item->expression, used));
    for (auto const* each : plan.aggregations) {
      if (each->kind == ExpressionKind::count_all) continue;
      if (each->function->aggregation != Aggregation::count) return true;  // values are added row by row
      auto const& of = *each->operands[0];
      bool const is_set =
          of.kind == ExpressionKind::variable &&
          (columns.nodes[of.slot] || columns.relations[of.slot] || of.slot == target || of.slot == relation);
      if (is_set && !each->is_distinct) continue;
      if (!each->is_distinct || !slots_of(of, used)) return true;
    }
    return std::ranges::any_of(used, [&](Slot slot) { return slot == target || slot == relation; });
  };
  std::vector<Column> nodes_before;
  std::vector<Column> relations_before;
  for (std::size_t i = 0; i < below.size(); ++i) {
    nodes_before.push_back(columns.node_slots.size());
    relations_before.push_back(columns.relation_count);
    bool const only_counts = i + 1 == below.size() && below[i]->kind == OperatorKind::expand &&
                             !read_above(below[i]->target_slot, below[i]->relation_slot);
    auto stage = make_stage(*below[i], columns, state, only_counts);
    if (stage == nullptr) return nullptr;
    stages.push_back(std::move(stage));
  }
  auto facts = facts_of(below, state.slots());
  Needed needed{std::vector<bool>(columns.node_slots.size()), std::vector<bool>(columns.relation_count)};
  std::vector<bool> reads(state.slots());
  auto const reads_of = [&](Expression const& expression) {
    std::vector<Slot> used;
    static_cast<void>(slots_of(expression, used));
    for (auto const slot : used) reads[slot] = true;
  };
  for (auto const* item : plan.items) {
    auto const key = make_key_column(*item->expression, columns, facts, *plan.graph, state);
    if (key == nullptr) return nullptr;
    if (key->reads_nodes()) reads_of(*item->expression);
    needed.add(*item->expression, columns);
  }
  for (auto const* each : below) {
    for (auto const& predicate : each->predicates) {
      if (predicate.expression == nullptr) continue;
      reads_of(*predicate.expression);
      if (predicate.slot < reads.size()) reads[predicate.slot] = true;
    }
  }
  std::vector<Counted> counted;
  for (auto const* each : plan.aggregations) {
    auto made = counted_of(*each, columns, !plan.items.empty(), *plan.graph);
    if (!made) return nullptr;
    if (made->how != Counted::How::rows) {
      for (auto const& operand : each->operands) {
        needed.add(*operand, columns);
        if (made->how == Counted::How::values) reads_of(*operand);
      }
    }
    counted.push_back(*std::move(made));
  }
  auto const top = top_of(plan, counted, above);
  auto grouping = std::make_unique<Grouping>(plan, state, std::move(counted));

  // From the last stage to the first: each hands on what those behind it read and it has.
  Stage* next = grouping.get();
  for (auto const& stage : stages) stage->set_reads(reads);
  for (auto i = stages.size(); i-- > 0;) {
    KeptColumns kept{.is_node_wanted = needed.nodes, .is_relation_wanted = needed.relations};
    for (Column column = 0; column < nodes_before[i]; ++column) {
      if (needed.nodes[column]) kept.nodes.push_back(column);
    }
    for (Column column = 0; column < relations_before[i]; ++column) {
      if (needed.relations[column]) kept.relations.push_back(column);
    }
    stages[i]->set_next(*next, std::move(kept), columns);
    next = stages[i].get();
    needed.add(*below[i], columns);
  }
  OperatorPtr figures = std::make_unique<StageFigures>(*at, state, nullptr, nullptr);
  for (std::size_t i = 0; i < below.size(); ++i)
    figures = std::make_unique<StageFigures>(*below[i], state, std::move(figures), stages[i].get());
  return std::make_unique<BatchAggregate>(plan, state, std::move(figures), std::move(stages), std::move(grouping),
                                          std::move(columns), std::move(facts), top);
}

}  // namespace whence::queries::cypher
