// Rows of a group are counted by their weights, different nodes in a set, which is done without keys only. Everything
// else goes through an aggregator of the group, row by row.
#include "queries/cypher/batch/grouping.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries::cypher {

void NodeCount::add(std::span<std::uint32_t const> nodes) {
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

std::uint64_t NodeCount::count() {
  if (!is_list_) return count_;
  std::ranges::sort(list_);
  return static_cast<std::uint64_t>(std::unique(list_.begin(), list_.end()) - list_.begin());
}

void Grouping::start(Row& row, std::unique_ptr<Groups> groups) {
  begin(row);
  groups_ = std::move(groups);
  counts_.clear();
  values_.clear();
  different_.clear();
  for (auto const& each : counted_) {
    if (each.how == Counted::How::different_nodes) different_.emplace_back(plan_->graph->node_bound());
  }
}

bool Grouping::push(Batch const& in) {
  if (!groups_->read(in, *row_, of_row_)) return false;
  add_counts(in);
  std::size_t place = 0;
  for (auto const& each : counted_) {
    if (each.how == Counted::How::different_nodes) different_[place++].add(in.nodes[each.column]);
  }
  return add_values(in);
}

void Grouping::add_counts(Batch const& in) {
  counts_.resize(groups_->size());
  if (!groups_->has_keys()) {
    counts_[0] += in.rows();
  } else if (in.weights.empty()) {
    for (auto const group : of_row_) ++counts_[group];
  } else {
    for (std::size_t i = 0; i < in.size; ++i) counts_[of_row_[i]] += in.weights[i];
  }
}

void Grouping::add_empty_group() {
  if (counts_.empty()) counts_.push_back(0);
  ensure_values(0);
}

Value Grouping::result(std::size_t group, std::size_t i) {
  auto const before = std::span{counted_}.first(i);
  auto const place = static_cast<std::size_t>(std::ranges::count(before, counted_[i].how, &Counted::how));
  switch (counted_[i].how) {
    case Counted::How::rows:
      return static_cast<std::int64_t>(counts_[group]);
    case Counted::How::different_nodes:
      return static_cast<std::int64_t>(different_[place].count());
    case Counted::How::values:
      break;
  }
  return values_[group][place].result();
}

void Grouping::ensure_values(std::size_t group) {
  while (values_.size() <= group) {
    auto& made = values_.emplace_back();
    for (auto const& each : counted_) {
      if (each.how == Counted::How::values) made.emplace_back(*each.call, state_);
    }
    if (!made.empty()) static_cast<void>(state_.hold(made.size() * sizeof(Aggregator)));
  }
}

bool Grouping::add_values(Batch const& in) {
  if (std::ranges::none_of(counted_, [](Counted const& each) { return each.how == Counted::How::values; })) return true;
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

}  // namespace whence::queries::cypher
