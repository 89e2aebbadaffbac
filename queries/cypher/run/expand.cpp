// Operators along single relations: expanding, the ends of a bound relation, putting paths together.
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/run/predicates.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

class Expand final : public StepOperator<ExpandStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    if (step_.has_no_type) return false;
    for (;;) {
      while (at_ < found_.size()) {
        auto const& ends = found_[at_++];
        auto const target = ends.other_end(from_);
        if (is_taken(ends.id, step_.other_relations, row)) continue;
        if (step_.target_is_bound) {
          auto const* node = row[step_.target_slot].find_node();
          if (node == nullptr || node->id != target) continue;
        } else {
          row[step_.target_slot] = Node{step_.graph, target};
        }
        row[step_.relation_slot] = ends.in(step_.graph);
        return true;
      }
      if (!source_->next(row)) return false;
      found_.clear();
      at_ = 0;
      auto const* node = row[step_.slot].find_node();
      if (node == nullptr || node->id >= step_.graph->node_bound()) continue;
      from_ = node->id;
      step_.graph->relations(from_, step_.direction, step_.types, found_);
      if (!state_.spend(found_.size() + 1)) return false;
    }
  }
  void clear() override {
    found_.clear();
    at_ = 0;
  }

  std::vector<RelationEnds> found_;
  std::size_t at_ = 0;
  std::uint64_t from_ = 0;
};

/// The ends of a relation that the row has already, in the one or two ways that the pattern allows.
class BoundRelation final : public StepOperator<BoundRelationStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    for (;;) {
      while (way_ < 2) {
        auto const is_forward = way_++ == 0;
        if (is_forward ? step_.direction == Direction::in : step_.direction == Direction::out) continue;
        if (!is_forward && step_.direction == Direction::any && ends_.from == ends_.to) continue;
        if (take(row, step_.slot, step_.start_is_bound, is_forward ? ends_.from : ends_.to) &&
            take(row, step_.target_slot, step_.target_is_bound || step_.target_slot == step_.slot,
                 is_forward ? ends_.to : ends_.from)) {
          return true;
        }
      }
      if (!source_->next(row)) return false;
      auto const* relation = row[step_.relation_slot].find_relation();
      if (relation == nullptr || is_taken(relation->id, step_.other_relations, row) ||
          !has_relation(*step_.graph, *relation))
        continue;
      ends_ = *relation;
      bool const fits = step_.relation->types.empty() ||
                        std::ranges::find(step_.types, step_.graph->type_of(ends_)) != step_.types.end();
      if (fits) way_ = 0;
    }
  }
  void clear() override { way_ = 2; }

  /// Binds a node, or compares it with the one that is bound.
  bool take(Row& row, Slot slot, bool is_bound, std::uint64_t id) const {
    if (!is_bound) {
      row[slot] = Node{step_.graph, id};
      return true;
    }
    auto const* node = row[slot].find_node();
    return node != nullptr && node->id == id;
  }

  Relation ends_;
  int way_ = 2;
};

class MakePath final : public StepOperator<MakePathStep> {
 public:
  using StepOperator::StepOperator;

 private:
  bool pull(Row& row) override {
    while (source_->next(row)) {
      auto const& pattern = *step_.path;
      auto const* first = row[pattern.nodes[0].slot].find_node();
      if (first == nullptr) continue;
      Path path;
      path.nodes.push_back(Node{plan_.graph, first->id});
      for (auto const& relation : pattern.relations) add(path, row[relation.slot]);
      row[step_.path->slot] = std::move(path);
      return true;
    }
    return false;
  }

  static void add(Path& path, Value const& value) {
    if (auto const* relation = value.find_relation()) return add(path, *relation);
    auto const* list = value.find_list();
    if (list == nullptr) return;
    for (auto const& each : *list) {
      if (auto const* relation = each.find_relation()) add(path, *relation);
    }
  }
  static void add(Path& path, Relation const& relation) {
    path.relations.push_back(relation);
    path.nodes.push_back(Node{relation.graph, relation.other_end(path.nodes.back().id)});
  }
};

}  // namespace

OperatorPtr OperatorMaker::operator()(ExpandStep const&) {
  return make<Expand>();
}
OperatorPtr OperatorMaker::operator()(BoundRelationStep const&) {
  return make<BoundRelation>();
}
OperatorPtr OperatorMaker::operator()(MakePathStep const&) {
  return make<MakePath>();
}

}  // namespace whence::queries::cypher
