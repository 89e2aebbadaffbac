// Clauses of the parser: a statement from EXPLAIN to RETURN.
#include "queries/cypher/syntax/parser.hpp"
#include "schema/encoding/ascii.hpp"

#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace whence::queries::cypher {
namespace {

constexpr std::size_t clauses_max = 500;
constexpr std::size_t columns_max = 1000;

constexpr std::array<std::string_view, 9> writing_words = {"CREATE", "MERGE",   "SET",  "DELETE", "DETACH",
                                                           "REMOVE", "FOREACH", "LOAD", "DROP"};

/// What may follow SHOW, the procedure that it calls, and the columns that it has without YIELD: empty for all.
struct ShownWord {
  std::string_view plural;
  std::string_view singular;
  std::string_view procedure;
  std::array<std::string_view, 13> columns = {};
};

constexpr std::string_view databases_procedure = "dbms.databases";

constexpr std::array<ShownWord, 5> shown_words = {{
    {"PROCEDURES", "PROCEDURE", "dbms.procedures", {"name", "description", "mode", "worksOnSystem"}},
    {"FUNCTIONS", "FUNCTION", "dbms.functions", {"name", "category", "description"}},
    {"INDEXES", "INDEX", "db.indexes"},
    {"CONSTRAINTS", "CONSTRAINT", "db.constraints"},
    {"DATABASES",
     "DATABASE",
     databases_procedure,
     {"name", "type", "aliases", "access", "address", "role", "writer", "requestedStatus", "currentStatus",
      "statusMessage", "default", "home", "constituents"}},
}};

void yield_columns(Clause& made, std::span<std::string_view const> columns) {
  for (auto const column : columns) {
    if (column.empty()) break;
    made.has_yield = true;
    made.yields.push_back({.column = std::string{column}, .name = std::string{column}});
  }
}

}  // namespace

Outcome<Statement> Parser::statement() {
  Statement made;
  made.text = std::string{text_};
  options();
  if (accept_keyword("EXPLAIN")) {
    made.mode = ExplainMode::explain;
  } else if (accept_keyword("PROFILE")) {
    made.mode = ExplainMode::profile;
  }
  made.at = moment();
  made.query = query(false);
  accept_symbol(";");
  if (!failed() && peek().kind != TokenKind::end) {
    tried_.emplace_back("the end of the query");
    fail_here();
  }
  if (error_) return *std::move(error_);
  made.parameters.assign(parameters_.begin(), parameters_.end());
  return made;
}

/// `CYPHER 5 runtime = slotted`, which libraries write in front: a version of the language, and how Neo4j is to run the
/// query, which is for this planner to decide.
void Parser::options() {
  if (!is_keyword("CYPHER")) return;
  advance();
  if (peek().kind == TokenKind::integer || peek().kind == TokenKind::floating) advance();
  while (!failed() && at_name() && is_symbol("=", 1)) {
    advance();
    advance();
    expect_name("the value of an option");
  }
}

std::optional<AtMoment> Parser::moment() {
  if (!is_keyword("AT") || !(is_keyword("TX", 1) || is_keyword("TIME", 1))) {
    tried_.emplace_back("AT");
    return std::nullopt;
  }
  AtMoment made;
  made.place = peek().place;
  advance();
  made.is_time = is_keyword("TIME");
  advance();
  made.expression = sum();
  return made;
}

Query Parser::query(bool is_subquery) {
  Query made;
  made.parts.push_back(single_query(is_subquery));
  while (!failed() && is_keyword("UNION")) {
    made.union_places.push_back(peek().place);
    advance();
    made.keeps_all.push_back(accept_keyword("ALL"));
    made.parts.push_back(single_query(is_subquery));
  }
  return made;
}

SingleQuery Parser::single_query(bool is_subquery) {
  SingleQuery made;
  while (auto next = clause(is_subquery)) {
    made.clauses.push_back(*std::move(next));
    if (made.clauses.size() > clauses_max) fail(peek().place, "UnexpectedSyntax", "a query has at most 500 clauses");
  }
  if (made.clauses.empty()) fail_here();
  if (failed()) return made;
  auto const count = made.clauses.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (made.clauses[i].kind == ClauseKind::returning) {
      fail(made.clauses[i + 1].place, "InvalidClauseComposition", "RETURN is the last clause");
    }
  }
  auto const& last = made.clauses.back();
  bool const ends = last.kind == ClauseKind::returning || last.kind == ClauseKind::create ||
                    last.kind == ClauseKind::remove || (last.kind == ClauseKind::call && count == 1);
  bool const may_end = is_subquery && last.kind == ClauseKind::match;
  if (!ends && !may_end) {
    // A procedure without columns may end a query, which only the resolver knows.
    if (last.kind == ClauseKind::call && !last.has_yield) return made;
    tried_.emplace_back("RETURN");
    if (peek().kind == TokenKind::end || is_keyword("UNION") || is_symbol("}")) {
      if (error_) return made;
      error_ = QueryError{.detail = "InvalidClauseComposition",
                          .message = "a query ends with RETURN",
                          .place = peek().place,
                          .expected = "RETURN"};
    } else {
      fail_here();
    }
  }
  return made;
}

std::optional<Clause> Parser::clause(bool is_subquery) {
  if (failed()) return std::nullopt;
  if (accept_keyword("MATCH")) return match(false);
  if (accept_keyword("OPTIONAL")) {
    expect_keyword("MATCH");
    return match(true);
  }
  if (accept_keyword("UNWIND")) return unwind();
  if (accept_keyword("WITH")) return projecting(ClauseKind::with);
  if (accept_keyword("RETURN")) return projecting(ClauseKind::returning);
  if (accept_keyword("CALL")) return call_clause();
  if (is_keyword("SHOW")) return show_clause();
  for (auto const& word : writing_words) {
    if (is_keyword(word)) return writing(is_subquery);
  }
  return std::nullopt;
}

Clause Parser::match(bool is_optional) {
  Clause made{.kind = ClauseKind::match, .place = tokens_[at_ - 1].place, .is_optional = is_optional};
  made.pattern = pattern();
  made.at = moment();
  if (accept_keyword("WHERE")) made.where = expression();
  return made;
}

Clause Parser::unwind() {
  Clause made{.kind = ClauseKind::unwind, .place = tokens_[at_ - 1].place};
  made.expression = expression();
  expect_keyword("AS");
  made.name = expect_name("a variable");
  return made;
}

Clause Parser::projecting(ClauseKind kind) {
  Clause made{.kind = kind, .place = tokens_[at_ - 1].place};
  made.projection = projection();
  if (kind == ClauseKind::with && accept_keyword("WHERE")) made.where = expression();
  return made;
}

Projection Parser::projection() {
  Projection made;
  made.is_distinct = accept_keyword("DISTINCT");
  made.has_star = accept_symbol("*");
  if (!made.has_star || accept_symbol(",")) {
    do {
      ProjectionItem item;
      auto const first = at_;
      item.expression = expression();
      if (failed()) return made;
      // A projection of a variable's members is named as the variable, as Neo4j does; else the name is the text.
      bool const is_of_map = item.expression->is<MapProjection>();
      auto const& named = is_of_map ? *item.expression->operands.front() : *item.expression;
      auto const* variable = named.find<Variable>();
      item.name = variable != nullptr ? variable->name : text_between(first, at_ - 1);
      if (accept_keyword("AS")) {
        item.name = expect_name("an alias");
        item.has_alias = true;
      }
      made.items.push_back(std::move(item));
      if (made.items.size() > columns_max)
        fail(peek().place, "UnexpectedSyntax", "WITH and RETURN have at most 1000 columns");
    } while (accept_symbol(","));
  }
  if (accept_keyword("ORDER")) {
    expect_keyword("BY");
    do {
      OrderItem item;
      item.expression = expression();
      item.is_descending = accept_keyword("DESC") || accept_keyword("DESCENDING");
      if (!item.is_descending && !accept_keyword("ASC")) accept_keyword("ASCENDING");
      made.order.push_back(std::move(item));
      if (made.order.size() > columns_max)
        fail(peek().place, "UnexpectedSyntax", "ORDER BY has at most 1000 expressions");
    } while (accept_symbol(","));
  }
  if (accept_keyword("SKIP")) made.skip = expression();
  if (accept_keyword("LIMIT")) made.limit = expression();
  return made;
}

Clause Parser::call_clause() {
  Clause made{.kind = ClauseKind::call, .place = peek().place};
  made.name = expect_name("a procedure");
  while (accept_symbol(".")) made.name += "." + expect_name("a procedure");
  made.has_arguments = accept_symbol("(");
  if (made.has_arguments) made.arguments = expressions_until(")");
  yield_part(made);
  return made;
}

/// `SHOW PROCEDURES` and the like, which are calls. WHERE without YIELD sees all columns.
Clause Parser::show_clause() {
  Clause made{.kind = ClauseKind::call, .place = peek().place, .has_arguments = true};
  advance();
  if (is_keyword("CURRENT") && is_keyword("USER", 1)) {
    advance();
    advance();
    made.name = "dbms.currentUser";
    shown_part(made, {});
    return made;
  }
  bool const is_home = (is_keyword("HOME") || is_keyword("DEFAULT")) && is_keyword("DATABASE", 1);
  if (is_home || is_keyword("ALL")) {
    advance();
  } else if (is_keyword("BUILT") && is_keyword("IN", 1)) {
    advance();
    advance();
  }
  for (auto const& each : shown_words) {
    if (is_keyword(each.singular)) {
      advance();
    } else if (!accept_keyword(each.plural)) {
      continue;
    }
    made.name = each.procedure;
    if (each.procedure == databases_procedure) {
      made.arguments.push_back(shown_name());
      made.arguments.push_back(make_expression(Literal{is_home}, peek().place));
    }
    // Whom they may be called by: here everybody who may ask.
    if (accept_keyword("EXECUTABLE") && is_keyword("BY") && is_keyword("CURRENT", 1) && is_keyword("USER", 2)) {
      for (int i = 0; i < 3; ++i) advance();
    }
    shown_part(made, each.columns);
    return made;
  }
  fail_here();
  return made;
}

/// The name of a database behind SHOW DATABASE, or null.
ExpressionPtr Parser::shown_name() {
  if (peek().kind == TokenKind::parameter || peek().kind == TokenKind::text) return atom();
  auto const place = peek().place;
  bool const is_next_part = is_keyword("YIELD") || is_keyword("WHERE") || is_keyword("UNION") || is_keyword("RETURN");
  bool const is_named = at_name() && !is_next_part;
  return make_expression(Literal{is_named ? Value{expect_name("the name of a database")} : Value{}}, place);
}

void Parser::shown_part(Clause& made, std::span<std::string_view const> columns) {
  yield_part(made);
  if (made.has_yield) return;
  if (accept_keyword("WHERE")) {
    made.has_yield = true;
    made.yields_all = true;
    made.where = expression();
  } else {
    yield_columns(made, columns);
  }
}

void Parser::yield_part(Clause& made) {
  made.has_yield = accept_keyword("YIELD");
  if (!made.has_yield) return;
  if (accept_symbol("*")) {
    made.yields_all = true;
  } else if (!accept_symbol("-")) {
    do {
      Yield yield;
      yield.column = expect_name("a column");
      yield.name = accept_keyword("AS") ? expect_name("an alias") : yield.column;
      made.yields.push_back(std::move(yield));
    } while (accept_symbol(","));
  }
  if (accept_keyword("WHERE")) made.where = expression();
}

Clause Parser::writing(bool is_subquery) {
  Clause made{.kind = ClauseKind::create, .place = peek().place};
  made.name = schema::in_upper(peek().text);
  if (is_subquery) {
    fail(made.place, "InvalidClauseComposition", made.name + " changes the graph; a subquery only reads");
  } else if (writing_ == Writing::graph_making && made.name == "CREATE") {
    advance();
    made.pattern = pattern();
  } else if (writing_ == Writing::graph_making && made.name == "DELETE") {
    advance();
    made.kind = ClauseKind::remove;
    do {
      made.arguments.push_back(expression());
    } while (accept_symbol(","));
  } else if (!error_) {
    error_ = QueryError{.kind = ErrorKind::writing_refused,
                        .detail = made.name,
                        .message = made.name + " changes the graph; queries only read",
                        .place = made.place};
  }
  return made;
}

}  // namespace whence::queries::cypher
