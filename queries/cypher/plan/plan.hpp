#pragma once
// A plan: operators, each taking rows from its source and adding to them. Immutable once it is made.

#include "queries/cypher/syntax/statement.hpp"
#include "queries/cypher/values/property_graph.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace whence::queries::cypher {

/// A condition of a filter.
struct Predicate {
  enum class Kind : std::uint8_t { condition, labels, properties, bound_node } kind = Kind::condition;
  Expression const* expression = nullptr;  ///< the condition, or the map of properties
  Slot slot = no_slot;                     ///< of the node or relation with the labels or properties
  std::vector<std::string> const* labels = nullptr;
  std::vector<Slot> needs = {};  ///< what is bound before it is checked
  bool needs_all = false;        ///< it is checked last
  double selectivity = 1;
};
constexpr std::array<std::string_view, 4> enum_names(Predicate::Kind) noexcept {
  return {"condition", "labels", "properties", "bound"};
}

struct PlanNode;
using PlanPtr = std::unique_ptr<PlanNode>;

// What an operator does.

/// The row that the plan starts with, once.
struct ArgumentStep {
  std::vector<std::vector<Value>> const* given = nullptr;  ///< the rows it starts with, instead of the one
};
/// All nodes, or those with a label.
struct ScanStep {
  Slot slot = no_slot;
  bool has_label = false;  ///< with `label` absent: no node has it
  std::optional<NameId> label = {};
  bool reads_properties = false;  ///< the query reads properties of its nodes
};
/// Nodes whose property has a value, by an index.
struct SeekStep {
  Slot slot = no_slot;
  std::optional<NameId> label = {};
  std::string property = {};
  Expression const* value = nullptr;
};
/// The node that a bound value is, or whose id it is.
struct ByIdStep {
  Slot slot = no_slot;
  Expression const* value = nullptr;
};
/// What all have in common that go along relations: from the node of `slot`, which is bound, to that of `target_slot`.
struct Expansion {
  PropertyGraph const* graph = nullptr;  ///< as that of its node
  Slot slot = no_slot;
  Slot relation_slot = no_slot;
  Slot target_slot = no_slot;
  bool target_is_bound = false;
  Direction direction = Direction::any;  ///< from `slot` to `target_slot`
  std::vector<NameId> types = {};
  bool has_no_type = false;                ///< the pattern names only types that the graph lacks
  std::vector<Slot> other_relations = {};  ///< of the same match, bound before: none of them is taken again
  RelationPattern const* relation = nullptr;
};
/// Relations of a bound node.
struct ExpandStep : Expansion {
  std::optional<NameId> target_label = {};  ///< that the types give what they lead to
};
/// Paths of a variable length from a bound node.
struct ExpandManyStep : Expansion {
  bool is_reversed = false;        ///< the pattern runs from target to slot
  bool defers_properties = false;  ///< a filter behind it checks those of its relations
};
/// Nodes at the end of such paths, each once: a walk with a bitmap.
struct ReachStep : Expansion {};
/// The best paths between two bound nodes.
struct ShortestStep : Expansion {
  PathPattern const* path = nullptr;
};
/// The ends of a relation that is bound.
struct BoundRelationStep : Expansion {
  bool start_is_bound = false;
};
/// A path from the slots of its parts.
struct MakePathStep {
  PathPattern const* path = nullptr;
};
struct FilterStep {
  std::vector<Predicate> predicates = {};
};
/// Rows of `inner` for each row, or the row itself with nulls.
struct OptionalStep {
  PlanPtr inner = {};
  std::vector<Slot> null_slots = {};
};
struct UnwindStep {
  Slot slot = no_slot;
  Expression const* list = nullptr;
};
struct ProjectStep {
  std::vector<ProjectionItem const*> items = {};
};
struct AggregateStep {
  std::vector<ProjectionItem const*> keys = {};
  std::vector<Expression const*> aggregations = {};
};
struct DistinctStep {
  std::vector<ProjectionItem const*> items = {};
};
struct SortStep {
  std::vector<OrderItem const*> order = {};
  Expression const* limit = nullptr;  ///< the limit that follows it
  Expression const* skip = nullptr;   ///< and the skip between them
};
struct SkipStep {
  Expression const* count = nullptr;
};
struct LimitStep {
  Expression const* count = nullptr;
};
struct CallStep {
  Clause const* clause = nullptr;
};

struct PlanNode {
  using Step = std::variant<ArgumentStep, ScanStep, SeekStep, ByIdStep, ExpandStep, ExpandManyStep, ReachStep,
                            ShortestStep, BoundRelationStep, MakePathStep, FilterStep, OptionalStep, UnwindStep,
                            ProjectStep, AggregateStep, DistinctStep, SortStep, SkipStep, LimitStep, CallStep>;
  Step step = {};
  PropertyGraph const* graph = nullptr;  ///< the moment that is read
  PlanPtr source = {};
  double estimate = 1;
  std::string detail = {};

  /// Null where it is another step.
  template <class Wanted>
  [[nodiscard]] Wanted const* find() const noexcept {
    return std::get_if<Wanted>(&step);
  }
};

/// Puts an operator behind the last one of a plan.
void put(PlanPtr& plan, PropertyGraph const* graph, PlanNode::Step step, double estimate, std::string detail = {});
/// The name that `EXPLAIN` shows.
[[nodiscard]] std::string name_of(PlanNode const& node);

}  // namespace whence::queries::cypher
