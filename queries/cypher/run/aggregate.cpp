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
class Aggregate final : public StepOperator<AggregateStep> {
 public:
  using StepOperator::StepOperator;

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
    for (std::size_t i = 0; i < step_.aggregations.size(); ++i)
      row[std::get<Invocation>(step_.aggregations[i]->form).slot] = group.aggregators[i].result();
    return !state_.failed();
  }

  void read(Row& row) {
    is_read_ = true;
    std::vector<Value> key(step_.keys.size());
    while (source_->next(row)) {
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = evaluate(*step_.keys[i]->expression, row, state_);
      if (state_.failed()) return;
      auto const bytes = bytes_of_row(key);
      if (!state_.spend(bytes / HeldValues::bytes_per_step)) return;
      auto [found, is_new] = by_key_.emplace(key, nullptr);
      if (is_new) {
        if (!hold(bytes + bytes_of_row(row) + step_.aggregations.size() * sizeof(Aggregator))) return;
        found->second = &add_group();
        found->second->row = row;
        for (std::size_t i = 0; i < key.size(); ++i) found->second->row[step_.keys[i]->slot] = key[i];
      }
      for (auto& each : found->second->aggregators) each.add(row);
    }
    // Without keys there is one group, also of no rows; it keeps the row as it is.
    if (groups_.empty() && step_.keys.empty()) add_group();
    at_ = groups_.begin();
  }

  Group& add_group() {
    auto& group = groups_.emplace_back();
    group.aggregators.reserve(step_.aggregations.size());
    for (auto const* each : step_.aggregations) group.aggregators.emplace_back(*each, state_);
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

class Distinct final : public StepOperator<DistinctStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    std::vector<Value> key(step_.items.size());
    while (source_->next(row)) {
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = row[step_.items[i]->slot];
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

OperatorPtr OperatorMaker::operator()(AggregateStep const&) {
  return make<Aggregate>();
}
OperatorPtr OperatorMaker::operator()(DistinctStep const&) {
  return make<Distinct>();
}

}  // namespace whence::queries::cypher
