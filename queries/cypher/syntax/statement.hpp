#pragma once
// The syntax tree of clauses, of queries, and of a whole statement.

#include "queries/cypher/base/names.hpp"
#include "queries/cypher/syntax/expression.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries::cypher {

struct Procedure;

struct ProjectionItem {
  ExpressionPtr expression = {};
  std::string name = {};  ///< of the column: the alias, or the expression's text
  bool has_alias = false;
  bool is_aggregating = false;  ///< set by the resolver
  Slot slot = no_slot;
};

struct OrderItem {
  ExpressionPtr expression = {};
  bool is_descending = false;
};

/// What WITH and RETURN have in common.
struct Projection {
  bool is_distinct = false;
  bool has_star = false;  ///< `*` first; the resolver adds its items
  std::vector<ProjectionItem> items = {};
  std::vector<OrderItem> order = {};
  ExpressionPtr skip = {};
  ExpressionPtr limit = {};
  std::vector<Expression const*> aggregations = {};  ///< the calls in items and order, set by the resolver
  std::vector<ProjectionItem> hidden_keys = {};      ///< grouped by, and no columns; set by the resolver
  [[nodiscard]] bool is_aggregating() const { return !aggregations.empty(); }
};

/// `AT TX expression` or `AT TIME expression`; without variables.
struct AtMoment {
  bool is_time = false;
  ExpressionPtr expression = {};
  Place place = {};
};

enum class ClauseKind : std::uint8_t { match, unwind, with, returning, call, create, remove };

struct Yield {
  std::string column = {};
  std::string name = {};
  Slot slot = no_slot;
  std::size_t index = 0;  ///< of the column in the procedure's row
};

struct Clause {
  ClauseKind kind = ClauseKind::match;
  Place place = {};
  bool is_optional = false;         ///< OPTIONAL MATCH
  Pattern pattern = {};             ///< of MATCH and CREATE
  std::optional<AtMoment> at = {};  ///< of MATCH
  ExpressionPtr where = {};         ///< of MATCH, WITH and YIELD
  ExpressionPtr expression = {};    ///< of UNWIND
  std::string name = {};            ///< of UNWIND's variable, the procedure, the writing clause
  Slot slot = no_slot;
  Projection projection = {};                 ///< of WITH and RETURN
  std::vector<ExpressionPtr> arguments = {};  ///< of CALL and DELETE
  bool has_arguments = false;                 ///< CALL name(...), not CALL name
  bool has_yield = false;
  bool yields_all = false;  ///< YIELD *
  std::vector<Yield> yields = {};
  Procedure const* procedure = nullptr;
};

/// Clauses up to RETURN.
struct SingleQuery {
  std::vector<Clause> clauses = {};
};

/// One or more queries joined by UNION.
struct Query {
  std::vector<SingleQuery> parts = {};
  std::vector<bool> keeps_all = {};  ///< per UNION: whether it is UNION ALL
  std::vector<Place> union_places = {};
};

enum class ExplainMode : std::uint8_t { none, explain, profile };

struct Statement {
  std::string text = {};
  ExplainMode mode = ExplainMode::none;
  std::optional<AtMoment> at = {};  ///< in front of the query: of every MATCH without its own
  Query query = {};
  std::vector<std::string> columns = {};             ///< set by the resolver
  std::vector<std::vector<Slot>> column_slots = {};  ///< per part of a UNION
  std::uint32_t slots = 0;                           ///< size of a row
  std::vector<std::string> parameters = {};          ///< that the text names
  std::vector<NameUse> names = {};                   ///< each once, set by the resolver
};

/// Whether CREATE and DELETE are read as clauses, with which tests make their graphs. Otherwise every writing clause is
/// refused with its name.
enum class Writing : std::uint8_t { refused, graph_making };

/// Parses a statement. The error has its place, and what was expected there.
[[nodiscard]] Outcome<Statement> parse_statement(std::string_view text, Writing writing = Writing::refused);

}  // namespace whence::queries::cypher
