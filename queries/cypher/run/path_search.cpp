// Operators along many relations: all paths of a variable length, reachable nodes, shortest paths.
#include "queries/cypher/run/evaluate.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/run/predicates.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace whence::queries::cypher {
namespace {

std::uint64_t other_end(RelationEnds const& ends, std::uint64_t node) { return ends.from == node ? ends.to : ends.from; }

std::uint64_t least_of(RelationPattern const& relation) {
  if (!relation.is_variable) return 1;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(relation.least.value_or(1), 0));
}
std::uint64_t most_of(RelationPattern const& relation) {
  if (!relation.is_variable) return 1;
  return relation.most ? static_cast<std::uint64_t>(std::max<std::int64_t>(*relation.most, 0)) : std::numeric_limits<std::uint64_t>::max();
}

/// The properties that every relation of the path has; evaluated once per row.
bool expected_of(RelationPattern const& relation, Row& row, RunState& state, Map& expected) {
  expected.clear();
  if (relation.properties == nullptr) return true;
  auto const value = evaluate(*relation.properties, row, state);
  if (value.find_map() == nullptr) return false;
  expected = *value.find_map();
  return true;
}

/// Paths in depth, one at a time: memory grows with the depth and the degrees along one path only.
class ExpandMany final : public Operator {
 public:
  using Operator::Operator;

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
    auto const* node = row[plan_.slot].find_node();
    if (node == nullptr || node->id >= plan_.graph->node_bound() || !expected_of(*plan_.relation, row, state_, expected_)) return false;
    if (plan_.relation->is_bound) {
      auto const* list = row[plan_.relation_slot].find_list();
      if (list == nullptr) return false;
      bound_list_ = row[plan_.relation_slot];
    }
    open(node->id);
    return least_of(*plan_.relation) == 0 && emit(row, node->id);
  }

  void open(std::uint64_t node) {
    Level level{.node = node, .begin = found_.size(), .at = found_.size()};
    if (taken_.size() < most_of(*plan_.relation) && !plan_.has_no_type) plan_.graph->relations(node, plan_.direction, plan_.types, found_);
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
    auto const target = other_end(ends, level.node);
    if (std::ranges::find(taken_, ends.id) != taken_.end() || is_taken(ends.id, plan_.other_relations, row)) return false;
    if (!expected_.empty() && !has_properties(Value{Relation{plan_.graph, ends.id}}, expected_, state_)) return false;
    taken_.push_back(ends.id);
    if (plan_.relation->is_bound && !follows_list()) {
      taken_.pop_back();
      return false;
    }
    // The new level's relations come behind this one's, and are gone when this one goes on: levels stay nested.
    open(target);
    return taken_.size() >= least_of(*plan_.relation) && emit(row, target);
  }

  [[nodiscard]] bool follows_list() const {
    auto const& list = *bound_list_.find_list();
    if (taken_.size() > list.size()) return false;
    auto const place = plan_.is_reversed ? list.size() - taken_.size() : taken_.size() - 1;
    auto const* relation = list[place].find_relation();
    return relation != nullptr && relation->id == taken_.back();
  }

  bool emit(Row& row, std::uint64_t target) {
    if (plan_.relation->is_bound) {
      if (taken_.size() != bound_list_.find_list()->size()) return false;
    }
    if (plan_.target_is_bound) {
      auto const* node = row[plan_.target_slot].find_node();
      if (node == nullptr || node->id != target) return false;
    } else {
      row[plan_.target_slot] = Node{plan_.graph, target};
    }
    if (plan_.relation->is_bound) return true;
    List relations;
    relations.reserve(taken_.size());
    for (auto const id : taken_) relations.emplace_back(Relation{plan_.graph, id});
    if (plan_.is_reversed) std::ranges::reverse(relations);
    row[plan_.relation_slot] = std::move(relations);
    return true;
  }

  void clear() override {
    levels_.clear();
    taken_.clear();
    found_.clear();
  }

  std::vector<Level> levels_;
  std::vector<std::uint64_t> taken_;
  std::vector<RelationEnds> found_;
  Map expected_;
  Value bound_list_;
};

/// Each node at the end of a path once: a walk in breadth with a bitmap, instead of the paths themselves.
class Reach final : public Operator {
 public:
  using Operator::Operator;

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (at_ < reached_.size()) {
        row[plan_.target_slot] = Node{plan_.graph, reached_[at_++]};
        return true;
      }
      if (!source_->next(row)) return false;
      auto const* node = row[plan_.slot].find_node();
      reached_.clear();
      at_ = 0;
      if (node == nullptr || node->id >= plan_.graph->node_bound()) continue;
      if (plan_.target_is_bound) {
        auto const* target = row[plan_.target_slot].find_node();
        if (target != nullptr && walk(node->id, target->id)) return true;
        reached_.clear();
        if (state_.failed()) return false;
      } else {
        walk(node->id, std::nullopt);
      }
    }
  }

  /// Walks until `wanted` is found, or to the end. The start is reached by a path of no relation, or on a circle.
  bool walk(std::uint64_t start, std::optional<std::uint64_t> wanted) {
    seen_.assign(plan_.graph->node_bound(), false);
    bool const takes_start = least_of(*plan_.relation) == 0;
    std::vector<std::uint64_t> front{start};
    if (takes_start) {
      seen_[start] = true;
      reached_.push_back(start);
      if (wanted && *wanted == start) return true;
    }
    std::vector<std::uint64_t> next;
    std::vector<RelationEnds> found;
    for (std::uint64_t depth = 0; depth < most_of(*plan_.relation) && !front.empty() && !plan_.has_no_type; ++depth) {
      next.clear();
      for (auto const node : front) {
        found.clear();
        plan_.graph->relations(node, plan_.direction, plan_.types, found);
        if (!state_.spend(found.size() + 1)) return false;
        for (auto const& ends : found) {
          auto const target = other_end(ends, node);
          if (seen_[target]) continue;
          seen_[target] = true;
          reached_.push_back(target);
          if (wanted && *wanted == target) return true;
          if (target != start) next.push_back(target);
        }
      }
      std::swap(front, next);
    }
    return false;
  }

  void clear() override {
    reached_.clear();
    at_ = 0;
  }

  std::vector<bool> seen_;
  std::vector<std::uint64_t> reached_;
  std::size_t at_ = 0;
};

/// Shortest paths between two nodes of the row: a walk in breadth that notes by which relations each node was first reached.
class Shortest final : public Operator {
 public:
  using Operator::Operator;

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (at_ < paths_.size()) {
        auto const& path = paths_[at_++];
        List relations(path.relations.begin(), path.relations.end());
        row[plan_.relation_slot] = std::move(relations);
        row[plan_.path->slot] = path;
        return true;
      }
      if (!source_->next(row)) return false;
      paths_.clear();
      at_ = 0;
      auto const* from = row[plan_.slot].find_node();
      auto const* to = row[plan_.target_slot].find_node();
      Map expected;
      if (from == nullptr || to == nullptr || !expected_of(*plan_.relation, row, state_, expected)) continue;
      auto const bound = plan_.graph->node_bound();
      if (from->id < bound && to->id < bound) search(from->id, to->id, expected);
      if (state_.failed()) return false;
    }
  }

  void search(std::uint64_t from, std::uint64_t to, Map const& expected) {
    bool const wants_all = plan_.path->search == PathSearch::all_shortest;
    if (from == to && least_of(*plan_.relation) == 0) {
      paths_.push_back({.nodes = {Node{plan_.graph, from}}});
      return;
    }
    by_.clear();
    std::unordered_map<std::uint64_t, std::uint64_t> depth_of{{from, 0}};
    std::vector<std::uint64_t> front{from};
    std::vector<RelationEnds> found;
    for (std::uint64_t depth = 1; depth <= most_of(*plan_.relation) && !front.empty() && !plan_.has_no_type; ++depth) {
      std::vector<std::uint64_t> next;
      bool is_found = false;
      for (auto const node : front) {
        found.clear();
        plan_.graph->relations(node, plan_.direction, plan_.types, found);
        if (!state_.spend(found.size() + 1)) return;
        for (auto const& ends : found) {
          auto const target = other_end(ends, node);
          if (!expected.empty() && !has_properties(Value{Relation{plan_.graph, ends.id}}, expected, state_)) continue;
          if (target == to && from == to) {  // a circle: found by its last relation
            add_circle(node, ends, from);
            is_found = true;
            if (!wants_all) return;
            continue;
          }
          auto const [known, is_new] = depth_of.emplace(target, depth);
          if (known->second != depth) continue;
          if (is_new) next.push_back(target);
          if (is_new || wants_all) by_[target].push_back(ends);
          is_found = is_found || target == to;
          if (is_found && !wants_all) break;
        }
        if (is_found && !wants_all) break;
      }
      if (is_found) {
        if (from != to) build(from, to);
        return;
      }
      front = std::move(next);
    }
  }

  /// The first path back to the start along the noted relations, and one relation more.
  void add_circle(std::uint64_t last, RelationEnds const& closing, std::uint64_t start) {
    std::vector<std::uint64_t> relations{closing.id};
    for (auto node = last; node != start;) {
      auto const& ends = by_[node].front();
      if (ends.id == closing.id) return;  // there and back along one relation
      relations.push_back(ends.id);
      node = other_end(ends, node);
    }
    std::ranges::reverse(relations);
    add(start, relations);
  }

  void build(std::uint64_t from, std::uint64_t to) {
    // In depth from the end to the start, one noted relation after the other.
    struct Back {
      std::uint64_t node;
      std::size_t at;
    };
    std::vector<Back> stack{{to, 0}};
    std::vector<std::uint64_t> relations;
    while (!stack.empty()) {
      auto& top = stack.back();
      if (top.node == from) {
        add(from, {relations.rbegin(), relations.rend()});
        if (!state_.hold(64 + relations.size() * 32) || !state_.spend(relations.size() + 1)) return;
      }
      auto const noted = by_.find(top.node);
      if (top.node == from || noted == by_.end() || top.at == noted->second.size()) {
        stack.pop_back();
        if (!relations.empty()) relations.pop_back();
        continue;
      }
      auto const& ends = noted->second[top.at++];
      relations.push_back(ends.id);
      auto const before = other_end(ends, top.node);
      stack.push_back({before, 0});
    }
  }

  void add(std::uint64_t start, std::vector<std::uint64_t> const& relations) {
    Path path;
    path.nodes.push_back(Node{plan_.graph, start});
    for (auto const id : relations) {
      path.relations.push_back(Relation{plan_.graph, id});
      path.nodes.push_back(Node{plan_.graph, other_end(plan_.graph->relation(id), path.nodes.back().id)});
    }
    paths_.push_back(std::move(path));
  }

  void clear() override {
    paths_.clear();
    at_ = 0;
  }

  std::unordered_map<std::uint64_t, std::vector<RelationEnds>> by_;
  std::vector<Path> paths_;
  std::size_t at_ = 0;
};

}  // namespace

OperatorPtr make_path_search(PlanNode const& plan, RunState& state, OperatorPtr source) {
  switch (plan.kind) {
    case OperatorKind::expand_many:
      return std::make_unique<ExpandMany>(plan, state, std::move(source));
    case OperatorKind::reach:
      return std::make_unique<Reach>(plan, state, std::move(source));
    default:
      return std::make_unique<Shortest>(plan, state, std::move(source));
  }
}

}  // namespace whence::queries::cypher
