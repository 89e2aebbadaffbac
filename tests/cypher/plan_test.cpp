// What the planner chooses, how far a run goes, and the bounds that end it.

#include "tests/cypher/asked.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

std::string plan_of(PropertyGraph const& graph, std::string const& text) {
  auto const asked = ask_graph(graph, "EXPLAIN " + text);
  BOOST_TEST_REQUIRE(!asked.error.has_value(), asked.text());
  BOOST_TEST(asked.rows.empty());
  return to_text(asked.plan);
}

bool has(std::string const& plan, std::string const& part) {
  return plan.find(part) != std::string::npos;
}

/// 1 root, 300 leaves, a relation from the root to each.
struct Star {
  Star()
      : graph(graph_of(
            "CREATE (r:Root {name: 'r'}) WITH r UNWIND range(1, 300) AS i CREATE (r)-[:HAS {i: i}]->(:Leaf {i: i})")) {}
  MemoryGraph graph;
};

BOOST_FIXTURE_TEST_SUITE(cypher_plan, Star)

BOOST_AUTO_TEST_CASE(starts_at_the_rarer_label) {
  auto const plan = plan_of(graph, "MATCH (l:Leaf)<-[:HAS]-(r:Root) RETURN l");
  BOOST_TEST_CONTEXT(plan) {
    BOOST_TEST(has(plan, "NodeByLabelScan (r:Root)"));
    BOOST_TEST(has(plan, "Expand(All) (r:Root)-[:HAS]->(l:Leaf)"));
    BOOST_TEST(!has(plan, "(l:Leaf)  estimate 300"));
  }
}

BOOST_AUTO_TEST_CASE(expands_from_what_is_bound) {
  auto const plan = plan_of(graph, "MATCH (l:Leaf {i: 5}) WITH l MATCH (r)-[:HAS]->(l) RETURN r");
  BOOST_TEST_CONTEXT(plan) {
    BOOST_TEST(has(plan, "Expand(All) (l)<-[:HAS]-(r)"));
  }
}

BOOST_AUTO_TEST_CASE(checks_conditions_before_it_expands) {
  auto const plan = plan_of(graph, "MATCH (r:Root)-[:HAS]->(l) WHERE r.name = 'x' AND l.i > 1 RETURN l");
  auto const lower = plan.rfind("Filter condition");
  BOOST_TEST_CONTEXT(plan) {
    BOOST_TEST(lower != std::string::npos);
    BOOST_TEST(plan.find("Expand(All)") < lower);
    BOOST_TEST(plan.find("Filter condition") < plan.find("Expand(All)"));
  }
}

BOOST_AUTO_TEST_CASE(walks_instead_of_listing_paths_where_only_ends_count) {
  BOOST_TEST(has(plan_of(graph, "MATCH (r:Root)-[:HAS*]->(l) RETURN DISTINCT l"), "Reach(All)"));
  BOOST_TEST(has(plan_of(graph, "MATCH (r:Root)-[:HAS*]->(l) RETURN count(DISTINCT l)"), "Reach(All)"));
  BOOST_TEST(has(plan_of(graph, "MATCH (r:Root)-[:HAS*]->(l) RETURN l"), "VarLengthExpand(All)"));
  BOOST_TEST(has(plan_of(graph, "MATCH (r:Root)-[x:HAS*]->(l) RETURN DISTINCT l"), "VarLengthExpand(All)"));
  BOOST_TEST(has(plan_of(graph, "MATCH p = (r:Root)-[:HAS*]->(l) RETURN DISTINCT l"), "VarLengthExpand(All)"));
  BOOST_TEST(has(plan_of(graph, "MATCH (r:Root)-[:HAS*]-(l) RETURN DISTINCT l"), "Reach(All)"));
}

BOOST_AUTO_TEST_CASE(stops_at_the_limit) {
  auto const asked = ask_graph(graph, "PROFILE MATCH (r:Root)-[:HAS]->(l) RETURN l.i LIMIT 3");
  BOOST_TEST(asked.rows.size() == 3u);
  for (auto const& line : asked.plan) {
    BOOST_TEST_CONTEXT(to_text(asked.plan)) {
      BOOST_TEST(line.rows.value() <= 3u);
    }
  }
}

BOOST_AUTO_TEST_CASE(keeps_only_the_rows_of_a_limit_when_it_sorts) {
  auto const text = "MATCH (l:Leaf) RETURN l.i ORDER BY l.i DESC SKIP 1 LIMIT 2";
  BOOST_TEST(ask_graph(graph, text, {}, {.bytes_max = 4000}).text() == "299; 298");
  auto const whole = ask_graph(graph, "MATCH (l:Leaf) RETURN l.i ORDER BY l.i DESC", {}, {.bytes_max = 4000});
  BOOST_TEST(whole.text() == "LimitExceeded bytes");
}

BOOST_AUTO_TEST_CASE(ends_at_each_bound_with_its_name) {
  BOOST_TEST(ask_graph(graph, "MATCH (l:Leaf) RETURN 1", {}, {.rows_max = 10}).error->detail == "rows");
  BOOST_TEST(ask_graph(graph, "MATCH (a), (b), (c) RETURN count(*)", {}, {.steps_max = 100'000}).error->detail ==
             "steps");
  BOOST_TEST(ask_graph(graph, "RETURN range(1, 1000000000)").error->detail == "list");
  BOOST_TEST(
      ask_graph(graph, "UNWIND range(1, 1000000) AS i RETURN collect(i)", {}, {.bytes_max = 1 << 20}).error->detail ==
      "bytes");
  BOOST_TEST(ask_graph(graph, "MATCH (l:Leaf) RETURN DISTINCT l.i", {}, {.bytes_max = 2000}).error->detail == "bytes");
}

/// Sharing makes small values that look huge: they are refused by what they look like.
BOOST_AUTO_TEST_CASE(bounds_values_that_nest_or_share) {
  BOOST_TEST(ask_graph(graph, "RETURN reduce(s = 1, i IN range(1, 100000) | [s])").error->detail == "depth");
  BOOST_TEST(ask_graph(graph, "RETURN reduce(s = 1, i IN range(1, 100000) | {a: s})").error->detail == "depth");
  BOOST_TEST(ask_graph(graph, "RETURN reduce(s = 1, i IN range(1, 100) | [s, s])").error->detail == "bytes");
  BOOST_TEST(ask_graph(graph, "RETURN reduce(s = [1], i IN range(1, 100) | s + s)").error->detail == "bytes");
  BOOST_TEST(ask_graph(graph, "RETURN reduce(s = 'a', i IN range(1, 100) | s + s)").error->detail == "bytes");
}

class Cancelled final : public schema::Interrupt {
 public:
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override { return schema::Stop::cancelled; }
};

BOOST_AUTO_TEST_CASE(ends_when_it_is_cancelled) {
  Cancelled const interrupt;
  auto const prepared = prepare("MATCH (a), (b), (c) RETURN count(*)");
  BOOST_REQUIRE(prepared);
  auto rows = queries::cypher::run(*prepared, graph, {}, {.interrupt = interrupt});
  BOOST_REQUIRE(rows);
  auto const row = rows->next();
  BOOST_REQUIRE(!row);
  BOOST_TEST((row.error().kind == ErrorKind::cancelled));
  BOOST_TEST((rows->next().error().kind == ErrorKind::cancelled));
}

BOOST_AUTO_TEST_CASE(names_a_missing_parameter) {
  BOOST_TEST(ask_graph(graph, "RETURN $x").text() == "ParameterMissing MissingParameter");
  BOOST_TEST(ask_graph(graph, "RETURN $x + 1", {{"x", Value{std::int64_t{2}}}}).text() == "3");
}

BOOST_AUTO_TEST_CASE(finds_best_paths) {
  auto const roads = graph_of(
      "CREATE (a {n: 'a'}), (b {n: 'b'}), (c {n: 'c'}), (d {n: 'd'}), (a)-[:R {weight: 0.5}]->(b), (b)-[:R {weight: "
      "0.5}]->(d), "
      "(a)-[:R {weight: 0.1}]->(d), (a)-[:R {weight: 0.9}]->(c), (c)-[:R {weight: 0.9}]->(b)");
  BOOST_TEST(
      ask_graph(roads,
                "MATCH (a {n: 'a'}), (d {n: 'd'}) MATCH p = shortestPath((a)-[:R*]->(d)) RETURN [x IN nodes(p) | x.n]")
          .text() == "['a', 'd']");
  BOOST_TEST(
      ask_graph(roads,
                "MATCH (a {n: 'a'}), (d {n: 'd'}) MATCH p = strongestPath((a)-[:R*]->(d)) RETURN [x IN nodes(p) | x.n]")
          .text() == "['a', 'c', 'b', 'd']");
  BOOST_TEST(
      ask_graph(roads, "MATCH (a {n: 'a'}), (d {n: 'b'}) MATCH p = allShortestPaths((a)-[:R*]-(d)) RETURN length(p)")
          .sorted_text() == "1");
}

BOOST_AUTO_TEST_CASE(finds_all_shortest_paths) {
  auto const square = graph_of(
      "CREATE (a {n: 1})-[:R]->(b)-[:R]->(d {n: 4}), (a)-[:R]->(c)-[:R]->(d), (a)-[:R]->(:X)-[:R]->(:X)-[:R]->(d)");
  BOOST_TEST(
      ask_graph(square, "MATCH (a {n: 1}), (d {n: 4}) MATCH p = allShortestPaths((a)-[:R*]->(d)) RETURN length(p)")
          .text() == "2; 2");
  BOOST_TEST(
      ask_graph(
          square,
          "MATCH (a {n: 1}), (d {n: 4}) RETURN length(shortestPath((a)-[:R*]->(d))), shortestPath((d)-[:R*]->(a))")
          .text() == "2 | null");
  BOOST_TEST(ask_graph(square, "MATCH (a {n: 1}), (d {n: 4}) MATCH p = shortestPath((a)-[:R*..1]->(d)) RETURN p")
                 .text()
                 .empty());
  for (std::string const pattern : {"shortestPath((a)-[*2..]->(b))", "strongestPath((a)-[*..3]->(b))",
                                    "strongestPath((a)-->(b))", "shortestPath((a)-->(b)-->(c))"}) {
    BOOST_TEST(ask_graph(square, "MATCH p = " + pattern + " RETURN p").text() == "SyntaxError InvalidPattern");
  }
}

BOOST_AUTO_TEST_CASE(matches_patterns_in_bounded_time) {
  std::string const evil(2000, 'a');
  BOOST_TEST(ask_graph(graph, "RETURN $t =~ '(a|a|aa)*(a*)*b'", {{"t", Value{evil}}}).text() == "false");
  BOOST_TEST(
      ask_graph(graph, "RETURN 'Abc-12' =~ '(?i)[a-c]+-\\\\d{2}', 'x' =~ 'x?y*', 'ab' =~ 'a', 'a.b' =~ 'a\\\\.b'")
          .text() == "true | true | false | true");
  BOOST_TEST(ask_graph(graph, "RETURN 'a' =~ '('").error->detail == "InvalidArgumentValue");
  BOOST_TEST(ask_graph(graph, "RETURN 'a' =~ '(?=a)a'").error->detail == "InvalidArgumentValue");
  std::string const huge(std::size_t{60} << 20, 'a');
  BOOST_TEST(ask_graph(graph, "RETURN $t =~ '(a|b){10}.*'", {{"t", Value{huge}}}).text() == "LimitExceeded steps");
}

BOOST_AUTO_TEST_CASE(patterns_match_characters) {
  BOOST_TEST(
      ask_graph(graph, "RETURN 'é' =~ '.', 'né€😀' =~ 'n.{3}', '日本' =~ '[一-龥]+', 'é' =~ '[^a-z]', 'é' =~ '..'")
          .text() == "true | true | true | true | false");
  BOOST_TEST(
      ask_graph(graph, "RETURN 'ÉTÉ' =~ '(?i)été', 'Straße' =~ '\\\\p{L}+', 'a\\nb' =~ 'a.b', 'a\\nb' =~ '(?s)a.b'")
          .text() == "true | true | false | true");
}

BOOST_AUTO_TEST_CASE(undirected_walks_use_a_bitmap) {
  // A circle a-b-c, a tail to d, a double relation d-e, a loop at f.
  auto const graph_of_circles = graph_of(
      "CREATE (a {n: 'a'})-[:R]->(b {n: 'b'})-[:R]->(c {n: 'c'})-[:R]->(a), (c)-[:R]->(d {n: 'd'})-[:R]->(e {n: 'e'}), "
      "(e)-[:R]->(d), (f {n: 'f'})-[:R]->(f), (g {n: 'g'})-[:R]->(a)");
  auto const reached = [&](std::string const& start, std::string const& length) {
    auto const asked =
        ask_graph(graph_of_circles, "MATCH ({n: '" + start + "'})-[" + length + "]-(b) RETURN DISTINCT b.n");
    BOOST_TEST(std::ranges::count(asked.plan, "Reach(All)", &PlanLine::name) == 1);
    return asked.sorted_text();
  };
  BOOST_TEST(reached("a", "*") == "'a'; 'b'; 'c'; 'd'; 'e'; 'g'");
  BOOST_TEST(reached("a", "*..2") == "'b'; 'c'; 'd'; 'g'");
  BOOST_TEST(reached("a", "*..3") == "'a'; 'b'; 'c'; 'd'; 'e'; 'g'");
  BOOST_TEST(reached("g", "*") == "'a'; 'b'; 'c'; 'd'; 'e'");
  BOOST_TEST(reached("d", "*..1") == "'c'; 'e'");
  BOOST_TEST(reached("d", "*..2") == "'a'; 'b'; 'c'; 'd'; 'e'");
  BOOST_TEST(reached("f", "*") == "'f'");
  BOOST_TEST(ask_graph(graph_of_circles, "MATCH (x) WHERE EXISTS { (x)-[*]-(x) } RETURN x.n").sorted_text() ==
             "'a'; 'b'; 'c'; 'd'; 'e'; 'f'");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
