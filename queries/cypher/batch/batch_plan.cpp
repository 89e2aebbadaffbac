// All or nothing: every operator needs a stage, every key a column, every aggregation a way of counting, else the
// operators go row by row. Stages are then linked from the last to the first, each with the columns that are read
// behind it.
#include "queries/cypher/batch/batch_plan.hpp"

#include "queries/cypher/batch/filter_stage.hpp"
#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries::cypher {
namespace {

std::span<Predicate const> predicates_of(PlanNode const& plan) {
  auto const* filter = plan.find<FilterStep>();
  return filter != nullptr ? std::span{filter->predicates} : std::span<Predicate const>{};
}

/// Null where it does not go along relations, or has no stage.
Expansion const* expansion_of(PlanNode const& plan) {
  if (auto const* expand = plan.find<ExpandStep>()) return expand;
  return plan.find<ReachStep>();
}

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
    if (auto const* seek = plan.find<SeekStep>()) add(*seek->value, columns);
    if (auto const* expansion = expansion_of(plan)) {
      add(expansion->slot, columns);
      if (expansion->target_is_bound) add(expansion->target_slot, columns);
      for (auto const slot : expansion->other_relations) add(slot, columns);
    }
    for (auto const& predicate : predicates_of(plan)) {
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
    if (auto const* seek = plan.find<SeekStep>()) {
      sets(seek->slot, plan.graph->is_unique(seek->label, seek->property));
    } else if (auto const* scan = plan.find<ScanStep>()) {
      sets(scan->slot, false);
    } else if (auto const* reach = plan.find<ReachStep>()) {
      if (!reach->target_is_bound) sets(reach->target_slot, false);
    } else if (plan.find<FilterStep>() == nullptr) {
      sets(no_slot, false);  // nodes may come again
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
  if (auto const* scan = plan.find<ScanStep>()) facts.labels[scan->slot] = scan->label;
  if (auto const* seek = plan.find<SeekStep>()) facts.labels[seek->slot] = seek->label;
  if (auto const* expand = plan.find<ExpandStep>(); expand != nullptr && expand->target_label)
    facts.labels[expand->target_slot] = expand->target_label;
  for (auto const& predicate : predicates_of(plan)) {
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
TopByCount top_of(AggregateStep const& step, std::vector<Counted> const& counted,
                  std::span<PlanNode const* const> above) {
  std::span<ProjectionItem const* const> computed;
  if (auto const* project = above.empty() ? nullptr : above.front()->find<ProjectStep>(); project != nullptr) {
    computed = project->items;
    above = above.subspan(1);
  }
  auto const* sort = above.empty() ? nullptr : above.front()->find<SortStep>();
  if (sort == nullptr || sort->limit == nullptr) return {};
  auto const& first = *sort->order.front();
  auto slot = slot_of(*first.expression);
  for (auto const* item : computed) {
    if (item->slot != slot) continue;
    slot = std::ranges::find(step.aggregations, item->expression.get()) != step.aggregations.end()
               ? std::get<Invocation>(item->expression->form).slot
               : no_slot;
    break;
  }
  for (auto const& each : counted) {
    if (std::get<Invocation>(each.call->form).slot == slot && each.how == Counted::How::rows)
      return {.sort = sort, .is_descending = first.is_descending};
  }
  return {};
}

/// The steps in their order; the first that says false ends it.
class BatchPlanner {
 public:
  BatchPlanner(PlanNode const& plan, RunState& state)
      : plan_(plan),
        step_(std::get<AggregateStep>(plan.step)),
        state_(state),
        made_{.columns = SlotColumns{state.slots()}},
        reads_{.of_records = std::vector<bool>(state.slots()),
               .at_hand = std::vector<std::vector<std::string_view>>(state.slots())} {}

  std::optional<BatchPlan> run(std::span<PlanNode const* const> above) {
    if (!find_operators()) return std::nullopt;
    made_.facts = facts_of(made_.operators, state_.slots());
    if (!make_stages()) return std::nullopt;
    needed_.nodes.resize(made_.columns.node_slots.size());
    needed_.relations.resize(made_.columns.relation_count);
    if (!check_keys() || !choose_counts()) return std::nullopt;
    made_.top = top_of(step_, counted_, above);
    made_.grouping = std::make_unique<Grouping>(plan_, state_, std::move(counted_));
    link();
    return std::move(made_);
  }

 private:
  /// All operators below read one moment, and start from one row.
  [[nodiscard]] bool find_operators() {
    auto const* at = plan_.source.get();
    for (; at != nullptr && at->find<ArgumentStep>() == nullptr; at = at->source.get()) {
      if (at->graph != plan_.graph) return false;
      made_.operators.push_back(at);
    }
    made_.argument = at;
    std::ranges::reverse(made_.operators);
    return at != nullptr && at->find<ArgumentStep>()->given == nullptr && !made_.operators.empty();
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
    auto const* expansion = expansion_of(plan);
    if (expansion == nullptr) return Asked::rows;
    if (&plan == made_.operators.back() && !is_read(expansion->target_slot, expansion->relation_slot))
      return Asked::counts;
    auto const* expand = plan.find<ExpandStep>();
    return expand != nullptr && !expand->target_is_bound && only_targets_are_read(plan, *expand) ? Asked::targets
                                                                                                 : Asked::rows;
  }

  /// Whether there are only filters behind the expansion, and they, the keys and the aggregations read no slot but its
  /// target.
  [[nodiscard]] bool only_targets_are_read(PlanNode const& plan, ExpandStep const& expansion) const {
    std::vector<Slot> used;
    for (auto at = made_.operators.rbegin(); *at != &plan; ++at) {
      for (auto const& predicate : predicates_of(**at)) {
        if (predicate.slot != no_slot) used.push_back(predicate.slot);
        if (predicate.expression != nullptr && !slots_of(*predicate.expression, used)) return false;
      }
      if ((*at)->find<FilterStep>() == nullptr) return false;
    }
    for (auto const* item : step_.keys) {
      if (!slots_of(*item->expression, used)) return false;
    }
    // Values are added row by row, whatever a row's weight.
    bool const are_rows = std::ranges::all_of(step_.aggregations, [&](Expression const* each) {
      return counts_rows_of(*each) && !std::get<Invocation>(each->form).is_distinct;
    });
    return are_rows && std::ranges::all_of(used, [&](Slot slot) { return slot == expansion.target_slot; });
  }

  /// Whether it is `count` of all rows, or of what the match sets: that is never null.
  [[nodiscard]] bool counts_rows_of(Expression const& aggregation) const {
    auto const& call = std::get<Invocation>(aggregation.form);
    if (call.counts_rows || call.function->aggregation != Aggregation::count) return call.counts_rows;
    auto const of = slot_of(*aggregation.operands[0]);
    return of != no_slot && std::ranges::any_of(made_.operators, [&](PlanNode const* plan) {
             auto const* expansion = expansion_of(*plan);
             if (expansion != nullptr) return of == expansion->target_slot || of == expansion->relation_slot;
             auto const* scan = plan->find<ScanStep>();
             auto const* seek = plan->find<SeekStep>();
             return (scan != nullptr && of == scan->slot) || (seek != nullptr && of == seek->slot);
           });
  }

  /// Whether keys or aggregations read what the last expansion finds, and not only how much it is.
  [[nodiscard]] bool is_read(Slot target, Slot relation) const {
    std::vector<Slot> used;
    for (auto const* item : step_.keys) static_cast<void>(slots_of(*item->expression, used));
    for (auto const* each : step_.aggregations) {
      auto const& call = std::get<Invocation>(each->form);
      if (call.function->aggregation != Aggregation::count) return true;  // values are added row by row
      if (counts_rows_of(*each) && (!call.is_distinct || made_.facts.comes_once[slot_of(*each->operands[0])])) continue;
      if (!call.is_distinct || !slots_of(*each->operands[0], used)) return true;
    }
    return std::ranges::any_of(used, [&](Slot slot) { return slot == target || slot == relation; });
  }

  [[nodiscard]] bool check_keys() {
    for (auto const* item : step_.keys) {
      auto const key = make_key_column(*item->expression, made_.columns, made_.facts, *plan_.graph, state_);
      if (key == nullptr) return false;
      if (key->reads_nodes()) note_reads(*item->expression, made_.facts);
      needed_.add(*item->expression, made_.columns);
    }
    return true;
  }

  [[nodiscard]] bool choose_counts() {
    for (auto const* each : step_.aggregations) {
      auto made = counted_of(*each);
      if (!made) return false;
      if (made->how != Counted::How::rows) {
        for (auto const& operand : each->operands) {
          needed_.add(*operand, made_.columns);
          if (made->how == Counted::How::values) note_reads(*operand, made_.facts);
        }
      }
      counted_.push_back(*std::move(made));
    }
    return true;
  }

  [[nodiscard]] std::optional<Counted> counted_of(Expression const& aggregation) const {
    auto const& call = std::get<Invocation>(aggregation.form);
    Counted const of_rows{.how = Counted::How::rows, .call = &aggregation};
    if (call.counts_rows) return of_rows;
    auto const& columns = made_.columns;
    auto const of = slot_of(*aggregation.operands[0]);
    bool const is_node = of != no_slot && columns.nodes[of];
    bool const is_relation = of != no_slot && columns.relations[of];
    if (call.function->aggregation == Aggregation::count && (is_node || (is_relation && !call.is_distinct))) {
      if (!call.is_distinct || made_.facts.comes_once[of]) return of_rows;
      if (step_.keys.empty())
        return Counted{.how = Counted::How::different_nodes, .call = &aggregation, .column = *columns.nodes[of]};
    }
    RowFiller filler{.graph = plan_.graph};
    for (auto const& operand : aggregation.operands) {
      auto more = filler_of(*operand, columns, plan_.graph);
      if (!more) return std::nullopt;
      filler.slots.insert(filler.slots.end(), more->slots.begin(), more->slots.end());
    }
    return Counted{.how = Counted::How::values, .call = &aggregation, .filler = std::move(filler)};
  }

  /// Notes the slots whose nodes are asked for properties one by one, of those that have to be read.
  void note_reads(Expression const& expression, SlotFacts const& facts) {
    auto const property = property_read(expression);
    bool const is_labelled = property.slot != no_slot && facts.labels[property.slot].has_value();
    if (is_labelled && plan_.graph->is_at_hand(*facts.labels[property.slot], property.name)) {
      reads_.at_hand[property.slot].push_back(property.name);
      return;
    }
    if (auto const* const variable = expression.find<Variable>()) reads_.of_records[variable->slot] = true;
    for (auto const& operand : expression.operands) {
      if (operand != nullptr) note_reads(*operand, facts);
    }
  }
  void note_conditions(PlanNode const& plan, SlotFacts const& facts) {
    for (auto const& predicate : predicates_of(plan)) {
      if (predicate.expression == nullptr || text_check_of(predicate, made_.columns, facts, *plan_.graph)) continue;
      note_reads(*predicate.expression, facts);
      if (predicate.slot < reads_.of_records.size()) reads_.of_records[predicate.slot] = true;
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
  AggregateStep const& step_;
  RunState& state_;
  BatchPlan made_;
  std::vector<ColumnCounts> before_;
  std::vector<Counted> counted_;
  Needed needed_;
  PropertyReads reads_;
};

}  // namespace

std::optional<BatchPlan> plan_batches(PlanNode const& plan, std::span<PlanNode const* const> above, RunState& state) {
  return BatchPlanner{plan, state}.run(above);
}

}  // namespace whence::queries::cypher
