// Operators that keep rows apart: groups with aggregations, and distinct rows.
#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/run/aggregator.hpp"
#include "queries/cypher/run/operator.hpp"

#include <list>
#include <unordered_map>
#include <unordered_set>

namespace whence::queries::cypher {
namespace {

std::size_t bytes_of_row(std::vector<Value> const& row) {
  std::size_t bytes = 64;
  for (auto const& value : row) bytes += bytes_of(value);
  return bytes;
}

/// One row per group, in the order in which the groups were first met.
class Aggregate final : public Operator {
 public:
  using Operator::Operator;

 private:
  struct Group {
    Row row;  ///< the group's first
    std::vector<Aggregator> aggregators;
  };

  bool pull(Row& row) override {
    if (!is_read_) read(row);
    if (state_.failed() || at_ == groups_.end()) return false;
    auto& group = *at_++;
    if (!group.row.empty()) row = std::move(group.row);
    for (std::size_t i = 0; i < plan_.aggregations.size(); ++i)
      row[plan_.aggregations[i]->slot] = group.aggregators[i].result();
    return !state_.failed();
  }

  void read(Row& row) {
    is_read_ = true;
    std::vector<Value> key(plan_.items.size());
    while (source_->next(row)) {
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = evaluate(*plan_.items[i]->expression, row, state_);
      if (state_.failed()) return;
      auto const bytes = bytes_of_row(key);
      if (!state_.spend(bytes / HeldValues::bytes_per_step)) return;
      auto [found, is_new] = by_key_.emplace(key, nullptr);
      if (is_new) {
        if (!hold(bytes + bytes_of_row(row) + plan_.aggregations.size() * sizeof(Aggregator))) return;
        found->second = &add_group();
        found->second->row = row;
        for (std::size_t i = 0; i < key.size(); ++i) found->second->row[plan_.items[i]->slot] = key[i];
      }
      for (auto& each : found->second->aggregators) each.add(row);
    }
    // Without keys there is one group, also of no rows; it keeps the row as it is.
    if (groups_.empty() && plan_.items.empty()) add_group();
    at_ = groups_.begin();
  }

  Group& add_group() {
    auto& group = groups_.emplace_back();
    group.aggregators.reserve(plan_.aggregations.size());
    for (auto const* each : plan_.aggregations) group.aggregators.emplace_back(*each, state_);
    return group;
  }
  bool hold(std::size_t bytes) {
    held_ += bytes;
    return state_.hold(bytes);
  }
  void clear() override {
    groups_.clear();
    by_key_.clear();
    is_read_ = false;
    state_.release(std::exchange(held_, 0));
  }

  bool is_read_ = false;
  std::size_t held_ = 0;
  std::list<Group> groups_;
  std::list<Group>::iterator at_ = groups_.end();
  std::unordered_map<std::vector<Value>, Group*, RowHash, SameRow> by_key_;
};

class Distinct final : public Operator {
 public:
  using Operator::Operator;

 private:
  bool pull(Row& row) override {
    std::vector<Value> key(plan_.items.size());
    while (source_->next(row)) {
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = row[plan_.items[i]->slot];
      auto const bytes = bytes_of_row(key);
      if (!state_.spend(bytes / HeldValues::bytes_per_step)) return false;
      if (!seen_.insert(key).second) continue;
      held_ += bytes;
      return state_.hold(bytes);
    }
    return false;
  }
  void clear() override {
    seen_.clear();
    state_.release(std::exchange(held_, 0));
  }

  std::unordered_set<std::vector<Value>, RowHash, SameRow> seen_;
  std::size_t held_ = 0;
};

}  // namespace

OperatorPtr make_aggregate(PlanNode const& plan, RunState& state, OperatorPtr source) {
  if (plan.kind == OperatorKind::distinct) return std::make_unique<Distinct>(plan, state, std::move(source));
  return std::make_unique<Aggregate>(plan, state, std::move(source));
}

}  // namespace whence::queries::cypher
