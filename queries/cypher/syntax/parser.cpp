// Tokens of the parser: looking, taking, and what to say where none fits.
#include "queries/cypher/syntax/parser.hpp"

#include "queries/cypher/base/query_bytes.hpp"
#include "schema/encoding/ascii.hpp"

#include <algorithm>

namespace whence::queries::cypher {
namespace {

constexpr std::size_t expected_max = 12;

std::string shown(Token const& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the query";
    case TokenKind::text:
      return "a text";
    case TokenKind::parameter:
      return "'$" + token.text + "'";
    default:
      return "'" + token.text + "'";
  }
}

/// Which bracket closes which.
std::vector<std::size_t> partners(std::vector<Token> const& tokens) {
  std::vector<std::size_t> partner(tokens.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    partner[i] = i;
    if (tokens[i].kind != TokenKind::symbol) continue;
    char const c = tokens[i].text[0];
    if (c == '(' || c == '[' || c == '{') open.push_back(i);
    if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
      partner[open.back()] = i;
      open.pop_back();
    }
  }
  return partner;
}

}  // namespace

bool is_same_word(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, {}, schema::upper, schema::upper);
}

Parser::Parser(std::string_view text, std::vector<Token> tokens, Writing writing)
    : text_(text), tokens_(std::move(tokens)), partner_(partners(tokens_)), writing_(writing), end_(tokens_.back()) {}

Token const& Parser::peek(std::size_t ahead) const {
  if (error_) return end_;
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end_;
}

bool Parser::is_symbol(std::string_view symbol, std::size_t ahead) const {
  auto const& token = peek(ahead);
  return token.kind == TokenKind::symbol && token.text == symbol;
}

bool Parser::is_keyword(std::string_view keyword, std::size_t ahead) const {
  auto const& token = peek(ahead);
  return token.kind == TokenKind::word && is_same_word(token.text, keyword);
}

void Parser::advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
  tried_.clear();
}

bool Parser::accept_symbol(std::string_view symbol) {
  if (is_symbol(symbol)) {
    advance();
    return true;
  }
  tried_.push_back("'" + std::string{symbol} + "'");
  return false;
}

bool Parser::accept_keyword(std::string_view keyword) {
  if (is_keyword(keyword)) {
    advance();
    return true;
  }
  tried_.emplace_back(keyword);
  return false;
}

void Parser::expect_symbol(std::string_view symbol) {
  if (!accept_symbol(symbol)) fail_here();
}

void Parser::expect_keyword(std::string_view keyword) {
  if (!accept_keyword(keyword)) fail_here();
}

bool Parser::at_name(std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::word || peek(ahead).kind == TokenKind::quoted_word;
}

std::string Parser::expect_name(std::string_view what) {
  if (!at_name()) {
    tried_.emplace_back(what);
    fail_here();
    return {};
  }
  auto name = peek().text;
  advance();
  return name;
}

void Parser::fail_here() {
  if (error_) return;
  std::ranges::sort(tried_);
  auto const same = std::unique(tried_.begin(), tried_.end());
  tried_.erase(same, tried_.end());
  std::string expected;
  for (std::size_t i = 0; i < tried_.size() && i < expected_max; ++i) {
    if (i != 0) expected += i + 1 == tried_.size() ? " or " : ", ";
    expected += tried_[i];
  }
  if (tried_.size() > expected_max) expected += ", ...";
  auto const& found = peek();
  error_ = QueryError{.detail = "UnexpectedSyntax",
                      .message = "expected " + expected + ", found " + shown(found),
                      .place = found.place,
                      .expected = expected};
}

void Parser::fail(Place place, std::string detail, std::string message) {
  if (!error_) error_ = QueryError{.detail = std::move(detail), .message = std::move(message), .place = place};
}

std::string Parser::text_between(std::size_t first_token, std::size_t last_token) const {
  auto const begin = tokens_[first_token].begin;
  return std::string{text_.substr(begin, tokens_[last_token].end - begin)};
}

ExpressionPtr Parser::binary(Op op, Place place, ExpressionPtr left, ExpressionPtr right) {
  return measured(make_expression(Operation{op}, place, std::move(left), std::move(right)));
}

/// Notes how deep an expression is, which bounds the stack of whatever walks through it later.
ExpressionPtr Parser::measured(ExpressionPtr node) {
  constexpr std::uint32_t depth_max = 500;
  if (node == nullptr) return node;
  for (auto const& operand : node->operands) {
    if (operand != nullptr) node->depth = std::max(node->depth, operand->depth + 1);
  }
  if (node->depth > depth_max) fail(node->place, "UnexpectedSyntax", "the expression is more than 500 levels deep");
  return node;
}

Outcome<Statement> parse_statement(std::string_view text, Writing writing) {
  if (text.size() > query_bytes_max) {
    return QueryError{.kind = ErrorKind::limit_exceeded, .detail = "text", .message = "a query has at most 1 MiB"};
  }
  auto tokens = tokens_of(text);
  if (!tokens) {
    auto error = tokens.error();
    show_place(error, text);
    return error;
  }
  auto parsed = Parser{text, *std::move(tokens), writing}.statement();
  if (parsed) return parsed;
  auto error = parsed.error();
  show_place(error, text);
  return error;
}

}  // namespace whence::queries::cypher
