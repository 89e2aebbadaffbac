// Greedy: whole plans are not compared. Each round takes the cheapest relation of what is bound, else a node that a
// condition names by a value, else the cheapest start. Costs are counts of nodes and relations; conditions are put as
// soon as all that they read is bound.
#include "queries/cypher/plan/match_planner.hpp"

#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>
#include <cmath>

namespace whence::queries::cypher {
namespace {

constexpr double property_selectivity = 0.1;
constexpr double condition_selectivity = 0.3;

}  // namespace

PlanPtr MatchPlanner::run(PlanPtr source, Pattern const& pattern, Expression const* where) {
  gather(pattern, where);
  auto plan = std::move(source);
  plan->graph = plan->graph != nullptr ? plan->graph : graph_;
  check(plan, false);
  for (bool more = true; more && may_go_on();)
    more = expand(plan, false) || by_value(plan) || start(plan) || expand(plan, true);
  for (auto const& path : pattern.paths) {
    if (path.name.empty() || path.search != PathSearch::all) continue;
    put(plan, graph_, MakePathStep{&path}, plan->estimate, path.name);
    bound_[path.slot] = true;
  }
  check(plan, true);
  return plan;
}

void MatchPlanner::gather(Pattern const& pattern, Expression const* where) {
  paths_needed_.resize(bound_.size());
  for (auto const& path : pattern.paths) {
    for (auto const& node : path.nodes) {
      nodes_.push_back(&node);
      if (!node.labels.empty()) {
        double share = 1;
        for (auto const& label : node.labels) {
          auto const id = graph_->find_label(label);
          share = std::min(share, id ? graph_->count_nodes(id) / std::max(1.0, graph_->count_nodes({})) : 0.0);
        }
        open_.push_back({.kind = Predicate::Kind::labels,
                         .slot = node.slot,
                         .labels = &node.labels,
                         .needs = {node.slot},
                         .selectivity = share});
      }
      if (node.properties != nullptr) add_properties(*node.properties, node.slot);
      if (bound_[node.slot])
        open_.push_back({.kind = Predicate::Kind::bound_node, .slot = node.slot, .needs = {node.slot}});
    }
    for (std::size_t i = 0; i < path.relations.size(); ++i) {
      auto const& relation = path.relations[i];
      steps_.push_back({.relation = &relation, .path = &path, .from = &path.nodes[i], .to = &path.nodes[i + 1]});
      if (!path.name.empty()) paths_needed_[relation.slot] = true;
      if (relation.properties == nullptr || relation.is_variable || path.search != PathSearch::all) continue;
      add_properties(*relation.properties, relation.slot);
    }
  }
  if (where != nullptr) add_condition(*where);
}

void MatchPlanner::add_properties(Expression const& properties, Slot slot) {
  Predicate made{.kind = Predicate::Kind::properties,
                 .expression = &properties,
                 .slot = slot,
                 .needs = {slot},
                 .selectivity = property_selectivity};
  made.needs_all = !slots_of(properties, made.needs);
  open_.push_back(std::move(made));
}

void MatchPlanner::add_condition(Expression const& condition) {
  if (auto const* operation = condition.find<Operation>(); operation != nullptr && operation->op == Op::logical_and) {
    add_condition(*condition.operands[0]);
    add_condition(*condition.operands[1]);
    return;
  }
  Predicate made{.expression = &condition, .selectivity = condition_selectivity};
  made.needs_all = !slots_of(condition, made.needs);
  open_.push_back(std::move(made));
}

void MatchPlanner::check(PlanPtr& plan, bool is_last) {
  std::vector<Predicate> ready;
  std::erase_if(open_, [&](Predicate const& each) {
    bool const can = is_last || (!each.needs_all && std::ranges::all_of(each.needs, [&](Slot slot) {
                       return slot >= bound_.size() || bound_[slot];
                     }));
    if (can) ready.push_back(each);
    return can;
  });
  if (ready.empty()) return;
  // Cheap checks first: labels and properties of the pattern come before conditions, which keep their order.
  std::ranges::stable_sort(ready, {}, [](Predicate const& each) {
    return each.kind == Predicate::Kind::condition ? 1 + (each.needs_all ? 1 : 0) : 0;
  });
  auto estimate = plan->estimate;
  std::string detail;
  for (auto const& each : ready) {
    estimate *= each.selectivity;
    detail += (detail.empty() ? "" : ", ") + std::string{schema::name_of(each.kind)};
  }
  put(plan, graph_, FilterStep{std::move(ready)}, estimate, std::move(detail));
}

/// Whether a value that a node is sought by does not itself read that node: `(n {ref: coalesce(null, n.ref)})`.
bool MatchPlanner::is_known_before(Expression const& value, Slot node) {
  std::vector<Slot> used;
  return slots_of(value, used) && std::ranges::find(used, node) == used.end();
}

Predicate const* MatchPlanner::find_seek(NodePattern const& node, std::string& property,
                                         Expression const*& value) const {
  std::optional<NameId> const label = node.labels.empty() ? std::nullopt : graph_->find_label(node.labels[0]);
  if (!node.labels.empty() && !label) return nullptr;
  for (auto const& each : open_) {
    if (each.needs_all ||
        std::ranges::any_of(each.needs, [&](Slot slot) { return slot != node.slot && !bound_[slot]; }))
      continue;
    bool const is_of_node = each.kind == Predicate::Kind::properties && each.slot == node.slot;
    if (auto const* map = is_of_node ? each.expression->find<MapLiteral>() : nullptr; map != nullptr) {
      for (std::size_t i = 0; i < map->keys.size(); ++i) {
        auto const& wanted = *each.expression->operands[i];
        if (!graph_->has_index(label, map->keys[i]) || !is_known_before(wanted, node.slot)) continue;
        property = map->keys[i];
        value = &wanted;
        return &each;
      }
    }
    if (each.kind != Predicate::Kind::condition || !is_equality(*each.expression)) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      auto const left = property_read(*each.expression->operands[side]);
      auto const& right = *each.expression->operands[1 - side];
      if (left.slot != node.slot || !graph_->has_index(label, left.name) || !is_known_before(right, node.slot))
        continue;
      property = left.name;
      value = &right;
      return &each;
    }
  }
  return nullptr;
}

/// A node that a condition names by another bound value: `m = n`, `id(m) = id(n)`, `id(m) = 3`.
bool MatchPlanner::by_value(PlanPtr& plan) {
  for (auto const& each : open_) {
    if (each.kind != Predicate::Kind::condition || each.needs_all || !is_equality(*each.expression)) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      auto const* left = each.expression->operands[side].get();
      auto const& right = *each.expression->operands[1 - side];
      auto const* call = left->find<Invocation>();
      if (call != nullptr && call->function != nullptr && call->function->name == "id") left = left->operands[0].get();
      auto const slot = slot_of(*left);
      if (slot == no_slot || bound_[slot]) continue;
      auto const node = std::ranges::find(nodes_, slot, [](NodePattern const* one) { return one->slot; });
      std::vector<Slot> used;
      if (node == nodes_.end() || !slots_of(right, used) ||
          !std::ranges::all_of(used, [&](Slot one) { return bound_[one]; }))
        continue;
      put(plan, graph_, ByIdStep{slot, &right}, plan->estimate, text_of(**node));
      bound_[slot] = true;
      check(plan, false);
      return true;
    }
  }
  return false;
}

double MatchPlanner::nodes_of(NodePattern const& node) const {
  std::string property;
  Expression const* value = nullptr;
  if (find_seek(node, property, value) != nullptr) return 1;
  double least = graph_->count_nodes({});
  for (auto const& label : node.labels) {
    auto const id = graph_->find_label(label);
    least = std::min(least, id ? graph_->count_nodes(id) : 0.0);
  }
  return least;
}

bool MatchPlanner::start(PlanPtr& plan) {
  NodePattern const* best = nullptr;
  double best_cost = 0;
  for (auto const* node : nodes_) {
    if (bound_[node->slot]) continue;
    // A relation that is bound already gives its ends.
    auto cost = nodes_of(*node);
    for (auto const& each : open_) {
      if (each.slot == node->slot && each.kind == Predicate::Kind::properties)
        cost *= 0.5;  // the more selective of equal starts
    }
    if (best == nullptr || cost < best_cost) {
      best = node;
      best_cost = cost;
    }
  }
  if (best == nullptr) return false;
  auto const* counted = counted_start(best_cost);
  scan(plan, counted != nullptr ? *counted : *best);
  check(plan, false);
  return true;
}

NodePattern const* MatchPlanner::counted_start(double cost) const {
  if (counted_ends_.empty() || steps_.size() != 1) return nullptr;
  auto const& step = steps_.front();
  if (bound_[step.from->slot] || bound_[step.to->slot] || bound_[step.relation->slot]) return nullptr;
  auto const types = types_of(*step.relation);
  NodePattern const* best = nullptr;
  double least = cost * (1 + fan_out(*step.relation));
  for (auto const* node : counted_ends_) {
    bool const is_from = node == step.from;
    auto const& labels = (is_from ? step.to : step.from)->labels;
    auto const direction = is_from ? step.relation->direction : reversed(step.relation->direction);
    auto const nodes = nodes_of(*node);
    if (nodes >= least || !graph_->knows_degrees(direction, types) || !are_implied(labels, types, direction)) continue;
    best = node;
    least = nodes;
  }
  return best;
}

void MatchPlanner::scan(PlanPtr& plan, NodePattern const& node) {
  std::string property;
  Expression const* value = nullptr;
  if (find_seek(node, property, value) != nullptr) {
    auto const label = node.labels.empty() ? std::nullopt : graph_->find_label(node.labels[0]);
    put(plan, graph_, SeekStep{node.slot, label, property, value}, plan->estimate, text_of(node) + "." + property);
  } else {
    std::string const* rarest = nullptr;
    double least = 0;
    for (auto const& label : node.labels) {
      auto const id = graph_->find_label(label);
      auto const count = id ? graph_->count_nodes(id) : 0.0;
      if (rarest != nullptr && count >= least) continue;
      rarest = &label;
      least = count;
    }
    put(plan, graph_,
        ScanStep{.slot = node.slot,
                 .has_label = rarest != nullptr,
                 .label = rarest != nullptr ? graph_->find_label(*rarest) : std::nullopt,
                 .reads_properties = property_reads_[node.slot]},
        plan->estimate * std::max(0.0, nodes_of(node)), text_of(node));
    // One label needs no check after a scan by it.
    if (node.labels.size() == 1) {
      std::erase_if(open_, [&](Predicate const& each) {
        return each.kind == Predicate::Kind::labels && each.labels == &node.labels;
      });
    }
  }
  bound_[node.slot] = true;
}

std::vector<NameId> MatchPlanner::types_of(RelationPattern const& relation) const {
  std::vector<NameId> types;
  for (auto const& name : relation.types) {
    if (auto const id = graph_->find_type(name)) types.push_back(*id);
  }
  return types;
}

bool MatchPlanner::are_implied(std::vector<std::string> const& labels, std::span<NameId const> types,
                               Direction direction) const {
  return std::ranges::all_of(labels, [&](std::string const& name) {
    auto const label = graph_->find_label(name);
    return label && graph_->leads_to(types, direction, *label);
  });
}

void MatchPlanner::drop_implied_labels(ExpandStep& expansion) {
  if (expansion.has_no_type) return;
  std::erase_if(open_, [&](Predicate const& each) {
    if (each.kind != Predicate::Kind::labels || each.slot != expansion.target_slot ||
        !are_implied(*each.labels, expansion.types, expansion.direction))
      return false;
    expansion.target_label = graph_->find_label(each.labels->front());
    return true;
  });
}

Expansion MatchPlanner::expansion_of(Step const& step, bool is_reversed) const {
  auto const& relation = *step.relation;
  auto const target = is_reversed ? step.from->slot : step.to->slot;
  auto types = types_of(relation);
  bool const has_no_type = !relation.types.empty() && types.empty();
  return {.graph = graph_,
          .slot = is_reversed ? step.to->slot : step.from->slot,
          .relation_slot = relation.slot,
          .target_slot = target,
          .target_is_bound = bound_[target],
          .direction = is_reversed ? reversed(relation.direction) : relation.direction,
          .types = std::move(types),
          .has_no_type = has_no_type,
          .other_relations = done_relations_,
          .relation = &relation};
}

double MatchPlanner::fan_out(RelationPattern const& relation) const {
  double relations = relation.types.empty() ? graph_->count_relations({}) : 0;
  for (auto const& name : relation.types) {
    auto const id = graph_->find_type(name);
    relations += id ? graph_->count_relations(id) : 0.0;
  }
  auto const degree =
      relations / std::max(1.0, graph_->count_nodes({})) * (relation.direction == Direction::any ? 2 : 1);
  if (!relation.is_variable) return degree;
  auto const depth = static_cast<double>(std::min<std::int64_t>(relation.most.value_or(8), 8));
  return std::min(degree <= 1 ? std::max(degree, 0.01) * depth : std::pow(degree, depth), 1e12);
}

double MatchPlanner::estimate_of(Step const& step, double rows) const {
  bool const both = bound_[step.from->slot] && bound_[step.to->slot];
  auto const made = rows * fan_out(*step.relation);
  return both ? made / std::max(1.0, graph_->count_nodes({})) : made;
}

bool MatchPlanner::may_go_on() const {
  // Each round looks at all nodes and relations that are left, and for each at the open conditions.
  auto const looks = (nodes_.size() + steps_.size()) * (open_.size() + 1) / 64;
  return looks < 16 || state_.spend(looks);
}

bool MatchPlanner::knows(Expression const* expression) const {
  std::vector<Slot> used;
  return expression == nullptr ||
         (slots_of(*expression, used) && std::ranges::all_of(used, [&](Slot slot) { return bound_[slot]; }));
}

bool MatchPlanner::expand(PlanPtr& plan, bool is_last) {
  Step* best = nullptr;
  double best_estimate = 0;
  for (auto& step : steps_) {
    bool const is_searched = step.path->search != PathSearch::all;
    bool const from = bound_[step.from->slot];
    bool const to = bound_[step.to->slot];
    bool const has_relation = bound_[step.relation->slot] && !step.relation->is_variable;
    if (step.is_done || (is_searched ? !(from && to) : !(from || to || has_relation))) continue;
    // A search looks for relations with these properties, so it waits for what they are made of.
    if (is_searched && !is_last && !knows(step.relation->properties.get())) continue;
    auto const estimate = has_relation ? 0 : estimate_of(step, plan->estimate) * (step.relation->is_variable ? 1.5 : 1);
    if (best == nullptr || estimate < best_estimate) {
      best = &step;
      best_estimate = estimate;
    }
  }
  if (best == nullptr) return false;
  if (best->path->search != PathSearch::all) {
    shortest(plan, *best);
  } else {
    expand(plan, *best);
  }
  best->is_done = true;
  bound_[best->from->slot] = true;
  bound_[best->to->slot] = true;
  check(plan, false);
  return true;
}

bool MatchPlanner::may_reach(Step const& step) const {
  auto const& relation = *step.relation;
  if (!counts_once_ || !relation.is_variable || !relation.name.empty() || paths_needed_[relation.slot] ||
      relation.properties != nullptr || relation.least.value_or(1) > 1) {
    return false;
  }
  // Other relations of the match may not be met on the way, so their types differ.
  return std::ranges::all_of(steps_, [&](Step const& other) {
    if (&other == &step) return true;
    if (relation.types.empty() || other.relation->types.empty()) return false;
    return std::ranges::none_of(other.relation->types, [&](std::string const& type) {
      return std::ranges::find(relation.types, type) != relation.types.end();
    });
  });
}

void MatchPlanner::expand(PlanPtr& plan, Step& step) {
  auto const& relation = *step.relation;
  bool const from = bound_[step.from->slot];
  bool const has_relation = bound_[relation.slot];
  bool const is_reversed = !from && !(has_relation && !relation.is_variable);
  auto const estimate = estimate_of(step, plan->estimate);
  auto expansion = expansion_of(step, is_reversed);
  auto detail = detail_of(step, is_reversed && !has_relation);
  if (has_relation && !relation.is_variable) {
    put(plan, graph_, BoundRelationStep{std::move(expansion), from}, plan->estimate, std::move(detail));
  } else if (may_reach(step)) {
    put(plan, graph_, ReachStep{std::move(expansion)}, estimate, std::move(detail));
    return;
  } else if (relation.is_variable) {
    // Properties that depend on what is bound later are checked then.
    bool const defers_properties = !knows(relation.properties.get());
    if (defers_properties) add_properties(*relation.properties, relation.slot);
    put(plan, graph_, ExpandManyStep{std::move(expansion), is_reversed, defers_properties}, estimate,
        std::move(detail));
  } else {
    ExpandStep made{std::move(expansion)};
    if (!made.target_is_bound) drop_implied_labels(made);
    put(plan, graph_, std::move(made), estimate, std::move(detail));
  }
  bound_[relation.slot] = true;
  done_relations_.push_back(relation.slot);
}

void MatchPlanner::shortest(PlanPtr& plan, Step& step) {
  put(plan, graph_, ShortestStep{expansion_of(step, false), step.path}, plan->estimate, detail_of(step, false));
  bound_[step.relation->slot] = true;
  bound_[step.path->slot] = true;
}

std::string MatchPlanner::detail_of(Step const& step, bool is_reversed) {
  return text_of(is_reversed ? *step.to : *step.from) + text_of(*step.relation, is_reversed) +
         text_of(is_reversed ? *step.from : *step.to);
}

}  // namespace whence::queries::cypher
