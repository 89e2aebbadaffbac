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
      auto made = make(ExpressionKind::literal, token.place);
      made->value = Value{token.text};
      advance();
      return made;
    }
    case TokenKind::parameter: {
      auto made = make(ExpressionKind::parameter, token.place);
      made->name = token.text;
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
  return make(ExpressionKind::literal, peek().place);
}

ExpressionPtr Parser::number(bool is_negative) {
  auto const token = peek();
  auto made = make(ExpressionKind::literal, token.place);
  advance();
  if (token.kind == TokenKind::integer) {
    bool overflows = false;
    auto const value = integer_of(token.text, is_negative, overflows);
    if (!value) {
      fail(token.place, "InvalidNumberLiteral", "'" + token.text + "' is no number");
    } else if (overflows) {
      fail(token.place, "IntegerOverflow", "the integer does not fit into 64 bits");
    } else {
      made->value = Value{*value};
    }
    return made;
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
  made->value = Value{is_negative ? -value : value};
  return made;
}

ExpressionPtr Parser::word_atom() {
  auto const token = peek();
  if (token.kind == TokenKind::word) {
    auto const constant = [&](Value value) {
      auto made = make(ExpressionKind::literal, token.place);
      made->value = std::move(value);
      advance();
      return made;
    };
    bool const calls = is_symbol("(", 1);
    if (!calls && is_keyword("TRUE")) return constant(true);
    if (!calls && is_keyword("FALSE")) return constant(false);
    if (!calls && is_keyword("NULL")) return constant({});
    if (is_keyword("CASE") && !calls && !is_symbol(".", 1)) return conditional();
    if (calls && is_keyword("CASE")) return conditional();
    if (is_symbol("{", 1) && (is_keyword("EXISTS") || is_keyword("COUNT"))) {
      advance();
      return subquery(is_same_word(token.text, "EXISTS") ? "exists" : "count");
    }
    bool const names_variable = peek(2).kind == TokenKind::word || peek(2).kind == TokenKind::quoted_word;
    if (calls && names_variable && is_keyword("IN", 3) &&
        (is_keyword("ALL") || is_keyword("ANY") || is_keyword("NONE") || is_keyword("SINGLE"))) {
      return quantifier();
    }
    if (calls && is_keyword("REDUCE")) return reduce();
    if (calls && (is_keyword("shortestPath") || is_keyword("strongestPath") || is_keyword("allShortestPaths"))) {
      auto made = make(ExpressionKind::shortest_path, token.place);
      made->pattern = std::make_shared<Pattern>();
      made->pattern->paths.push_back(path());
      return made;
    }
  }
  std::size_t after = 1;
  while (is_symbol(".", after) &&
         (peek(after + 1).kind == TokenKind::word || peek(after + 1).kind == TokenKind::quoted_word))
    after += 2;
  if (is_symbol("(", after)) return call();
  auto made = make(ExpressionKind::variable, token.place);
  made->name = token.text;
  advance();
  return made;
}

ExpressionPtr Parser::call() {
  auto made = make(ExpressionKind::call, peek().place);
  made->name = expect_name("a function");
  while (accept_symbol(".")) made->name += "." + expect_name("a function");
  expect_symbol("(");
  if (is_same_word(made->name, "count") && is_symbol("*")) {
    advance();
    expect_symbol(")");
    made->kind = ExpressionKind::count_all;
    return made;
  }
  made->is_distinct = accept_keyword("DISTINCT");
  if (!is_symbol(")")) {
    do {
      made->operands.push_back(expression());
    } while (accept_symbol(","));
  }
  expect_symbol(")");
  return made;
}

ExpressionPtr Parser::conditional() {
  auto made = make(ExpressionKind::conditional, peek().place);
  advance();
  if (!is_keyword("WHEN")) {
    made->name += 't';
    made->operands.push_back(expression());
  }
  do {
    expect_keyword("WHEN");
    made->operands.push_back(expression());
    expect_keyword("THEN");
    made->operands.push_back(expression());
    made->name += "wn";
  } while (is_keyword("WHEN") && !failed());
  if (accept_keyword("ELSE")) {
    made->name += 'e';
    made->operands.push_back(expression());
  }
  expect_keyword("END");
  return made;
}

ExpressionPtr Parser::bracketed() {
  bool const names_variable = peek(1).kind == TokenKind::word || peek(1).kind == TokenKind::quoted_word;
  if (names_variable && is_keyword("IN", 2)) return list_comprehension();
  if (auto found = find_pattern_comprehension()) return found;
  auto made = make(ExpressionKind::list, peek().place);
  expect_symbol("[");
  if (!is_symbol("]")) {
    do {
      made->operands.push_back(expression());
    } while (accept_symbol(","));
  }
  expect_symbol("]");
  return made;
}

ExpressionPtr Parser::list_comprehension() {
  auto made = make(ExpressionKind::list_comprehension, peek().place);
  expect_symbol("[");
  made->name = expect_name("a variable");
  expect_keyword("IN");
  made->operands.push_back(expression());
  made->operands.push_back(accept_keyword("WHERE") ? expression() : nullptr);
  made->operands.push_back(accept_symbol("|") ? expression() : nullptr);
  expect_symbol("]");
  return made;
}

ExpressionPtr Parser::find_pattern_comprehension() {
  bool const is_named = (peek(1).kind == TokenKind::word || peek(1).kind == TokenKind::quoted_word) &&
                        is_symbol("=", 2) && is_symbol("(", 3);
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
    auto made = make(ExpressionKind::pattern_comprehension, tokens_[start].place);
    made->pattern = std::make_shared<Pattern>();
    made->pattern->paths.push_back(path_of_elements());
    made->pattern->paths.back().name = name;
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
  auto made = make(ExpressionKind::quantifier, peek().place);
  for (char const c : peek().text) made->name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  advance();
  expect_symbol("(");
  made->names.push_back(expect_name("a variable"));
  expect_keyword("IN");
  made->operands.push_back(expression());
  made->operands.push_back(accept_keyword("WHERE") ? expression() : nullptr);
  expect_symbol(")");
  return made;
}

ExpressionPtr Parser::reduce() {
  auto made = make(ExpressionKind::reduce, peek().place);
  advance();
  expect_symbol("(");
  made->accumulator_name = expect_name("a variable");
  expect_symbol("=");
  made->operands.push_back(expression());
  expect_symbol(",");
  made->name = expect_name("a variable");
  expect_keyword("IN");
  made->operands.push_back(expression());
  expect_symbol("|");
  made->operands.push_back(expression());
  expect_symbol(")");
  return made;
}

ExpressionPtr Parser::map() {
  auto made = make(ExpressionKind::map, peek().place);
  expect_symbol("{");
  if (!is_symbol("}")) {
    do {
      made->names.push_back(expect_name("a key"));
      expect_symbol(":");
      made->operands.push_back(expression());
    } while (accept_symbol(","));
  }
  expect_symbol("}");
  return made;
}

ExpressionPtr Parser::map_projection(ExpressionPtr base) {
  auto made = make(ExpressionKind::map_projection, peek().place);
  auto const variable = base->name;
  made->operands.push_back(std::move(base));
  expect_symbol("{");
  if (!is_symbol("}")) {
    do {
      if (accept_symbol(".")) {
        if (accept_symbol("*")) {
          made->names.emplace_back(".*");
          made->operands.push_back(nullptr);
          continue;
        }
        auto property = make(ExpressionKind::property, peek().place);
        property->operands.push_back(make(ExpressionKind::variable, peek().place));
        property->operands[0]->name = variable;
        property->name = expect_name("a property's name");
        made->names.push_back(property->name);
        made->operands.push_back(std::move(property));
        continue;
      }
      auto const place = peek().place;
      made->names.push_back(expect_name("a key"));
      if (accept_symbol(":")) {
        made->operands.push_back(expression());
      } else {
        made->operands.push_back(make(ExpressionKind::variable, place));
        made->operands.back()->name = made->names.back();
      }
    } while (accept_symbol(","));
  }
  expect_symbol("}");
  return made;
}

ExpressionPtr Parser::subquery(std::string name) {
  auto made = make(ExpressionKind::exists, peek().place);
  made->name = std::move(name);
  if (++subqueries_ > 10) fail(peek().place, "UnexpectedSyntax", "subqueries nest more than 10 levels deep");
  expect_symbol("{");
  made->query = std::make_shared<Query>();
  bool const is_pattern = !(is_keyword("MATCH") || is_keyword("OPTIONAL") || is_keyword("WITH") ||
                            is_keyword("UNWIND") || is_keyword("CALL") || is_keyword("RETURN"));
  if (is_pattern) {
    Clause clause{.kind = ClauseKind::match, .place = peek().place};
    clause.pattern = pattern();
    if (accept_keyword("WHERE")) clause.where = expression();
    made->query->parts.emplace_back();
    made->query->parts.back().clauses.push_back(std::move(clause));
  } else {
    *made->query = query(true);
  }
  expect_symbol("}");
  --subqueries_;
  return made;
}

ExpressionPtr Parser::find_pattern_expression() {
  if (!may_be_path()) return nullptr;
  auto const start = at_;
  if (++attempts_ > attempts_max) fail(peek().place, "UnexpectedSyntax", "the query has too many nested patterns");
  auto made = make(ExpressionKind::pattern, peek().place);
  made->pattern = std::make_shared<Pattern>();
  made->pattern->paths.push_back(path_of_elements());
  if (!failed()) return made;
  if (attempts_ <= attempts_max) error_.reset();
  at_ = start;
  tried_.clear();
  return nullptr;
}

}  // namespace whence::queries::cypher
