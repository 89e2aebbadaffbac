#pragma once
// Names, types and rules of a statement, before it runs: fills in slots, and finds what openCypher refuses at compile
// time.

#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/state/procedures.hpp"
#include "queries/cypher/syntax/statement.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whence::queries::cypher {

/// What is known of a value before the query runs.
struct StaticType {
  TypeMask mask = any_type;
  TypeMask elements = any_type;  ///< of a list
};

struct Binding {
  Slot slot = no_slot;
  StaticType type = {};
};

using Scope = std::map<std::string, Binding, std::less<>>;

/// Resolves one statement. The first error stays; what follows it is not looked at.
class Resolver {
 public:
  Resolver(Statement& statement, Procedures const* procedures) : statement_(statement), procedures_(procedures) {}

  [[nodiscard]] std::optional<QueryError> run();

 private:
  /// Where an expression is.
  struct Context {
    std::vector<Expression const*>* aggregations = nullptr;  ///< where aggregations are noted; null: they are refused
    bool may_be_pattern = false;                             ///< a bare pattern is a condition here
  };

  // Clauses (resolver.cpp).
  void query(Query& query, Scope const& outer, bool is_whole);
  void single(SingleQuery& part, Scope scope, bool is_whole);
  void match(Clause& clause, Scope& scope);
  void unwind(Clause& clause, Scope& scope);
  void call(Clause& clause, Scope& scope, bool is_standalone);
  void call_arguments(Clause& clause, Scope& scope, bool is_standalone);
  void moment(std::optional<AtMoment>& at);

  // WITH and RETURN (projection.cpp).
  void projection(Clause& clause, Scope& scope);
  void items(Projection& projection, Scope const& before, Scope& after);
  struct Grouped;
  void grouped(Projection& projection);
  void ordered(ExpressionPtr& expression, Projection const& projection, Scope const& before, Scope const& after,
               bool is_condition);
  void substitute(ExpressionPtr& expression, Projection const& projection, bool simple_only);
  void bound(ExpressionPtr& expression, std::string_view what);

  // Patterns (patterns.cpp).
  void pattern(Pattern& pattern, Scope& scope, bool may_bind);
  void node(NodePattern& node, Scope& scope, bool may_bind);
  void relation(RelationPattern& relation, Scope& scope, bool may_bind, std::vector<std::string>& seen);

  // Expressions (expressions.cpp).
  struct Forms;
  StaticType expression(Expression& expression, Scope& scope, Context place);
  void condition(Expression& expression, Scope& scope, Context place);

  void names(NameKind kind, std::vector<std::string> const& names, Place place);
  void names_of_properties(Expression const* properties);
  Slot new_slot() { return statement_.slots++; }
  void fail(Place place, std::string detail, std::string message, ErrorKind kind = ErrorKind::syntax_error);
  [[nodiscard]] bool failed() const { return error_.has_value(); }

  Statement& statement_;
  Procedures const* procedures_;
  AtMoment const* at_ = nullptr;  ///< of the MATCH that is being resolved, or of the whole statement
  std::optional<QueryError> error_;
  std::set<std::pair<NameKind, std::string>, std::less<>> named_;  ///< what `statement_.names` has
};

}  // namespace whence::queries::cypher
