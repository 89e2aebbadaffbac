// Clauses of the planner; patterns are in match_planner.cpp.
#include "queries/cypher/plan/planner.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/plan/match_planner.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"
#include "queries/cypher/state/procedures.hpp"

#include <algorithm>
#include <cmath>

namespace whence::queries::cypher {
namespace {

double literal_or(Expression const* expression, double otherwise) {
  auto const* literal = expression != nullptr ? expression->find<Literal>() : nullptr;
  return literal != nullptr && literal->value.is_number() ? literal->value.number() : otherwise;
}

void put_filter(PlanPtr& plan, Expression const& condition) {
  put(plan, plan->graph, FilterStep{{{.expression = &condition}}}, plan->estimate * 0.5, "condition");
}

/// Whether it makes no difference to a projection how often a row comes.
bool ignores_repetition(Projection const& projection) {
  if (!projection.is_aggregating()) return projection.is_distinct;
  return std::ranges::all_of(projection.aggregations, [](Expression const* each) {
    auto const& call = std::get<Invocation>(each->form);
    auto const what = call.function->aggregation;
    return call.is_distinct || what == Aggregation::min || what == Aggregation::max;
  });
}

std::string names_of(std::vector<ProjectionItem const*> const& items) {
  std::string text;
  for (auto const* item : items) text += (text.empty() ? "" : ", ") + item->name;
  return text;
}

}  // namespace

Planner::Planner(Statement const& statement, RunState& state)
    : statement_(statement),
      state_(state),
      at_(statement.at ? &*statement.at : nullptr),
      property_reads_(statement.slots) {
  mark_property_reads(statement.query, state.graph(), property_reads_);
}

std::vector<PlanPtr> Planner::statement() {
  std::vector<PlanPtr> made;
  for (auto const& part : statement_.query.parts) {
    BoundSlots bound(statement_.slots);
    made.push_back(clauses(part.clauses, 0, part.clauses.size(), bound, false));
  }
  return made;
}

std::vector<PlanPtr> Planner::subquery(Expression const& expression) {
  auto const* subquery = expression.find<Subquery>();
  auto const& start = subquery != nullptr ? subquery->start : std::get<PatternSearch>(expression.form).start;
  BoundSlots bound_before(statement_.slots);
  for (Slot slot = 0; slot < start.slot && slot < statement_.slots; ++slot) bound_before[slot] = true;
  std::vector<PlanPtr> made;
  if (subquery != nullptr) {
    at_ = start.at;
    for (auto const& part : subquery->query->parts) {
      auto bound = bound_before;
      made.push_back(clauses(part.clauses, 0, part.clauses.size(), bound, !subquery->is_count));
    }
    return made;
  }
  auto const& search = std::get<PatternSearch>(expression.form);
  auto source = std::make_unique<PlanNode>();
  source->graph = graph_at(start.at);
  auto const* where = search.kind == PatternSearch::Kind::comprehension ? expression.operands[0].get() : nullptr;
  bool const only_exists = search.kind == PatternSearch::Kind::test;
  MatchPlanner planner{source->graph, bound_before, only_exists, property_reads_, state_};
  made.push_back(planner.run(std::move(source), *search.pattern, where));
  return made;
}

PropertyGraph const* Planner::graph_at(AtMoment const* at) {
  auto const* graph = &state_.graph();
  if (at == nullptr) return graph;
  Row row;
  auto const value = evaluate(*at->expression, row, state_);
  Moment moment{.is_time = at->is_time};
  auto const tx = whole_number(value);
  if (!at->is_time && tx && *tx >= 0) {
    moment.tx = *tx;
  } else if (at->is_time && value.find_date_time() != nullptr) {
    auto const& time = *value.find_date_time();
    moment.time = {.seconds = time.seconds, .nanos = static_cast<std::uint32_t>(time.nanos)};
  } else {
    state_.fail(ErrorKind::argument_error, "InvalidArgumentType",
                at->is_time ? "AT TIME takes a datetime" : "AT TX takes the number of a transaction", at->place);
    return graph;
  }
  auto const past = graph->at(moment);
  if (past) return *past;
  state_.fail(past.error());
  return graph;
}

PlanPtr Planner::clauses(std::vector<Clause> const& clauses, std::size_t first, std::size_t last, BoundSlots& bound,
                         bool only_exists) {
  auto plan = std::make_unique<PlanNode>();
  plan->graph = &state_.graph();
  for (auto i = first; i < last && !state_.failed(); ++i) {
    auto const& clause = clauses[i];
    switch (clause.kind) {
      case ClauseKind::match: {
        // How often a row comes does not matter to what follows: an EXISTS, or a projection that drops repetitions.
        bool counts_once =
            only_exists && std::all_of(clauses.begin() + static_cast<std::ptrdiff_t>(i),
                                       clauses.begin() + static_cast<std::ptrdiff_t>(last),
                                       [](Clause const& each) { return each.kind == ClauseKind::match; });
        for (auto j = i + 1; j < last && !counts_once; ++j) {
          if (clauses[j].kind == ClauseKind::match || clauses[j].kind == ClauseKind::unwind) continue;
          bool const projects = clauses[j].kind == ClauseKind::with || clauses[j].kind == ClauseKind::returning;
          counts_once = projects && ignores_repetition(clauses[j].projection);
          break;
        }
        plan = match(std::move(plan), clause, std::span{clauses}.subspan(i + 1, last - i - 1), bound, counts_once);
        break;
      }
      case ClauseKind::unwind:
        put(plan, plan->graph, UnwindStep{clause.slot, clause.expression.get()}, plan->estimate * 10, clause.name);
        bound[clause.slot] = true;
        break;
      case ClauseKind::with:
      case ClauseKind::returning:
        plan = projection(std::move(plan), clause, bound);
        break;
      case ClauseKind::call: {
        auto const rows = clause.yields.empty() ? 1 : clause.procedure->rows_estimate;
        put(plan, graph_at(at_), CallStep{&clause}, plan->estimate * rows, clause.name);
        for (auto const& yield : clause.yields) bound[yield.slot] = true;
        if (clause.where != nullptr) put_filter(plan, *clause.where);
        break;
      }
      case ClauseKind::create:
      case ClauseKind::remove:
        break;  // carried out by tests, between plans
    }
  }
  return plan;
}

PlanPtr Planner::match(PlanPtr source, Clause const& clause, std::span<Clause const> behind, BoundSlots& bound,
                       bool counts_once) {
  auto const* graph = graph_at(clause.at ? &*clause.at : at_);
  auto const before = bound;
  if (!clause.is_optional) {
    MatchPlanner planner{graph, bound, counts_once, property_reads_, state_};
    auto const unwinds = static_cast<std::size_t>(
        std::ranges::find_if(behind, [](Clause const& each) { return each.kind != ClauseKind::unwind; }) -
        behind.begin());
    if (unwinds < behind.size()) planner.set_counted(counted_ends(clause, behind.first(unwinds), behind[unwinds]));
    auto made = planner.run(std::move(source), clause.pattern, clause.where.get());
    bound = planner.bound();
    return made;
  }
  auto inner = std::make_unique<PlanNode>();
  inner->graph = graph;
  MatchPlanner planner{graph, bound, counts_once, property_reads_, state_};
  inner = planner.run(std::move(inner), clause.pattern, clause.where.get());
  bound = planner.bound();
  auto const estimate = source->estimate * std::max(1.0, inner->estimate);
  OptionalStep optional{.inner = std::move(inner)};
  for (Slot slot = 0; slot < bound.size(); ++slot) {
    if (bound[slot] && !before[slot]) optional.null_slots.push_back(slot);
  }
  put(source, source->graph, std::move(optional), estimate);
  return source;
}

PlanPtr Planner::projection(PlanPtr source, Clause const& clause, BoundSlots& bound) {
  auto const& what = clause.projection;
  auto plan = std::move(source);
  std::vector<ProjectionItem const*> keys;
  std::vector<ProjectionItem const*> computed;
  std::vector<ProjectionItem const*> all;
  for (auto const& item : what.items) {
    (item.is_aggregating ? computed : keys).push_back(&item);
    all.push_back(&item);
    bound[item.slot] = true;
  }
  for (auto const& key : what.hidden_keys) {
    keys.push_back(&key);
    bound[key.slot] = true;
  }
  if (what.is_aggregating()) {
    auto const estimate = keys.empty() ? 1 : std::max(1.0, std::sqrt(plan->estimate));
    put(plan, plan->graph, AggregateStep{keys, what.aggregations}, estimate, names_of(keys));
  } else {
    computed = all;
  }
  std::erase_if(computed, [](ProjectionItem const* item) { return slot_of(*item->expression) == item->slot; });
  if (!computed.empty()) put(plan, plan->graph, ProjectStep{computed}, plan->estimate, names_of(computed));
  if (what.is_distinct) put(plan, plan->graph, DistinctStep{all}, plan->estimate * 0.8, names_of(all));
  if (!what.order.empty()) {
    SortStep sort{.limit = what.limit.get(), .skip = what.skip.get()};
    for (auto const& each : what.order) sort.order.push_back(&each);
    put(plan, plan->graph, std::move(sort), plan->estimate);
  }
  if (what.skip != nullptr) {
    auto const estimate = std::max(0.0, plan->estimate - literal_or(what.skip.get(), 0));
    put(plan, plan->graph, SkipStep{what.skip.get()}, estimate);
  }
  if (what.limit != nullptr) {
    auto const estimate = std::min(plan->estimate, literal_or(what.limit.get(), plan->estimate));
    put(plan, plan->graph, LimitStep{what.limit.get()}, estimate);
  }
  if (clause.where != nullptr) put_filter(plan, *clause.where);
  return plan;
}

}  // namespace whence::queries::cypher
