#pragma once
// The syntax tree of expressions and patterns. The resolver fills in slots; nothing else changes after parsing.

#include "queries/cypher/base/error.hpp"
#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/values/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries::cypher {

struct AtMoment;
struct Function;
struct Pattern;
struct Query;

/// A place in a row; `no_slot`: the variable has no name, or the name no place yet.
using Slot = std::uint32_t;
constexpr Slot no_slot = ~Slot{0};

enum class ExpressionKind : std::uint8_t {
  literal,
  parameter,
  variable,
  property,  ///< operands[0].name
  index,     ///< operands[0][operands[1]]
  slice,     ///< operands[0][operands[1]..operands[2]], either may be absent
  list,
  map,                    ///< names[i]: operands[i]
  map_projection,         ///< operands[0] {...}: names[i] is a key; operands[i + 1] its value; ".*" as a name takes all
  call,                   ///< name(operands), perhaps distinct
  count_all,              ///< count(*)
  operation,              ///< `op` on one or two operands
  comparison,             ///< operands[0] ops[0] operands[1] ops[1] ...
  has_labels,             ///< operands[0]:names
  conditional,            ///< CASE: operands in the order of `name`: t(est) w(hen) t(hen) ... e(lse)
  list_comprehension,     ///< [variable IN operands[0] WHERE operands[1] | operands[2]], the last two may be absent
  quantifier,             ///< name(variable IN operands[0] WHERE operands[1])
  reduce,                 ///< reduce(accumulator = operands[0], variable IN operands[1] | operands[2])
  pattern,                ///< a path pattern that is true where it matches
  pattern_comprehension,  ///< [pattern WHERE operands[0] | operands[1]], the first may be absent
  shortest_path,          ///< shortestPath(pattern) as a value
  exists,                 ///< EXISTS { ... } and COUNT { ... } (`name` is "count")
};

enum class Op : std::uint8_t {
  logical_or,
  logical_xor,
  logical_and,
  logical_not,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  power,
  negate,
  plus,
  in,
  starts_with,
  ends_with,
  contains,
  matches,
  is_null,
  is_not_null,
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  ExpressionKind kind = ExpressionKind::literal;
  Op op = Op::add;
  bool is_distinct = false;
  std::uint32_t depth = 1;  ///< levels of operands below it, and itself
  Place place = {};
  std::string name = {};
  Value value = {};                          ///< of a literal
  std::vector<ExpressionPtr> operands = {};  ///< an absent one is null
  std::vector<std::string> names = {};
  std::vector<Op> ops = {};
  Slot slot = no_slot;         ///< of a variable, of an aggregation's result; of a subquery the first slot of its own
  Slot accumulator = no_slot;  ///< of `reduce`
  std::string accumulator_name = {};
  std::shared_ptr<Pattern> pattern = {};
  std::shared_ptr<Query> query = {};   ///< of EXISTS; a bare pattern becomes a query, too
  Function const* function = nullptr;  ///< of a call, set by the resolver
  AtMoment const* at = nullptr;        ///< of a pattern or subquery: the moment of the MATCH that it is a condition of
};

/// The kind of paths that a pattern finds.
enum class PathSearch : std::uint8_t { all, shortest, all_shortest, strongest };

struct NodePattern {
  std::string name = {};  ///< empty: no variable
  std::vector<std::string> labels = {};
  ExpressionPtr properties = {};  ///< a map or a parameter
  Slot slot = no_slot;
  bool is_bound = false;  ///< the variable is known before the pattern
  Place place = {};
};

struct RelationPattern {
  std::string name = {};
  std::vector<std::string> types = {};  ///< any of these; empty: of any type
  ExpressionPtr properties = {};
  Direction direction = Direction::any;
  bool is_variable = false;                ///< has a `*`
  std::optional<std::int64_t> least = {};  ///< of a variable length; absent: 1
  std::optional<std::int64_t> most = {};   ///< absent: any number
  Slot slot = no_slot;
  bool is_bound = false;
  Place place = {};
};

/// One path: nodes[0] relations[0] nodes[1] ...
struct PathPattern {
  std::string name = {};  ///< `p = (a)-->(b)`
  Slot slot = no_slot;
  PathSearch search = PathSearch::all;
  std::vector<NodePattern> nodes = {};
  std::vector<RelationPattern> relations = {};
  Place place = {};
};

/// The paths of one MATCH. No relation occurs twice in one match.
struct Pattern {
  std::vector<PathPattern> paths = {};
};

}  // namespace whence::queries::cypher
