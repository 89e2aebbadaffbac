#pragma once
// A plan: operators, each taking rows from its source and adding to them. Immutable once it is made.

#include "queries/cypher/syntax/statement.hpp"
#include "queries/cypher/values/property_graph.hpp"

#include <memory>
#include <string>
#include <vector>

namespace whence::queries::cypher {

enum class OperatorKind : std::uint8_t {
  argument,        ///< the row that the plan starts with, once
  scan,            ///< all nodes, or those with a label
  seek,            ///< nodes whose property has a value, by an index
  node_by_id,      ///< the node that a bound value is, or whose id it is
  expand,          ///< relations of a bound node
  expand_many,     ///< paths of a variable length from a bound node
  reach,           ///< nodes at the end of such paths, each once: a walk with a bitmap
  shortest,        ///< shortest paths between two bound nodes
  bound_relation,  ///< ends of a relation that is bound
  make_path,       ///< a path from the slots of its parts
  filter,
  optional,  ///< rows of `inner` for each row, or the row itself with nulls
  unwind,
  project,
  aggregate,
  distinct,
  sort,
  skip,
  limit,
  call,
};

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

struct PlanNode;
using PlanPtr = std::unique_ptr<PlanNode>;

struct PlanNode {
  OperatorKind kind = OperatorKind::argument;
  PlanPtr source = {};
  PlanPtr inner = {};                    ///< of `optional`
  PropertyGraph const* graph = nullptr;  ///< the moment that is read
  double estimate = 1;
  std::string detail = {};
  // Which of these are used depends on the kind.
  Slot slot = no_slot;  ///< what the operator sets, or the start of an expansion
  Slot relation_slot = no_slot;
  Slot target_slot = no_slot;
  bool target_is_bound = false;
  Direction direction = Direction::any;  ///< from `slot` to `target_slot`
  bool is_reversed = false;              ///< the pattern runs from target to slot
  std::vector<NameId> types = {};
  std::optional<NameId> target_label = {};  ///< of an expansion: a label that its types give what they lead to
  bool has_no_type = false;                 ///< the pattern names only types that the graph lacks
  bool defers_properties = false;           ///< of expand_many: a filter behind it checks those of its relations
  std::vector<Slot> other_relations = {};   ///< of the same match, bound before: none of them is taken again
  RelationPattern const* relation = nullptr;
  PathPattern const* path = nullptr;
  std::optional<NameId> label = {};
  bool has_label = false;                  ///< with `label` absent: no node has it
  bool reads_properties = false;           ///< of a scan: the query reads properties of its nodes
  std::string property = {};               ///< of a seek
  Expression const* expression = nullptr;  ///< of a seek, unwind, skip, limit
  std::vector<Predicate> predicates = {};
  std::vector<Slot> null_slots = {};              ///< of `optional`
  std::vector<ProjectionItem const*> items = {};  ///< of project, and the keys of aggregate and distinct
  std::vector<Expression const*> aggregations = {};
  std::vector<OrderItem const*> order = {};
  Expression const* top = nullptr;       ///< of a sort: the limit that follows it
  Expression const* top_skip = nullptr;  ///< and the skip between them
  Clause const* clause = nullptr;        ///< of call
  std::vector<std::vector<Value>> const* given =
      nullptr;  ///< of an argument: the rows it starts with, instead of the one
};

/// The name that `EXPLAIN` shows.
[[nodiscard]] std::string name_of(PlanNode const& node);

}  // namespace whence::queries::cypher
