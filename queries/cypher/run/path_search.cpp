// Operators along many relations: all paths of a variable length, reachable nodes.
#include "queries/cypher/evaluate/path_bounds.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/run/predicates.hpp"
#include "queries/cypher/walks/reachable.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

/// Paths in depth, one at a time: memory grows with the depth and the degrees along one path only.
class ExpandMany final : public StepOperator<ExpandManyStep> {
 public:
  using StepOperator::StepOperator;

 private:
  struct Level {
    std::uint64_t node = 0;
    std::size_t begin = 0;  ///< its relations in `found_`, from its first to the end of them
    std::size_t at = 0;
  };

  bool pull(Row& row) override {
    for (;;) {
      while (!levels_.empty()) {
        if (step(row)) return true;
        if (state_.failed()) return false;
      }
      if (!source_->next(row)) return false;
      if (start(row)) return true;
      if (state_.failed()) return false;
    }
  }

  /// Begins at a new row's node; true where the path of no relation is a result.
  bool start(Row& row) {
    taken_.clear();
    found_.clear();
    auto const* node = row[step_.slot].find_node();
    if (node == nullptr || node->id >= step_.graph->node_bound() ||
        (!step_.defers_properties && !expected_of(*step_.relation, row, state_, expected_)))
      return false;
    if (step_.relation->is_bound) {
      auto const* list = row[step_.relation_slot].find_list();
      if (list == nullptr) return false;
      bound_list_ = row[step_.relation_slot];
    }
    open(node->id);
    return least_of(*step_.relation) == 0 && emit(row, node->id);
  }

  void open(std::uint64_t node) {
    Level level{.node = node, .begin = found_.size(), .at = found_.size()};
    if (taken_.size() < most_of(*step_.relation) && !step_.has_no_type)
      step_.graph->relations(node, step_.direction, step_.types, found_);
    static_cast<void>(state_.spend(found_.size() - level.begin + 1));
    levels_.push_back(level);
  }

  /// Goes one relation on or back; true where that ends at a result.
  bool step(Row& row) {
    auto& level = levels_.back();
    if (level.at == found_.size()) {
      found_.resize(level.begin);
      levels_.pop_back();
      if (!taken_.empty()) taken_.pop_back();
      return false;
    }
    auto const ends = found_[level.at++];
    auto const target = ends.other_end(level.node);
    if (std::ranges::find(taken_, ends.id, &RelationEnds::id) != taken_.end() ||
        is_taken(ends.id, step_.other_relations, row))
      return false;
    if (!expected_.empty() && !has_properties(Value{ends.in(step_.graph)}, expected_, state_)) return false;
    taken_.push_back(ends);
    if (step_.relation->is_bound && !follows_list()) {
      taken_.pop_back();
      return false;
    }
    // The new level's relations come behind this one's, and are gone when this one goes on: levels stay nested.
    open(target);
    return taken_.size() >= least_of(*step_.relation) && emit(row, target);
  }

  [[nodiscard]] bool follows_list() const {
    auto const& list = *bound_list_.find_list();
    if (taken_.size() > list.size()) return false;
    auto const place = step_.is_reversed ? list.size() - taken_.size() : taken_.size() - 1;
    auto const* relation = list[place].find_relation();
    return relation != nullptr && relation->id == taken_.back().id;
  }

  bool emit(Row& row, std::uint64_t target) {
    if (step_.relation->is_bound) {
      if (taken_.size() != bound_list_.find_list()->size()) return false;
    }
    if (step_.target_is_bound) {
      auto const* node = row[step_.target_slot].find_node();
      if (node == nullptr || node->id != target) return false;
    } else {
      row[step_.target_slot] = Node{step_.graph, target};
    }
    if (step_.relation->is_bound) return true;
    List relations;
    relations.reserve(taken_.size());
    for (auto const& ends : taken_) relations.emplace_back(ends.in(step_.graph));
    if (step_.is_reversed) std::ranges::reverse(relations);
    row[step_.relation_slot] = std::move(relations);
    return true;
  }

  void clear() override {
    levels_.clear();
    taken_.clear();
    found_.clear();
  }

  std::vector<Level> levels_;
  std::vector<RelationEnds> taken_;
  std::vector<RelationEnds> found_;
  Map expected_;
  Value bound_list_;
};

/// Each node at the end of a path once: a walk in breadth with a bitmap, instead of the paths themselves. To another
/// node than the start the shortest walk is a path; back to the start a walk along undirected relations may be none.
class Reach final : public StepOperator<ReachStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (reached_ != nullptr && at_ < reached_->size()) {
        row[step_.target_slot] = Node{step_.graph, (*reached_)[at_++]};
        return true;
      }
      if (!source_->next(row)) return false;
      reached_ = nullptr;
      at_ = 0;
      auto const* node = row[step_.slot].find_node();
      if (node == nullptr || node->id >= step_.graph->node_bound()) continue;
      if (!step_.target_is_bound) {
        reached_ = &reachable_.from(step_, state_, node->id);
      } else if (auto const* target = row[step_.target_slot].find_node()) {
        auto const& reached = reachable_.from(step_, state_, node->id, target->id);
        if (!state_.failed() && !reached.empty() && reached.back() == target->id) return true;
      }
      if (state_.failed()) return false;
    }
  }

  void clear() override {
    reached_ = nullptr;
    at_ = 0;
  }

  Reachable reachable_;
  std::vector<std::uint32_t> const* reached_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

OperatorPtr OperatorMaker::operator()(ExpandManyStep const&) {
  return make<ExpandMany>();
}
OperatorPtr OperatorMaker::operator()(ReachStep const&) {
  return make<Reach>();
}

}  // namespace whence::queries::cypher
