// Operators along many relations: all paths of a variable length, reachable nodes.
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/run/path_bounds.hpp"
#include "queries/cypher/run/predicates.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

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
    if (node == nullptr || node->id >= plan_.graph->node_bound() ||
        (!plan_.defers_properties && !expected_of(*plan_.relation, row, state_, expected_)))
      return false;
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
    if (taken_.size() < most_of(*plan_.relation) && !plan_.has_no_type)
      plan_.graph->relations(node, plan_.direction, plan_.types, found_);
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
        is_taken(ends.id, plan_.other_relations, row))
      return false;
    if (!expected_.empty() && !has_properties(Value{ends.in(plan_.graph)}, expected_, state_)) return false;
    taken_.push_back(ends);
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
    return relation != nullptr && relation->id == taken_.back().id;
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
    for (auto const& ends : taken_) relations.emplace_back(ends.in(plan_.graph));
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
  std::vector<RelationEnds> taken_;
  std::vector<RelationEnds> found_;
  Map expected_;
  Value bound_list_;
};

/// Whether a walk in breadth along undirected relations meets a circle through its start: a path with no relation
/// twice that comes back. Each node knows by which relation of the start it was reached (its branch). Two nodes of
/// different branches are joined to the start by ways that share no relation, so a relation between them closes a
/// circle; the shortest circle is found so, because its ends lie in different branches.
class CircleSearch {
 public:
  explicit CircleSearch(RunState& state) : state_(state) {}
  ~CircleSearch() { state_.release(bytes_); }
  CircleSearch(CircleSearch const&) = delete;
  CircleSearch& operator=(CircleSearch const&) = delete;

  /// Begins a walk. False: there is no memory for it.
  bool begin(std::uint64_t node_bound, std::uint64_t start, std::uint64_t most) {
    start_ = start;
    most_ = most;
    is_found_ = false;
    first_relations_.clear();
    if (branches_.size() < node_bound) {
      auto const more = (node_bound - branches_.size()) * (sizeof(std::uint32_t) + 1);
      bytes_ += more;
      if (!state_.hold(more)) return false;
      branches_.resize(node_bound);
    }
    is_level_done_.assign(node_bound, false);
    return true;
  }

  /// `node`, at `depth` from the start, has this relation to `other`, which was reached by it just now, or before.
  void meet(std::uint64_t node, std::uint64_t depth, std::uint64_t other, std::uint64_t relation, bool is_new) {
    if (node == start_) {
      if (other == start_ || !is_new) return close(other == start_ ? 1 : 2);
      branches_[other] = static_cast<std::uint32_t>(first_relations_.size());
      first_relations_.push_back(relation);
    } else if (is_new) {
      branches_[other] = branches_[node];
    } else if (other == start_) {
      if (relation != first_relations_[branches_[node]]) close(depth + 1);
    } else if (branches_[other] != branches_[node]) {
      close(depth + 1 + depth + (is_level_done_[other] ? 0 : 1));
    }
  }
  /// `node` is of the level that is walked from next.
  void finish(std::uint64_t node) { is_level_done_[node] = true; }

  [[nodiscard]] bool is_found() const noexcept { return is_found_; }

 private:
  void close(std::uint64_t length) { is_found_ = is_found_ || length <= most_; }

  RunState& state_;
  std::uint64_t start_ = 0;
  std::uint64_t most_ = 0;
  bool is_found_ = false;
  std::vector<std::uint32_t> branches_;         ///< by node, of those that were reached: places in `first_relations_`
  std::vector<std::uint64_t> first_relations_;  ///< of the start, each the first on the way to its branch
  std::vector<bool> is_level_done_;             ///< nodes of the level that is walked from, and of those before
  std::uint64_t bytes_ = 0;
};

/// Each node at the end of a path once: a walk in breadth with a bitmap, instead of the paths themselves. To another
/// node than the start the shortest walk is a path; back to the start a walk along undirected relations may be none.
class Reach final : public Operator {
 public:
  Reach(PlanNode const& plan, RunState& state, OperatorPtr source)
      : Operator(plan, state, std::move(source)), circle_(state) {}

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
    auto const most = most_of(*plan_.relation);
    bool const takes_start = least_of(*plan_.relation) == 0;
    bool const seeks_circle =
        plan_.direction == Direction::any && !takes_start && (!wanted || *wanted == start) && !plan_.has_no_type;
    seen_.assign(plan_.graph->node_bound(), false);
    if (seeks_circle && !circle_.begin(plan_.graph->node_bound(), start, most)) return false;
    // Undirected, the start is met again on the way back from every neighbour, which is no path.
    if (takes_start || plan_.direction == Direction::any) seen_[start] = true;
    std::vector<std::uint64_t> front{start};
    if (takes_start) {
      reached_.push_back(start);
      if (wanted && *wanted == start) return true;
    }
    std::vector<std::uint64_t> next;
    std::vector<RelationEnds> found;
    bool is_on_circle = false;
    for (std::uint64_t depth = 0; depth < most && !front.empty() && !plan_.has_no_type; ++depth) {
      next.clear();
      if (seeks_circle) std::ranges::for_each(front, [&](std::uint64_t node) { circle_.finish(node); });
      for (auto const node : front) {
        found.clear();
        plan_.graph->relations(node, plan_.direction, plan_.types, found);
        if (!state_.spend(found.size() + 1)) return false;
        for (auto const& ends : found) {
          auto const target = ends.other_end(node);
          bool const is_new = !seen_[target];
          if (seeks_circle && !is_on_circle) {
            circle_.meet(node, depth, target, ends.id, is_new);
            if (circle_.is_found()) {
              is_on_circle = true;
              reached_.push_back(start);
              if (wanted) return true;
            }
          }
          if (!is_new) continue;
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

  CircleSearch circle_;
  std::vector<bool> seen_;
  std::vector<std::uint64_t> reached_;
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
      return make_best_path(plan, state, std::move(source));
  }
}

}  // namespace whence::queries::cypher
