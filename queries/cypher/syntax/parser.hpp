#pragma once
// The parser: recursive descent over the tokens of one text. The first error stays and ends all loops.

#include "queries/cypher/syntax/statement.hpp"
#include "queries/cypher/syntax/token.hpp"

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// Invariants: after an error `peek()` is the end token, so that every loop ends; `tried_` holds what was asked for at
/// the current token and becomes the error's `expected`.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, Writing writing);

  Outcome<Statement> statement();

 private:
  void options();
  // Tokens.
  [[nodiscard]] Token const& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool is_symbol(std::string_view symbol, std::size_t ahead = 0) const;
  [[nodiscard]] bool is_keyword(std::string_view keyword, std::size_t ahead = 0) const;
  void advance();
  bool accept_symbol(std::string_view symbol);
  bool accept_keyword(std::string_view keyword);
  void expect_symbol(std::string_view symbol);
  void expect_keyword(std::string_view keyword);
  std::string expect_name(std::string_view what);
  [[nodiscard]] bool at_name(std::size_t ahead = 0) const;
  void fail_here();  ///< an unexpected token: reports what was tried
  void fail(Place place, std::string detail, std::string message);
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] std::string text_between(std::size_t first_token, std::size_t last_token) const;

  // Expressions, from the weakest operator to the strongest (expression_parser.cpp).
  ExpressionPtr expression();
  ExpressionPtr xor_expression();
  ExpressionPtr and_expression();
  ExpressionPtr not_expression();
  ExpressionPtr comparison();
  ExpressionPtr predicate();
  ExpressionPtr sum();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary();
  ExpressionPtr postfix();
  // Atoms (atom_parser.cpp).
  ExpressionPtr atom();
  ExpressionPtr number(bool is_negative);
  ExpressionPtr word_atom();
  ExpressionPtr call();
  std::vector<ExpressionPtr> expressions_until(std::string_view end);
  ExpressionPtr conditional();
  ExpressionPtr bracketed();
  ExpressionPtr list_comprehension();
  ExpressionPtr find_pattern_comprehension();
  ExpressionPtr quantifier();
  ExpressionPtr reduce();
  ExpressionPtr map();
  ExpressionPtr map_projection(ExpressionPtr base);
  ExpressionPtr subquery(bool is_count);
  ExpressionPtr pattern_search(PatternSearch::Kind kind, Place place, PathPattern path);
  ExpressionPtr find_pattern_expression();

  // Patterns (pattern_parser.cpp).
  Pattern pattern();
  PathPattern path();
  PathPattern path_of_elements();
  void check_search(PathPattern const& path);
  NodePattern node();
  RelationPattern relation();
  void relation_detail(RelationPattern& relation);
  void length(RelationPattern& relation);
  std::optional<std::int64_t> bound();
  ExpressionPtr properties();
  [[nodiscard]] bool may_be_path() const;

  // Clauses (clause_parser.cpp).
  Query query(bool is_subquery);
  SingleQuery single_query(bool is_subquery);
  std::optional<Clause> clause(bool is_subquery);
  Clause match(bool is_optional);
  Clause unwind();
  Clause projecting(ClauseKind kind);
  Clause call_clause();
  Clause show_clause();
  ExpressionPtr shown_name();
  void shown_part(Clause& made, std::span<std::string_view const> columns);
  void yield_part(Clause& made);
  Clause writing(bool is_subquery);
  Projection projection();
  std::optional<AtMoment> moment();

  ExpressionPtr measured(ExpressionPtr node);
  ExpressionPtr binary(Op op, Place place, ExpressionPtr left, ExpressionPtr right);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partner_;  ///< per token: the bracket that closes it; its own number where there is none
  Writing writing_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t subqueries_ = 0;  ///< that are open
  std::uint32_t relations_ = 0;   ///< of all patterns
  std::uint32_t nodes_ = 0;       ///< of all patterns
  std::uint32_t attempts_ = 0;    ///< patterns that were tried and may be read twice
  mutable std::vector<std::string> tried_;
  std::optional<QueryError> error_;
  std::set<std::string> parameters_;
  Token end_;
};

/// Whether `word` is the keyword, in any case.
bool is_same_word(std::string_view word, std::string_view keyword);

}  // namespace whence::queries::cypher
