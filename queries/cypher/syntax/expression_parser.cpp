// Operators of the parser, from the weakest to the strongest.
#include "queries/cypher/syntax/parser.hpp"

#include <utility>

namespace whence::queries::cypher {
namespace {

constexpr std::uint32_t depth_max = 500;

/// The comparison operators; the long ones are tokens of their own.
std::optional<Op> comparison_of(Token const& token) {
  if (token.kind != TokenKind::symbol) return std::nullopt;
  if (token.text == "=") return Op::equal;
  if (token.text == "<>") return Op::not_equal;
  if (token.text == "<") return Op::less;
  if (token.text == "<=") return Op::less_equal;
  if (token.text == ">") return Op::greater;
  if (token.text == ">=") return Op::greater_equal;
  return std::nullopt;
}

}  // namespace

ExpressionPtr Parser::expression() {
  if (++depth_ > depth_max) fail(peek().place, "UnexpectedSyntax", "the expression nests more than 500 levels deep");
  auto left = xor_expression();
  for (auto place = peek().place; accept_keyword("OR"); place = peek().place) {
    left = binary(Op::logical_or, place, std::move(left), xor_expression());
  }
  --depth_;
  return left;
}

ExpressionPtr Parser::xor_expression() {
  auto left = and_expression();
  for (auto place = peek().place; accept_keyword("XOR"); place = peek().place) {
    left = binary(Op::logical_xor, place, std::move(left), and_expression());
  }
  return left;
}

ExpressionPtr Parser::and_expression() {
  auto left = not_expression();
  for (auto place = peek().place; accept_keyword("AND"); place = peek().place) {
    left = binary(Op::logical_and, place, std::move(left), not_expression());
  }
  return left;
}

ExpressionPtr Parser::not_expression() {
  std::vector<Place> nots;
  while (is_keyword("NOT")) {
    nots.push_back(peek().place);
    advance();
    if (nots.size() > depth_max)
      fail(peek().place, "UnexpectedSyntax", "the expression nests more than 500 levels deep");
  }
  auto operand = comparison();
  for (; !nots.empty(); nots.pop_back()) {
    operand = measured(make_expression(Operation{Op::logical_not}, nots.back(), std::move(operand)));
  }
  return operand;
}

ExpressionPtr Parser::comparison() {
  auto left = predicate();
  auto op = comparison_of(peek());
  if (!op) {
    tried_.emplace_back("an operator");
    return left;
  }
  auto made = make_expression(Literal{}, peek().place, std::move(left));
  Comparison compared;
  for (; op; op = comparison_of(peek())) {
    advance();
    compared.ops.push_back(*op);
    made->operands.push_back(predicate());
  }
  made->form = std::move(compared);
  return measured(std::move(made));
}

ExpressionPtr Parser::predicate() {
  auto left = sum();
  for (;;) {
    auto const place = peek().place;
    std::optional<Op> op;
    if (is_keyword("IN")) {
      op = Op::in;
    } else if (is_keyword("CONTAINS")) {
      op = Op::contains;
    } else if (is_symbol("=~")) {
      op = Op::matches;
    } else if (is_keyword("STARTS") || is_keyword("ENDS")) {
      op = is_keyword("STARTS") ? Op::starts_with : Op::ends_with;
      advance();
      if (!is_keyword("WITH")) {
        tried_.emplace_back("WITH");
        fail_here();
      }
    } else if (is_keyword("IS")) {
      advance();
      auto const tests = accept_keyword("NOT") ? Op::is_not_null : Op::is_null;
      expect_keyword("NULL");
      left = measured(make_expression(Operation{tests}, place, std::move(left)));
      continue;
    }
    if (!op) return left;
    advance();
    left = binary(*op, place, std::move(left), sum());
  }
}

ExpressionPtr Parser::sum() {
  auto left = product();
  while (is_symbol("+") || is_symbol("-")) {
    auto const place = peek().place;
    auto const op = is_symbol("+") ? Op::add : Op::subtract;
    advance();
    left = binary(op, place, std::move(left), product());
  }
  return left;
}

ExpressionPtr Parser::product() {
  auto left = power();
  while (is_symbol("*") || is_symbol("/") || is_symbol("%")) {
    auto const place = peek().place;
    auto const op = is_symbol("*") ? Op::multiply : is_symbol("/") ? Op::divide : Op::modulo;
    advance();
    left = binary(op, place, std::move(left), power());
  }
  return left;
}

ExpressionPtr Parser::power() {
  auto left = unary();
  while (is_symbol("^")) {
    auto const place = peek().place;
    advance();
    left = binary(Op::power, place, std::move(left), unary());
  }
  return left;
}

ExpressionPtr Parser::unary() {
  std::vector<std::pair<bool, Place>> signs;  // whether it is a minus
  while (is_symbol("-") || is_symbol("+")) {
    signs.emplace_back(is_symbol("-"), peek().place);
    advance();
    if (signs.size() > depth_max)
      fail(peek().place, "UnexpectedSyntax", "the expression nests more than 500 levels deep");
  }
  // A minus in front of a number is part of it, as the least integer has no positive counterpart.
  bool const takes_sign =
      !signs.empty() && signs.back().first && (peek().kind == TokenKind::integer || peek().kind == TokenKind::floating);
  ExpressionPtr operand;
  if (takes_sign && !is_symbol(".", 1) && !is_symbol("[", 1)) {
    operand = number(true);
    signs.pop_back();
  } else {
    operand = postfix();
  }
  for (; !signs.empty(); signs.pop_back()) {
    Operation const sign{signs.back().first ? Op::negate : Op::plus};
    operand = measured(make_expression(sign, signs.back().second, std::move(operand)));
  }
  return operand;
}

ExpressionPtr Parser::postfix() {
  auto base = measured(atom());
  while (!failed()) {
    auto const place = peek().place;
    if (is_symbol(".") && at_name(1)) {
      advance();
      PropertyLookup property{expect_name("a property's name")};
      base = measured(make_expression(std::move(property), place, std::move(base)));
    } else if (is_symbol("[")) {
      advance();
      ExpressionPtr first;
      if (!is_symbol("..")) first = expression();
      auto made = make_expression(ElementLookup{}, place, std::move(base), std::move(first));
      if (accept_symbol("..")) {
        made->form = SliceLookup{};
        made->operands.push_back(is_symbol("]") ? nullptr : expression());
      }
      expect_symbol("]");
      base = measured(std::move(made));
    } else if (is_symbol(":") && at_name(1)) {
      LabelTest test;
      while (accept_symbol(":")) test.labels.push_back(expect_name("a label"));
      base = measured(make_expression(std::move(test), place, std::move(base)));
    } else if (is_symbol("{") && base != nullptr && base->is<Variable>()) {
      base = measured(map_projection(std::move(base)));
    } else {
      return base;
    }
  }
  return base;
}

}  // namespace whence::queries::cypher
