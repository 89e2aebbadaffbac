// Operators that find the best path between two nodes: the shortest ones, the strongest one.
#include "queries/cypher/evaluate/path_bounds.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/run/predicates.hpp"
#include "queries/cypher/values/weight.hpp"
#include "queries/cypher/walks/meeting.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace whence::queries::cypher {
namespace {

/// Shortest paths between two nodes of the row: a walk in breadth that notes by which relations each node was first
/// reached.
class Shortest final : public StepOperator<ShortestStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    for (;;) {
      if (at_ < paths_.size()) {
        auto const& path = paths_[at_++];
        List relations(path.relations.begin(), path.relations.end());
        row[step_.relation_slot] = std::move(relations);
        row[step_.path->slot] = path;
        return true;
      }
      if (!source_->next(row)) return false;
      clear();
      auto const* from = row[step_.slot].find_node();
      auto const* to = row[step_.target_slot].find_node();
      Map expected;
      if (from == nullptr || to == nullptr || !expected_of(*step_.relation, row, state_, expected)) continue;
      auto const bound = step_.graph->node_bound();
      if (from->id < bound && to->id < bound) search(from->id, to->id, expected);
      if (state_.failed()) return false;
    }
  }

  void search(std::uint64_t from, std::uint64_t to, Map const& expected) {
    auto const most = most_of(*step_.relation);
    if (step_.has_no_type || (from == to && least_of(*step_.relation) == 0)) {
      if (from == to && least_of(*step_.relation) == 0) paths_.push_back({.nodes = {Node{step_.graph, from}}});
      return;
    }
    if (from != to) {
      if (wants_all() || !expected.empty()) return search(from, to, expected, {.most = most});
      if (auto path = meeting_.find(step_, state_, from, to)) paths_.push_back(*std::move(path));
      return;
    }
    // A circle: one relation, and a shortest path back that does not take it again.
    auto const first = relations_of(from, expected);
    std::vector<Path> best;
    Way way{.most = most};
    for (auto const& ends : first) {
      if (way.most == 0 || state_.failed()) break;
      paths_.clear();
      way.first = ends;
      auto const next = ends.other_end(from);
      if (next == from) {
        add(from, {ends});
      } else {
        search(next, from, expected, way);
      }
      if (paths_.empty()) continue;
      auto const length = paths_[0].relations.size();
      if (!best.empty() && length < best[0].relations.size()) best.clear();
      std::ranges::move(paths_, std::back_inserter(best));
      way.most = wants_all() ? length : length - 1;
    }
    paths_ = std::move(best);
  }

  /// How a path is made around a search.
  struct Way {
    std::uint64_t most = 0;                  ///< relations of the whole path
    std::optional<RelationEnds> first = {};  ///< it begins with this relation, which the search leaves out
  };

  [[nodiscard]] bool wants_all() const { return step_.path->search == PathSearch::all_shortest; }

  /// The relations of a node that the pattern may take.
  std::vector<RelationEnds> relations_of(std::uint64_t node, Map const& expected) {
    std::vector<RelationEnds> found;
    step_.graph->relations(node, step_.direction, step_.types, found);
    if (!state_.spend(found.size() + 1)) return {};
    if (!expected.empty()) {
      std::erase_if(found, [&](RelationEnds const& ends) {
        return !has_properties(Value{ends.in(step_.graph)}, expected, state_);
      });
    }
    return found;
  }

  /// The shortest paths between two nodes, behind the relation that comes first.
  void search(std::uint64_t from, std::uint64_t to, Map const& expected, Way const& way) {
    by_.clear();
    std::unordered_map<std::uint64_t, std::uint64_t> depth_of{{from, 0}};
    std::vector<std::uint64_t> front{from};
    for (std::uint64_t depth = way.first ? 2 : 1; depth <= way.most && !front.empty(); ++depth) {
      std::vector<std::uint64_t> next;
      bool is_found = false;
      for (auto const node : front) {
        for (auto const& ends : relations_of(node, expected)) {
          auto const target = ends.other_end(node);
          if (way.first && ends.id == way.first->id) continue;
          auto const [known, is_new] = depth_of.emplace(target, depth);
          if (known->second != depth) continue;
          if (is_new) next.push_back(target);
          if (is_new || wants_all()) by_[target].push_back(ends);
          is_found = is_found || target == to;
          if (is_found && !wants_all()) break;
        }
        if (state_.failed()) return;
        if (is_found && !wants_all()) break;
      }
      if (is_found) return build(from, to, way.first);
      front = std::move(next);
    }
  }

  void build(std::uint64_t from, std::uint64_t to, std::optional<RelationEnds> const& first) {
    // In depth from the end to the start, one noted relation after the other.
    struct Back {
      std::uint64_t node;
      std::size_t at;
    };
    std::vector<Back> stack{{to, 0}};
    std::vector<RelationEnds> relations;
    while (!stack.empty()) {
      auto& top = stack.back();
      if (top.node == from) {
        std::vector<RelationEnds> whole;
        if (first) whole.push_back(*first);
        whole.insert(whole.end(), relations.rbegin(), relations.rend());
        add(first ? to : from, whole);
        auto const bytes = 64 + whole.size() * (sizeof(Node) + sizeof(Relation));
        held_ += bytes;
        if (!state_.hold(bytes) || !state_.spend(whole.size() + 1)) return;
      }
      auto const noted = by_.find(top.node);
      if (top.node == from || noted == by_.end() || top.at == noted->second.size()) {
        stack.pop_back();
        if (!relations.empty()) relations.pop_back();
        continue;
      }
      auto const& ends = noted->second[top.at++];
      relations.push_back(ends);
      auto const before = ends.other_end(top.node);
      stack.push_back({before, 0});
    }
  }

  void add(std::uint64_t start, std::vector<RelationEnds> const& relations) {
    Path path;
    path.nodes.push_back(Node{step_.graph, start});
    for (auto const& ends : relations) {
      path.relations.push_back(ends.in(step_.graph));
      path.nodes.push_back(Node{step_.graph, ends.other_end(path.nodes.back().id)});
    }
    paths_.push_back(std::move(path));
  }

  void clear() override {
    paths_.clear();
    at_ = 0;
    state_.release(std::exchange(held_, 0));
  }

  Meeting meeting_;
  std::unordered_map<std::uint64_t, std::vector<RelationEnds>> by_;
  std::vector<Path> paths_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;
};

/// The path whose weights have the largest product (Dijkstra); of equal ones that with fewer relations. A weight above
/// 1 counts as 1, so that no circle makes a path stronger.
class Strongest final : public StepOperator<ShortestStep> {
 public:
  using StepOperator::StepOperator;

 private:
  struct Reached {
    double weight = 0;
    std::uint64_t length = 0;
    RelationEnds by = {};
    bool is_settled = false;
  };
  struct Open {
    double weight;
    std::uint64_t length;
    std::uint64_t node;
    bool operator<(Open const& other) const {
      if (weight != other.weight) return weight < other.weight;
      return length != other.length ? length > other.length : node > other.node;
    }
  };

  bool pull(Row& row) override {
    while (source_->next(row)) {
      auto const* from = row[step_.slot].find_node();
      auto const* to = row[step_.target_slot].find_node();
      Map expected;
      if (from == nullptr || to == nullptr || !expected_of(*step_.relation, row, state_, expected)) continue;
      auto const bound = step_.graph->node_bound();
      if (from->id >= bound || to->id >= bound) continue;
      auto const path = from->id == to->id ? around(from->id, expected) : search(from->id, to->id, expected, {});
      if (state_.failed()) return false;
      if (!path) continue;
      row[step_.relation_slot] = List(path->relations.begin(), path->relations.end());
      row[step_.path->slot] = *path;
      return true;
    }
    return false;
  }

  /// The strongest circle: one relation, and the strongest path back that does not take it again.
  std::optional<Path> around(std::uint64_t node, Map const& expected) {
    if (least_of(*step_.relation) == 0) return Path{.nodes = {Node{step_.graph, node}}};
    std::vector<RelationEnds> first;
    if (!step_.has_no_type) step_.graph->relations(node, step_.direction, step_.types, first);
    if (!state_.spend(first.size() + 1)) return std::nullopt;
    std::optional<Path> best;
    double best_weight = 0;
    for (auto const& ends : first) {
      auto const relation = ends.in(step_.graph);
      if (!expected.empty() && !has_properties(Value{relation}, expected, state_)) continue;
      auto const next = ends.other_end(node);
      auto rest = next == node ? Path{.nodes = {Node{step_.graph, node}}} : search(next, node, expected, ends.id);
      if (state_.failed()) return std::nullopt;
      if (!rest) continue;
      rest->nodes.insert(rest->nodes.begin(), Node{step_.graph, node});
      rest->relations.insert(rest->relations.begin(), relation);
      double weight = 1;
      for (auto const& each : rest->relations) weight *= std::clamp(weight_of(each), 0.0, 1.0);
      bool const is_better =
          !best || weight > best_weight || (weight == best_weight && rest->relations.size() < best->relations.size());
      if (!is_better) continue;
      best = std::move(rest);
      best_weight = weight;
    }
    return best;
  }

  std::optional<Path> search(std::uint64_t from, std::uint64_t to, Map const& expected,
                             std::optional<std::uint64_t> left_out) {
    std::unordered_map<std::uint64_t, Reached> reached{{from, {.weight = 1}}};
    std::priority_queue<Open> open;
    std::vector<RelationEnds> found;
    open.push({1, 0, from});
    while (!open.empty()) {
      auto const top = open.top();
      open.pop();
      auto& here = reached[top.node];
      if (std::exchange(here.is_settled, true)) continue;
      if (top.node == to) return path_to(from, to, reached);
      if (step_.has_no_type) continue;
      found.clear();
      step_.graph->relations(top.node, step_.direction, step_.types, found);
      if (!state_.spend(found.size() + 1)) return std::nullopt;
      for (auto const& ends : found) {
        if (ends.id == left_out) continue;
        auto const relation = ends.in(step_.graph);
        if (!expected.empty() && !has_properties(Value{relation}, expected, state_)) continue;
        auto const target = ends.other_end(top.node);
        auto const weight = top.weight * std::clamp(weight_of(relation), 0.0, 1.0);
        auto const [known, is_new] = reached.try_emplace(target);
        auto& there = known->second;
        bool const is_better =
            is_new || weight > there.weight || (weight == there.weight && top.length + 1 < there.length);
        if (there.is_settled || !is_better) continue;
        there = {.weight = weight, .length = top.length + 1, .by = ends};
        open.push({weight, top.length + 1, target});
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Path path_to(std::uint64_t from, std::uint64_t to,
                             std::unordered_map<std::uint64_t, Reached> const& reached) const {
    Path path;
    path.nodes.push_back(Node{step_.graph, to});
    for (auto node = to; node != from;) {
      auto const& by = reached.at(node).by;
      path.relations.push_back(by.in(step_.graph));
      node = by.other_end(node);
      path.nodes.push_back(Node{step_.graph, node});
    }
    std::ranges::reverse(path.nodes);
    std::ranges::reverse(path.relations);
    return path;
  }
};

}  // namespace

OperatorPtr OperatorMaker::operator()(ShortestStep const& step) {
  return step.path->search == PathSearch::strongest ? make<Strongest>() : make<Shortest>();
}

}  // namespace whence::queries::cypher
