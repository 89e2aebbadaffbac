// Patterns of the parser: paths, nodes, relations.
#include "queries/cypher/syntax/parser.hpp"

#include <charconv>
#include <utility>

namespace whence::queries::cypher {
namespace {

constexpr std::uint32_t relations_max = 1000;
constexpr std::uint32_t nodes_max = 2000;

}  // namespace

Pattern Parser::pattern() {
  Pattern made;
  do {
    made.paths.push_back(path());
  } while (accept_symbol(","));
  return made;
}

PathPattern Parser::path() {
  std::string name;
  auto const place = peek().place;
  if (at_name() && is_symbol("=", 1)) {
    name = expect_name("a variable");
    expect_symbol("=");
  }
  bool const is_shortest = is_keyword("shortestPath");
  bool const is_strongest = is_keyword("strongestPath");
  if (is_shortest || is_strongest || is_keyword("allShortestPaths")) {
    advance();
    expect_symbol("(");
    auto made = path_of_elements();
    expect_symbol(")");
    made.search = is_shortest ? PathSearch::shortest : is_strongest ? PathSearch::strongest : PathSearch::all_shortest;
    if (!failed()) check_search(made);
    made.name = std::move(name);
    made.place = place;
    return made;
  }
  auto made = path_of_elements();
  made.name = std::move(name);
  made.place = place;
  return made;
}

/// What the searches for best paths do not answer.
void Parser::check_search(PathPattern const& path) {
  if (path.relations.size() != 1) {
    return fail(path.place, "InvalidPattern",
                "a best path is searched along one relation pattern, such as (a)-[*]->(b)");
  }
  auto const& relation = path.relations[0];
  if (relation.is_variable && relation.least.value_or(1) > 1) {
    return fail(relation.place, "InvalidPattern", "a best path is searched from length 0 or 1 on");
  }
  if (path.search == PathSearch::strongest && (!relation.is_variable || relation.most)) {
    fail(relation.place, "InvalidPattern", "the strongest path is searched among those of any length: [*]");
  }
}

PathPattern Parser::path_of_elements() {
  PathPattern made;
  made.place = peek().place;
  made.nodes.push_back(node());
  while (!failed() && (is_symbol("-") || (is_symbol("<") && is_symbol("-", 1)))) {
    made.relations.push_back(relation());
    made.nodes.push_back(node());
    if (++relations_ > relations_max)
      fail(peek().place, "UnexpectedSyntax", "the patterns of a query have at most 1000 relations");
  }
  tried_.emplace_back("'-'");
  return made;
}

NodePattern Parser::node() {
  NodePattern made;
  made.place = peek().place;
  expect_symbol("(");
  if (at_name()) made.name = expect_name("a variable");
  while (accept_symbol(":")) made.labels.push_back(expect_name("a label"));
  made.properties = properties();
  expect_symbol(")");
  if (++nodes_ > nodes_max && writing_ == Writing::refused)
    fail(made.place, "UnexpectedSyntax", "the patterns of a query have at most 2000 nodes");
  return made;
}

RelationPattern Parser::relation() {
  RelationPattern made;
  made.place = peek().place;
  bool const to_left = accept_symbol("<");
  expect_symbol("-");
  if (accept_symbol("[")) {
    relation_detail(made);
    expect_symbol("]");
  }
  expect_symbol("-");
  bool const to_right = accept_symbol(">");
  made.direction = to_left == to_right ? Direction::any : to_left ? Direction::in : Direction::out;
  return made;
}

void Parser::relation_detail(RelationPattern& made) {
  if (at_name()) made.name = expect_name("a variable");
  if (accept_symbol(":")) {
    do {
      if (!made.types.empty()) accept_symbol(":");
      made.types.push_back(expect_name("a relation's type"));
    } while (accept_symbol("|"));
  }
  if (is_symbol("..")) fail(peek().place, "InvalidRelationshipPattern", "a length starts with '*': [*1..3]");
  if (accept_symbol("*")) length(made);
  made.properties = properties();
}

void Parser::length(RelationPattern& made) {
  made.is_variable = true;
  auto const least = bound();
  if (accept_symbol("..")) {
    made.least = least;
    made.most = bound();
  } else if (least) {
    made.least = least;
    made.most = least;
  }
}

std::optional<std::int64_t> Parser::bound() {
  if (is_symbol("-")) fail(peek().place, "InvalidRelationshipPattern", "a length is not negative");
  if (peek().kind != TokenKind::integer) {
    tried_.emplace_back("a length");
    return std::nullopt;
  }
  auto const& text = peek().text;
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    fail(peek().place, "InvalidNumberLiteral", "the length is no number");
  advance();
  return value;
}

ExpressionPtr Parser::properties() {
  if (is_symbol("{")) return map();
  if (peek().kind == TokenKind::parameter) return atom();
  tried_.emplace_back("'{'");
  return nullptr;
}

bool Parser::may_be_path() const {
  if (!is_symbol("(")) return false;
  // What follows the bracket's partner decides: a relation starts with `-[`, `--`, or `<-`.
  auto const after = partner_[at_] - at_ + 1;
  if (after == 1) return false;
  return (is_symbol("-", after) && (is_symbol("[", after + 1) || is_symbol("-", after + 1))) ||
         (is_symbol("<", after) && is_symbol("-", after + 1) &&
          (is_symbol("[", after + 2) || is_symbol("-", after + 2)));
}

}  // namespace whence::queries::cypher
