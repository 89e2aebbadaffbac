// Atoms of the parser: literals, names, calls, comprehensions, subqueries.
#include "queries/cypher/syntax/parser.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace whence::queries::cypher {
namespace {

constexpr std::uint32_t attempts_max = 20'000;

/// Words that start or join clauses and expressions: no variable is named like them without backticks.
constexpr std::array<std::string_view, 33> reserved = {
    "MATCH", "OPTIONAL", "WHERE", "WITH",   "RETURN", "UNWIND", "UNION",  "ORDER",  "SKIP",   "LIMIT", "AND",
    "OR",    "XOR",      "NOT",   "IN",     "IS",     "AS",     "ASC",    "DESC",   "STARTS", "ENDS",  "CONTAINS",
    "WHEN",  "THEN",     "ELSE",  "CREATE", "MERGE",  "SET",    "DELETE", "REMOVE", "DETACH", "YIELD", "DISTINCT"};

bool is_reserved(std::string_view word) {
  for (auto const& each : reserved) {
    if (is_same_word(word, each)) return true;
  }
  return false;
}

/// An integer in base 10, 8 or 16; none where it is malformed. `overflows` is set where it does not fit.
std::optional<std::int64_t> integer_of(std::string_view text, bool is_negative, bool& overflows) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'o')) {
    base = text[1] == 'x' ? 16 : 8;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  std::uint64_t const most =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (is_negative ? 1 : 0);
  overflows = error == std::errc::result_out_of_range || value > most;
  return is_negative ? static_cast<std::int64_t>(~value + 1) : static_cast<std::int64_t>(value);
}

}  // namespace

ExpressionPtr Parser::atom() {
  auto const& token = peek();
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::floating:
      return number(false);
    case TokenKind::text: {
      auto made = make_expression(Literal{token.text}, token.place);
      advance();
      return made;
    }
    case TokenKind::parameter: {
      auto made = make_expression(Parameter{token.text}, token.place);
      parameters_.insert(token.text);
      advance();
      return made;
    }
    case TokenKind::word:
    case TokenKind::quoted_word:
      if (token.kind == TokenKind::word && is_reserved(token.text) && !is_symbol("(", 1)) break;
      return word_atom();
    case TokenKind::symbol:
      if (is_symbol("[")) return bracketed();
      if (is_symbol("{")) return map();
      if (is_symbol("(")) {
        if (auto found = find_pattern_expression()) return found;
        advance();
        auto inner = expression();
        expect_symbol(")");
        return inner;
      }
      break;
    case TokenKind::end:
      break;
  }
  tried_.emplace_back("an expression");
  fail_here();
  return make_expression(Literal{}, peek().place);
}

ExpressionPtr Parser::number(bool is_negative) {
  auto const token = peek();
  advance();
  if (token.kind == TokenKind::integer) {
    bool overflows = false;
    auto const value = integer_of(token.text, is_negative, overflows);
    if (!value) {
      fail(token.place, "InvalidNumberLiteral", "'" + token.text + "' is no number");
    } else if (overflows) {
      fail(token.place, "IntegerOverflow", "the integer does not fit into 64 bits");
    }
    return make_expression(Literal{value.value_or(0)}, token.place);
  }
  double value = 0;
  auto const [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (end != token.text.data() + token.text.size()) {
    fail(token.place, "InvalidNumberLiteral", "'" + token.text + "' is no number");
  } else if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is refused.
    auto const exponent = token.text.find_first_of("eE");
    bool const is_tiny = exponent != std::string::npos && token.text[exponent + 1] == '-';
    if (!is_tiny) fail(token.place, "FloatingPointOverflow", "the number is too large");
    value = 0;
  }
  return make_expression(Literal{is_negative ? -value : value}, token.place);
}

ExpressionPtr Parser::word_atom() {
  auto const token = peek();
  if (token.kind == TokenKind::word) {
    auto const constant = [&](Value value) {
      advance();
      return make_expression(Literal{std::move(value)}, token.place);
    };
    bool const calls = is_symbol("(", 1);
    if (!calls && is_keyword("TRUE")) return constant(true);
    if (!calls && is_keyword("FALSE")) return constant(false);
    if (!calls && is_keyword("NULL")) return constant({});
    if (is_keyword("CASE") && !calls && !is_symbol(".", 1)) return conditional();
    if (calls && is_keyword("CASE")) return conditional();
    if (is_symbol("{", 1) && (is_keyword("EXISTS") || is_keyword("COUNT"))) {
      advance();
      return subquery(is_same_word(token.text, "COUNT"));
    }
    bool const names_variable = at_name(2);
    if (calls && names_variable && is_keyword("IN", 3) &&
        (is_keyword("ALL") || is_keyword("ANY") || is_keyword("NONE") || is_keyword("SINGLE"))) {
      return quantifier();
    }
    if (calls && is_keyword("REDUCE")) return reduce();
    if (calls && (is_keyword("shortestPath") || is_keyword("strongestPath") || is_keyword("allShortestPaths"))) {
      return pattern_search(PatternSearch::Kind::shortest_path, token.place, path());
    }
  }
  std::size_t after = 1;
  while (is_symbol(".", after) && at_name(after + 1)) after += 2;
  if (is_symbol("(", after)) return call();
  advance();
  return make_expression(Variable{token.text}, token.place);
}

ExpressionPtr Parser::call() {
  auto const place = peek().place;
  Invocation made{.name = expect_name("a function")};
  while (accept_symbol(".")) made.name += "." + expect_name("a function");
  expect_symbol("(");
  made.counts_rows = is_same_word(made.name, "count") && is_symbol("*");
  if (made.counts_rows) {
    advance();
    expect_symbol(")");
    return make_expression(std::move(made), place);
  }
  made.is_distinct = accept_keyword("DISTINCT");
  auto call = make_expression(std::move(made), place);
  call->operands = expressions_until(")");
  return call;
}

/// Expressions with commas between them, and the symbol behind them.
std::vector<ExpressionPtr> Parser::expressions_until(std::string_view end) {
  std::vector<ExpressionPtr> made;
  if (!is_symbol(end)) {
    do {
      made.push_back(expression());
    } while (accept_symbol(","));
  }
  expect_symbol(end);
  return made;
}

ExpressionPtr Parser::conditional() {
  auto const place = peek().place;
  advance();
  auto made = make_expression(Conditional{.has_test = !is_keyword("WHEN")}, place);
  if (!is_keyword("WHEN")) made->operands.push_back(expression());
  do {
    expect_keyword("WHEN");
    made->operands.push_back(expression());
    expect_keyword("THEN");
    made->operands.push_back(expression());
  } while (is_keyword("WHEN") && !failed());
  if (accept_keyword("ELSE")) made->operands.push_back(expression());
  expect_keyword("END");
  return made;
}

ExpressionPtr Parser::bracketed() {
  bool const names_variable = at_name(1);
  if (names_variable && is_keyword("IN", 2)) return list_comprehension();
  if (auto found = find_pattern_comprehension()) return found;
  auto made = make_expression(ListLiteral{}, peek().place);
  expect_symbol("[");
  made->operands = expressions_until("]");
  return made;
}

ExpressionPtr Parser::list_comprehension() {
  auto const place = peek().place;
  expect_symbol("[");
  auto made = make_expression(ListComprehension{{expect_name("a variable")}}, place);
  expect_keyword("IN");
  made->operands.push_back(expression());
  made->operands.push_back(accept_keyword("WHERE") ? expression() : nullptr);
  made->operands.push_back(accept_symbol("|") ? expression() : nullptr);
  expect_symbol("]");
  return made;
}

/// A pattern of one path as an expression.
ExpressionPtr Parser::pattern_search(PatternSearch::Kind kind, Place place, PathPattern path) {
  auto pattern = std::make_shared<Pattern>();
  pattern->paths.push_back(std::move(path));
  return make_expression(PatternSearch{.kind = kind, .pattern = std::move(pattern)}, place);
}

ExpressionPtr Parser::find_pattern_comprehension() {
  bool const is_named = at_name(1) && is_symbol("=", 2) && is_symbol("(", 3);
  if (!is_named && !is_symbol("(", 1)) return nullptr;
  auto const start = at_;
  if (++attempts_ > attempts_max) fail(peek().place, "UnexpectedSyntax", "the query has too many nested patterns");
  advance();
  std::string name;
  if (is_named) {
    name = expect_name("a variable");
    expect_symbol("=");
  }
  if (may_be_path()) {
    auto path = path_of_elements();
    path.name = name;
    auto made = pattern_search(PatternSearch::Kind::comprehension, tokens_[start].place, std::move(path));
    if (!failed() && (is_keyword("WHERE") || is_symbol("|"))) {
      made->operands.push_back(accept_keyword("WHERE") ? expression() : nullptr);
      expect_symbol("|");
      made->operands.push_back(expression());
      expect_symbol("]");
      return made;
    }
  }
  if (attempts_ <= attempts_max) error_.reset();
  at_ = start;
  tried_.clear();
  return nullptr;
}

ExpressionPtr Parser::quantifier() {
  using Kind = Quantifier::Kind;
  auto const place = peek().place;
  auto const kind = is_keyword("ALL")    ? Kind::all
                    : is_keyword("ANY")  ? Kind::any
                    : is_keyword("NONE") ? Kind::none
                                         : Kind::single;
  advance();
  expect_symbol("(");
  auto made = make_expression(Quantifier{.kind = kind, .element = {expect_name("a variable")}}, place);
  expect_keyword("IN");
  made->operands.push_back(expression());
  made->operands.push_back(accept_keyword("WHERE") ? expression() : nullptr);
  expect_symbol(")");
  return made;
}

ExpressionPtr Parser::reduce() {
  auto made = make_expression(Literal{}, peek().place);
  Reduction reduction;
  advance();
  expect_symbol("(");
  reduction.accumulator.name = expect_name("a variable");
  expect_symbol("=");
  made->operands.push_back(expression());
  expect_symbol(",");
  reduction.element.name = expect_name("a variable");
  expect_keyword("IN");
  made->operands.push_back(expression());
  expect_symbol("|");
  made->operands.push_back(expression());
  expect_symbol(")");
  made->form = std::move(reduction);
  return made;
}

ExpressionPtr Parser::map() {
  auto made = make_expression(Literal{}, peek().place);
  MapLiteral map;
  expect_symbol("{");
  if (!is_symbol("}")) {
    do {
      map.keys.push_back(expect_name("a key"));
      expect_symbol(":");
      made->operands.push_back(expression());
    } while (accept_symbol(","));
  }
  expect_symbol("}");
  made->form = std::move(map);
  return made;
}

ExpressionPtr Parser::map_projection(ExpressionPtr base) {
  auto const variable = std::get<Variable>(base->form);
  auto made = make_expression(Literal{}, peek().place, std::move(base));
  MapProjection projection;
  expect_symbol("{");
  if (!is_symbol("}")) {
    do {
      auto place = peek().place;
      if (accept_symbol(".")) {
        if (accept_symbol("*")) {
          projection.keys.emplace_back(".*");
          made->operands.push_back(nullptr);
          continue;
        }
        place = peek().place;
        auto& name = projection.keys.emplace_back(expect_name("a property's name"));
        made->operands.push_back(make_expression(PropertyLookup{name}, place, make_expression(variable, place)));
        continue;
      }
      auto& name = projection.keys.emplace_back(expect_name("a key"));
      made->operands.push_back(accept_symbol(":") ? expression() : make_expression(Variable{name}, place));
    } while (accept_symbol(","));
  }
  expect_symbol("}");
  made->form = std::move(projection);
  return made;
}

ExpressionPtr Parser::subquery(bool is_count) {
  auto const place = peek().place;
  if (++subqueries_ > 10) fail(peek().place, "UnexpectedSyntax", "subqueries nest more than 10 levels deep");
  expect_symbol("{");
  auto inner = std::make_shared<Query>();
  bool const is_pattern = !(is_keyword("MATCH") || is_keyword("OPTIONAL") || is_keyword("WITH") ||
                            is_keyword("UNWIND") || is_keyword("CALL") || is_keyword("RETURN"));
  if (is_pattern) {
    Clause clause{.kind = ClauseKind::match, .place = peek().place};
    clause.pattern = pattern();
    if (accept_keyword("WHERE")) clause.where = expression();
    inner->parts.emplace_back().clauses.push_back(std::move(clause));
  } else {
    *inner = query(true);
  }
  expect_symbol("}");
  --subqueries_;
  return make_expression(Subquery{.is_count = is_count, .query = std::move(inner)}, place);
}

ExpressionPtr Parser::find_pattern_expression() {
  if (!may_be_path()) return nullptr;
  auto const start = at_;
  if (++attempts_ > attempts_max) fail(peek().place, "UnexpectedSyntax", "the query has too many nested patterns");
  auto const place = peek().place;
  auto made = pattern_search(PatternSearch::Kind::test, place, path_of_elements());
  if (!failed()) return made;
  if (attempts_ <= attempts_max) error_.reset();
  at_ = start;
  tried_.clear();
  return nullptr;
}

}  // namespace whence::queries::cypher
