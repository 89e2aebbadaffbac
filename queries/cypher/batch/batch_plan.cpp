#include "queries/cypher/batch/batch_plan.hpp"

#include "queries/cypher/batch/filter_stage.hpp"
#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries::cypher {
namespace {

/// The columns that expressions and operators read.
struct Needed {
  std::vector<bool> nodes = {};
  std::vector<bool> relations = {};

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

/// Goes up the operators and notes of which slots each node comes once: those of the last operator that made several
/// rows of one.
class OnceFacts {
 public:
  explicit OnceFacts(std::vector<bool>& comes_once) : comes_once_(comes_once) {}

  void pass(PlanNode const& plan) {
    switch (plan.kind) {
      case OperatorKind::filter:
        return;
      case OperatorKind::seek:
        sets(plan.slot, plan.graph->is_unique(plan.label, plan.property));
        return;
      case OperatorKind::scan:
        sets(plan.slot, false);
        return;
      case OperatorKind::reach:
        if (!plan.target_is_bound) sets(plan.target_slot, false);
        return;
      default:  // nodes may come again
        sets(no_slot, false);
    }
  }

 private:
  /// `has_one`: at most one row for each there was.
  void sets(Slot slot, bool has_one) {
    if (!has_one) comes_once_.assign(comes_once_.size(), false);
    if (is_one_row_ && slot < comes_once_.size()) comes_once_[slot] = true;
    is_one_row_ = is_one_row_ && has_one;
  }

  std::vector<bool>& comes_once_;
  bool is_one_row_ = true;
};

/// The labels that nodes have behind an operator.
void add_labels(PlanNode const& plan, SlotFacts& facts) {
  if (plan.kind == OperatorKind::scan || plan.kind == OperatorKind::seek) facts.labels[plan.slot] = plan.label;
  if (plan.target_label) facts.labels[plan.target_slot] = plan.target_label;
  for (auto const& predicate : plan.predicates) {
    if (predicate.kind == Predicate::Kind::labels)
      facts.labels[predicate.slot] = plan.graph->find_label(predicate.labels->front());
  }
}

SlotFacts facts_of(std::span<PlanNode const* const> operators, std::size_t slots) {
  SlotFacts facts{.labels = std::vector<std::optional<NameId>>(slots), .comes_once = std::vector<bool>(slots)};
  OnceFacts once{facts.comes_once};
  for (auto const* plan : operators) {
    once.pass(*plan);
    add_labels(*plan, facts);
  }
  return facts;
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

/// The steps in their order; the first that says false ends it.
class BatchPlanner {
 public:
  BatchPlanner(PlanNode const& plan, RunState& state)
      : plan_(plan), state_(state), made_{.columns = SlotColumns{state.slots()}}, reads_(state.slots()) {}

  std::optional<BatchPlan> run(std::span<PlanNode const* const> above) {
    if (!find_operators()) return std::nullopt;
    made_.facts = facts_of(made_.operators, state_.slots());
    if (!make_stages()) return std::nullopt;
    needed_.nodes.resize(made_.columns.node_slots.size());
    needed_.relations.resize(made_.columns.relation_count);
    if (!check_keys() || !choose_counts()) return std::nullopt;
    made_.top = top_of(plan_, counted_, above);
    made_.grouping = std::make_unique<Grouping>(plan_, state_, std::move(counted_));
    link();
    return std::move(made_);
  }

 private:
  /// All operators below read one moment, and start from one row.
  [[nodiscard]] bool find_operators() {
    auto const* at = plan_.source.get();
    for (; at != nullptr && at->kind != OperatorKind::argument; at = at->source.get()) {
      if (at->graph != plan_.graph) return false;
      made_.operators.push_back(at);
    }
    made_.argument = at;
    std::ranges::reverse(made_.operators);
    return at != nullptr && at->given == nullptr && !made_.operators.empty();
  }

  [[nodiscard]] bool make_stages() {
    SlotFacts facts{.labels = std::vector<std::optional<NameId>>(state_.slots()), .comes_once = {}};
    for (auto const* plan : made_.operators) {
      before_.push_back({made_.columns.node_slots.size(), made_.columns.relation_count});
      add_labels(*plan, facts);
      auto stage = make_stage(*plan, made_.columns, facts, state_, asked_of(*plan));
      if (stage == nullptr) return false;
      made_.stages.push_back(std::move(stage));
      note_conditions(*plan, facts);
    }
    return true;
  }

  [[nodiscard]] Asked asked_of(PlanNode const& plan) const {
    if (&plan == made_.operators.back() && !is_read(plan.target_slot, plan.relation_slot)) return Asked::counts;
    return plan.kind == OperatorKind::expand && !plan.target_is_bound && only_targets_are_read(plan) ? Asked::targets
                                                                                                     : Asked::rows;
  }

  /// Whether there are only filters behind the expansion, and they, the keys and the aggregations read no slot but its
  /// target.
  [[nodiscard]] bool only_targets_are_read(PlanNode const& expansion) const {
    std::vector<Slot> used;
    for (auto at = made_.operators.rbegin(); *at != &expansion; ++at) {
      for (auto const& predicate : (*at)->predicates) {
        if (predicate.slot != no_slot) used.push_back(predicate.slot);
        if (predicate.expression != nullptr && !slots_of(*predicate.expression, used)) return false;
      }
      if ((*at)->kind != OperatorKind::filter) return false;
    }
    for (auto const* item : plan_.items) {
      if (!slots_of(*item->expression, used)) return false;
    }
    // Values are added row by row, whatever a row's weight.
    bool const are_rows = std::ranges::all_of(plan_.aggregations, [&](Expression const* each) {
      return each->kind == ExpressionKind::count_all || (counts_rows_of(*each) && !each->is_distinct);
    });
    return are_rows && std::ranges::all_of(used, [&](Slot slot) { return slot == expansion.target_slot; });
  }

  /// Whether it is `count` of what the match sets: that is never null.
  [[nodiscard]] bool counts_rows_of(Expression const& call) const {
    auto const& of = *call.operands[0];
    if (call.function->aggregation != Aggregation::count || of.kind != ExpressionKind::variable) return false;
    return std::ranges::any_of(made_.operators, [&](PlanNode const* plan) {
      bool const sets_start = plan->kind == OperatorKind::scan || plan->kind == OperatorKind::seek;
      return of.slot == plan->target_slot || of.slot == plan->relation_slot || (sets_start && of.slot == plan->slot);
    });
  }

  /// Whether keys or aggregations read what the last expansion finds, and not only how much it is.
  [[nodiscard]] bool is_read(Slot target, Slot relation) const {
    std::vector<Slot> used;
    for (auto const* item : plan_.items) static_cast<void>(slots_of(*item->expression, used));
    for (auto const* each : plan_.aggregations) {
      if (each->kind == ExpressionKind::count_all) continue;
      if (each->function->aggregation != Aggregation::count) return true;  // values are added row by row
      auto const& of = *each->operands[0];
      if (counts_rows_of(*each) && (!each->is_distinct || made_.facts.comes_once[of.slot])) continue;
      if (!each->is_distinct || !slots_of(of, used)) return true;
    }
    return std::ranges::any_of(used, [&](Slot slot) { return slot == target || slot == relation; });
  }

  [[nodiscard]] bool check_keys() {
    for (auto const* item : plan_.items) {
      auto const key = make_key_column(*item->expression, made_.columns, made_.facts, *plan_.graph, state_);
      if (key == nullptr) return false;
      if (key->reads_nodes()) note_reads(*item->expression);
      needed_.add(*item->expression, made_.columns);
    }
    return true;
  }

  [[nodiscard]] bool choose_counts() {
    for (auto const* each : plan_.aggregations) {
      auto made = counted_of(*each);
      if (!made) return false;
      if (made->how != Counted::How::rows) {
        for (auto const& operand : each->operands) {
          needed_.add(*operand, made_.columns);
          if (made->how == Counted::How::values) note_reads(*operand);
        }
      }
      counted_.push_back(*std::move(made));
    }
    return true;
  }

  [[nodiscard]] std::optional<Counted> counted_of(Expression const& call) const {
    Counted const of_rows{.how = Counted::How::rows, .call = &call};
    if (call.kind == ExpressionKind::count_all) return of_rows;
    auto const& columns = made_.columns;
    auto const& of = *call.operands[0];
    bool const is_node = of.kind == ExpressionKind::variable && columns.nodes[of.slot];
    bool const is_relation = of.kind == ExpressionKind::variable && columns.relations[of.slot];
    if (call.function->aggregation == Aggregation::count && (is_node || (is_relation && !call.is_distinct))) {
      if (!call.is_distinct || made_.facts.comes_once[of.slot]) return of_rows;
      if (plan_.items.empty())
        return Counted{.how = Counted::How::different_nodes, .call = &call, .column = *columns.nodes[of.slot]};
    }
    RowFiller filler{.graph = plan_.graph};
    for (auto const& operand : call.operands) {
      auto more = filler_of(*operand, columns, plan_.graph);
      if (!more) return std::nullopt;
      filler.slots.insert(filler.slots.end(), more->slots.begin(), more->slots.end());
    }
    return Counted{.how = Counted::How::values, .call = &call, .filler = std::move(filler)};
  }

  /// Notes the slots whose nodes are asked for properties one by one.
  void note_reads(Expression const& expression) {
    std::vector<Slot> used;
    static_cast<void>(slots_of(expression, used));
    for (auto const slot : used) reads_[slot] = true;
  }
  void note_conditions(PlanNode const& plan, SlotFacts const& facts) {
    for (auto const& predicate : plan.predicates) {
      if (predicate.expression == nullptr || text_check_of(predicate, made_.columns, facts, *plan_.graph)) continue;
      note_reads(*predicate.expression);
      if (predicate.slot < reads_.size()) reads_[predicate.slot] = true;
    }
  }

  /// From the last stage to the first: each hands on what those behind it read and it has.
  void link() {
    Stage* next = made_.grouping.get();
    for (auto i = made_.stages.size(); i-- > 0;) {
      KeptColumns kept{.is_node_wanted = needed_.nodes, .is_relation_wanted = needed_.relations};
      for (Column column = 0; column < before_[i].nodes; ++column) {
        if (needed_.nodes[column]) kept.nodes.push_back(column);
      }
      for (Column column = 0; column < before_[i].relations; ++column) {
        if (needed_.relations[column]) kept.relations.push_back(column);
      }
      made_.stages[i]->set_reads(reads_);
      made_.stages[i]->set_next(*next, std::move(kept), made_.columns);
      next = made_.stages[i].get();
      needed_.add(*made_.operators[i], made_.columns);
    }
  }

  /// How many columns there were before a stage.
  struct ColumnCounts {
    std::size_t nodes;
    std::size_t relations;
  };

  PlanNode const& plan_;
  RunState& state_;
  BatchPlan made_;
  std::vector<ColumnCounts> before_;
  std::vector<Counted> counted_;
  Needed needed_;
  std::vector<bool> reads_;
};

}  // namespace

std::optional<BatchPlan> plan_batches(PlanNode const& plan, std::span<PlanNode const* const> above, RunState& state) {
  return BatchPlanner{plan, state}.run(above);
}

}  // namespace whence::queries::cypher
