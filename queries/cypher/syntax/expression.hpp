#pragma once
// The syntax tree of expressions and patterns. The resolver fills in slots; nothing else changes after parsing.

#include "queries/cypher/base/error.hpp"
#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/values/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries::cypher {

struct AtMoment;
struct Function;
struct Pattern;
struct Query;

/// A place in a row; `no_slot`: the variable has no name, or the name no place yet.
using Slot = std::uint32_t;
constexpr Slot no_slot = ~Slot{0};

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

// What an expression is. The comments say what its operands are; slots and functions are set by the resolver.

struct Literal {
  Value value = {};
};
struct Named {
  std::string name = {};
};
struct Parameter : Named {};
struct Variable : Named {
  Slot slot = no_slot;
};
/// operands[0].name
struct PropertyLookup : Named {};
/// operands[0][operands[1]]
struct ElementLookup {};
/// operands[0][operands[1]..operands[2]], either end may be absent
struct SliceLookup {};
struct ListLiteral {};
/// {keys[i]: operands[i]}
struct MapLiteral {
  std::vector<std::string> keys = {};
};
/// operands[0] {...}: operands[i + 1] is the value of keys[i]; absent for the key ".*", which takes all
struct MapProjection {
  std::vector<std::string> keys = {};
};
/// name(operands); count(*) has none
struct Invocation {
  std::string name = {};
  bool is_distinct = false;
  bool counts_rows = false;  ///< count(*)
  Function const* function = nullptr;
  Slot slot = no_slot;  ///< of an aggregation's result
};
/// An operator on one or two operands.
struct Operation {
  Op op = Op::add;
};
/// operands[0] ops[0] operands[1] ops[1] ...
struct Comparison {
  std::vector<Op> ops = {};
};
/// operands[0]:labels
struct LabelTest {
  std::vector<std::string> labels = {};
};
/// CASE: the test, if it has one, a pair of WHEN and THEN for each branch, and perhaps ELSE
struct Conditional {
  bool has_test = false;
};
/// [element IN operands[0] WHERE operands[1] | operands[2]], the last two may be absent
struct ListComprehension {
  Variable element = {};
};
/// all(element IN operands[0] WHERE operands[1]), the last may be absent
struct Quantifier {
  enum class Kind : std::uint8_t { all, any, none, single } kind = Kind::all;
  Variable element = {};
};
/// reduce(accumulator = operands[0], element IN operands[1] | operands[2])
struct Reduction {
  Variable accumulator = {};
  Variable element = {};
};
/// What a pattern and a subquery inside of an expression start from.
struct SubqueryStart {
  Slot slot = no_slot;           ///< the first slot of its own
  AtMoment const* at = nullptr;  ///< the moment of the MATCH that it is a condition of
};
struct PatternSearch {
  enum class Kind : std::uint8_t {
    test,           ///< true where the pattern matches
    comprehension,  ///< [pattern WHERE operands[0] | operands[1]], the first may be absent
    shortest_path,  ///< shortestPath(pattern) as a value
  } kind = Kind::test;
  std::shared_ptr<Pattern> pattern = {};
  SubqueryStart start = {};
};
/// EXISTS { ... } and COUNT { ... }; a bare pattern in it becomes a query, too.
struct Subquery {
  bool is_count = false;
  std::shared_ptr<Query> query = {};
  SubqueryStart start = {};
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  std::variant<Literal, Parameter, Variable, PropertyLookup, ElementLookup, SliceLookup, ListLiteral, MapLiteral,
               MapProjection, Invocation, Operation, Comparison, LabelTest, Conditional, ListComprehension, Quantifier,
               Reduction, PatternSearch, Subquery>
      form = {};
  Place place = {};
  std::vector<ExpressionPtr> operands = {};  ///< an absent one is null
  std::uint32_t depth = 1;                   ///< levels of operands below it, and itself

  template <class... Forms>
  [[nodiscard]] bool is() const noexcept {
    return (std::holds_alternative<Forms>(form) || ...);
  }
  /// Null where it is something else.
  template <class Form>
  [[nodiscard]] Form const* find() const noexcept {
    return std::get_if<Form>(&form);
  }
};

template <class Form, class... Operands>
[[nodiscard]] ExpressionPtr make_expression(Form form, Place place, Operands... operands) {
  auto made = std::make_unique<Expression>(Expression{.form = std::move(form), .place = place});
  (made->operands.push_back(std::move(operands)), ...);
  return made;
}

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
