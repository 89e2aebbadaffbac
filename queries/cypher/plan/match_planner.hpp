#pragma once
// The plan of one pattern: the cheapest start, then the cheapest next relation, conditions as soon as they can be
// checked.

#include "queries/cypher/plan/plan.hpp"
#include "queries/cypher/state/state.hpp"

#include <span>
#include <vector>

namespace whence::queries::cypher {

/// Plans one pattern and is then used up.
class MatchPlanner {
 public:
  /// `property_reads`: the slots of which the query reads properties; outlives this. `counts_once`: how often a row
  /// comes does not matter, so a walk may find each end once. `state` is asked whether to go on with a long plan; where
  /// it has failed, the plan is incomplete.
  MatchPlanner(PropertyGraph const* graph, std::vector<bool> bound, bool counts_once,
               std::vector<bool> const& property_reads, RunState& state)
      : graph_(graph),
        bound_(std::move(bound)),
        counts_once_(counts_once),
        property_reads_(property_reads),
        state_(state) {}

  /// Nodes from which a relation need only be counted, not followed, where its type says enough of the other end.
  void set_counted(std::vector<NodePattern const*> ends) { counted_ends_ = std::move(ends); }
  [[nodiscard]] PlanPtr run(PlanPtr source, Pattern const& pattern, Expression const* where);
  /// What is bound after it.
  [[nodiscard]] std::vector<bool> const& bound() const noexcept { return bound_; }

 private:
  struct Step {
    RelationPattern const* relation = nullptr;
    PathPattern const* path = nullptr;
    NodePattern const* from = nullptr;
    NodePattern const* to = nullptr;
    bool is_done = false;
  };

  void gather(Pattern const& pattern, Expression const* where);
  void add_condition(Expression const& condition);
  void check(PlanPtr& plan, bool is_last);
  [[nodiscard]] bool start(PlanPtr& plan);
  /// The start whose relations are counted, if that is less work than following those of a start with `cost` nodes.
  [[nodiscard]] NodePattern const* counted_start(double cost) const;
  [[nodiscard]] bool by_value(PlanPtr& plan);
  void scan(PlanPtr& plan, NodePattern const& node);
  [[nodiscard]] double nodes_of(NodePattern const& node) const;
  [[nodiscard]] static bool is_known_before(Expression const& value, Slot node);
  [[nodiscard]] Predicate const* find_seek(NodePattern const& node, std::string& property,
                                           Expression const*& value) const;
  /// Counts what choosing among many looks at.
  [[nodiscard]] bool may_go_on() const;
  /// `is_last`: nothing else can be bound first.
  [[nodiscard]] bool expand(PlanPtr& plan, bool is_last);
  /// Whether all that the expression reads is bound; also where there is none.
  [[nodiscard]] bool knows(Expression const* expression) const;
  void expand(PlanPtr& plan, Step& step);
  void shortest(PlanPtr& plan, Step& step);
  /// The conditions on labels that the types of an expansion fulfil need no check: by the rules of the edge types
  /// `USED_IN` leads to a `Response`.
  void drop_implied_labels(ExpandStep& expansion);
  [[nodiscard]] bool are_implied(std::vector<std::string> const& labels, std::span<NameId const> types,
                                 Direction direction) const;
  [[nodiscard]] std::vector<NameId> types_of(RelationPattern const& relation) const;
  void add_properties(Expression const& properties, Slot slot);
  [[nodiscard]] Expansion expansion_of(Step const& step, bool is_reversed) const;
  [[nodiscard]] static std::string detail_of(Step const& step, bool is_reversed);
  [[nodiscard]] double fan_out(RelationPattern const& relation) const;
  [[nodiscard]] double estimate_of(Step const& step, double rows) const;
  [[nodiscard]] bool may_reach(Step const& step) const;

  PropertyGraph const* graph_;
  std::vector<bool> bound_;
  bool counts_once_;
  std::vector<bool> const& property_reads_;
  RunState& state_;
  std::vector<NodePattern const*> nodes_;
  std::vector<NodePattern const*> counted_ends_;
  std::vector<Step> steps_;
  std::vector<Predicate> open_;  ///< conditions that no operator checks yet
  std::vector<Slot> done_relations_;
  std::vector<bool> paths_needed_;  ///< slots of relations that a named path shows
};

}  // namespace whence::queries::cypher
