// Texts that are refused: where, with what expected, and by which name.

#include "tests/cypher/asked.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

struct Refused {
  char const* name;
  char const* text;
  std::uint32_t line;
  std::uint32_t column;
  char const* expected;  ///< part of what is expected there; empty: nothing in particular
};
std::ostream& operator<<(std::ostream& out, Refused const& row) {
  return out << row.name;
}

Refused const refused_texts[] = {
    {"nothing", "", 1, 1, "MATCH"},
    {"no return", "MATCH (n)", 1, 10, "RETURN"},
    {"no pattern", "MATCH RETURN 1", 1, 7, "'('"},
    {"open node", "MATCH (n\nRETURN n", 2, 1, "')'"},
    {"no expression", "RETURN 1 +", 1, 11, "an expression"},
    {"no alias", "UNWIND [1] RETURN 1", 1, 12, "AS"},
    {"second line after a wide character", "RETURN 'é' AS a,\n 'ü' 1", 2, 6, "AS"},
    {"a keyword as a variable", "MATCH (n) WHERE RETURN n", 1, 17, "an expression"},
    {"rest", "RETURN 1 AS a b", 1, 15, "the end of the query"},
    {"unknown character", "RETURN 1 # 2", 1, 10, ""},
    {"open text", "RETURN 'abc", 1, 8, ""},
    {"open comment", "RETURN 1 /* abc", 1, 10, ""},
    {"undefined variable", "MATCH (n)\nRETURN m", 2, 8, ""},
};

BOOST_AUTO_TEST_SUITE(cypher_parse)

BOOST_DATA_TEST_CASE(reports_place_and_expectation, boost::unit_test::data::make(refused_texts), row) {
  auto const prepared = prepare(row.text);
  BOOST_REQUIRE(!prepared);
  auto const& error = prepared.error();
  BOOST_TEST_CONTEXT(error) {
    BOOST_TEST(error.place.line == row.line);
    BOOST_TEST(error.place.column == row.column);
    BOOST_TEST(error.expected.find(row.expected) != std::string::npos);
    BOOST_TEST(error.is_compile_time);
  }
}

BOOST_AUTO_TEST_CASE(what_libraries_for_neo4j_write_is_taken) {
  for (auto const* const text :
       {"CYPHER 5 MATCH (n) RETURN n", "cypher 25 planner = idp runtime=slotted EXPLAIN MATCH (n) RETURN n",
        "CYPHER 4.4 MATCH (n) RETURN n {.*, labels: labels(n)}", "MATCH (n) RETURN n {.name}"}) {
    auto const prepared = prepare(text);
    BOOST_TEST_REQUIRE(prepared.has_value(), text);
    BOOST_TEST(prepared->columns() == std::vector<std::string>{"n"}, boost::test_tools::per_element());
  }
  BOOST_TEST(!prepare("CYPHER 5").has_value());
  BOOST_TEST(!prepare("CYPHER 5 planner = RETURN").has_value());
  BOOST_TEST(prepare("RETURN {a: 1} AS cypher").has_value());
}

BOOST_AUTO_TEST_CASE(shows_the_line_with_a_caret) {
  auto const prepared = prepare("MATCH (n)\nRETURN m.x");
  BOOST_REQUIRE(!prepared);
  BOOST_TEST(prepared.error().excerpt == "RETURN m.x\n       ^");
  auto const error = to_error(prepared.error());
  BOOST_TEST(error.code == Errc::invalid_params);
  BOOST_TEST(error.message ==
             "SyntaxError (UndefinedVariable) at line 2, column 8: 'm' is not defined\nRETURN m.x\n       ^");
}

BOOST_AUTO_TEST_CASE(refuses_writing_clauses_by_name) {
  for (std::string const clause :
       {"CREATE (n)", "MERGE (n)", "MATCH (n) SET n.x = 1", "MATCH (n) DELETE n", "MATCH (n) DETACH DELETE n",
        "MATCH (n) REMOVE n.x", "FOREACH (x IN [1] | CREATE (n))", "LOAD CSV FROM 'a' AS l RETURN l"}) {
    auto const prepared = prepare(clause);
    BOOST_TEST_CONTEXT(clause) {
      BOOST_REQUIRE(!prepared);
      BOOST_TEST((prepared.error().kind == ErrorKind::writing_refused));
      BOOST_TEST(clause.find(prepared.error().detail) != std::string::npos);
      BOOST_TEST(!prepared.error().detail.empty());
    }
  }
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string made;
  for (std::size_t i = 0; i < count; ++i) made += part;
  return made;
}

/// Claim: no text takes the stack or much time, however it nests. Method: each kind of nesting, far beyond its bound.
BOOST_AUTO_TEST_CASE(bounds_texts_that_nest) {
  std::size_t const many = 100'000;
  for (auto const& text :
       {"RETURN " + repeated("(", many), "RETURN " + repeated("[", many), "RETURN " + repeated("{a:", many),
        "RETURN " + repeated("NOT ", many) + "true", "RETURN " + repeated("- ", many) + "1",
        "RETURN " + repeated("1+", many) + "1", "RETURN a" + repeated(".b", many), "RETURN 1" + repeated("[0]", many),
        "RETURN " + repeated("CASE WHEN ", many), "RETURN " + repeated("f(", many),
        "RETURN true" + repeated(" AND true", many), "RETURN " + repeated("EXISTS { MATCH (n) WHERE ", many),
        repeated("MATCH (n) ", many) + "RETURN 1", "MATCH (a)" + repeated("--(a)", many) + " RETURN 1",
        "RETURN " + repeated("(a {x: ", many), "RETURN " + repeated("[(a)--(b {x:", many),
        "RETURN 1 IN " + repeated("[1] IN ", many) + "[1]", "RETURN " + repeated("2^", many) + "2",
        repeated("UNWIND [1] AS x ", many) + "RETURN 1"}) {
    BOOST_TEST_CONTEXT(text.substr(0, 30)) {
      BOOST_TEST(!prepare(text));
    }
  }
  BOOST_TEST(!prepare("RETURN '" + std::string(2u << 20, 'x') + "'"));
}

/// Claim: any bytes are refused or prepared, and what is prepared runs within its bounds. Method: random edits of
/// queries.
BOOST_AUTO_TEST_CASE(survives_damaged_texts) {
  std::string const whole =
      "MATCH p = (a:A {x: 1})-[r:T*1..3]->(b)<--(c) WHERE a.x > 1 AND NOT (a)-->(c) OR EXISTS { MATCH (a)-->(d) RETURN "
      "d } "
      "WITH DISTINCT a, collect(b.x)[0..2] AS l, [x IN [1, 2] WHERE x > 1 | x * 2] AS m ORDER BY a.x DESC SKIP 1 LIMIT "
      "10 "
      "UNWIND l AS y RETURN CASE WHEN y = 1 THEN 'a' ELSE $p END AS z, reduce(s = 0, i IN m | s + i) AS s, "
      "date({year: 2020}) AS d "
      "UNION ALL RETURN 1 AS z, 2 AS s, 3 AS d";
  auto const graph = graph_of("CREATE (:A {x: 1})-[:T]->(:A {x: 2})-[:T]->(:B)");
  BOOST_REQUIRE(prepare(whole));
  std::uint64_t random = 88172645463325252ull;
  auto const next = [&random](std::size_t bound) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::size_t>(random % bound);
  };
  std::size_t prepared_count = 0;
  for (int i = 0; i < 5000; ++i) {
    auto text = whole;
    for (auto edits = next(4) + 1; edits > 0; --edits) {
      auto const at = next(text.size());
      switch (next(3)) {
        case 0:
          text.erase(at, next(8) + 1);
          break;
        case 1:
          text.insert(at, text.substr(next(text.size()), next(12)));
          break;
        default:
          text[at] = static_cast<char>(next(256));
      }
      if (text.empty()) text = "x";
    }
    if (!prepare(text)) continue;
    ++prepared_count;
    static_cast<void>(ask_graph(graph, text, {{"p", Value{std::int64_t{1}}}}, {.steps_max = 100'000}));
  }
  BOOST_TEST(prepared_count > 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
