// Claim: an aggregation answers the same, in the same order, whether its pattern is matched in batches or row by row; a
// path that is searched from both ends is as short as one that is searched from its start.
// Method: random graphs and patterns from a printed seed; an UNWIND between pattern and aggregation makes rows.

#include "tests/cypher/asked.hpp"
#include "tests/support/seed.hpp"

#include <array>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string made;
  for (auto const part : parts) made += part;
  return made;
}

class RandomPatterns {
 public:
  explicit RandomPatterns(std::uint64_t seed) : random_(seed) {
    size_ = 2 + draw(8);
    for (std::size_t i = 0; i < size_; ++i) {
      Map properties{{"x", Value{static_cast<std::int64_t>(draw(3))}}};
      if (draw(3) > 0) properties["t"] = Value{draw(2) == 0 ? "one" : "two"};
      graph.add_node(draw(2) == 0 ? std::vector<std::string>{"A"} : std::vector<std::string>{}, properties);
    }
    for (auto i = draw(20); i > 0; --i)
      graph.add_relation(draw(size_), draw(size_), draw(2) == 0 ? "T0" : "T1", {{"w", Value{std::int64_t{2}}}});
  }

  /// One or two chains over the variables a to d, and perhaps a condition.
  [[nodiscard]] std::string match() {
    std::string made = "MATCH " + chain();
    if (draw(3) == 0) made += ", " + chain();
    if (draw(4) == 0) made += " WHERE a.x <= 1 AND a.x <> 5";
    return made;
  }

  MemoryGraph graph;

 private:
  std::size_t draw(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  [[nodiscard]] std::string node(char name) {
    std::string made = std::string{"("} + name;
    if (draw(4) == 0) made += ":A";
    if (draw(6) == 0) made += " {x: 1}";
    return made + ")";
  }
  [[nodiscard]] std::string chain() {
    auto made = node('a');
    for (auto left = draw(4); left > 0; --left) {
      bool const is_left = draw(3) == 0;
      std::string const type = draw(2) == 0 ? "" : draw(2) == 0 ? ":T0" : ":T0|T1";
      made += (is_left ? "<-[" : "-[") + type + (draw(4) == 0 || is_left ? "]-" : "]->");
      made += node(static_cast<char>('a' + draw(4)));
    }
    return made;
  }

  std::mt19937_64 random_;
  std::size_t size_;
};

constexpr std::array projections = {
    "RETURN count(*)",
    "RETURN count(a), count(DISTINCT a)",
    "RETURN id(a) AS k, count(*)",
    "RETURN a.x AS k, count(*), count(DISTINCT a), sum(a.x), min(a.t), size(collect(a.x))",
    "RETURN a.x AS k, a.t AS l, substring(a.t, 0, 1) AS m, count(*) AS n",
    "RETURN id(a) AS k, count(*) AS n ORDER BY n DESC, k LIMIT 2",
    "RETURN id(a) AS k, count(*) AS n ORDER BY n, k DESC SKIP 1 LIMIT 2",
    "RETURN id(a) AS k, count(*) + 1 AS n ORDER BY n DESC LIMIT 3",
    "RETURN a.x + 1 AS k, count(*) AS n ORDER BY count(*) DESC LIMIT 1",
    "RETURN a.x AS k, count(*) AS n ORDER BY n LIMIT 0",
    "WITH a, count(*) AS n WHERE n > 1 RETURN id(a), n, a.x",
};

BOOST_AUTO_TEST_SUITE(cypher_batch)

BOOST_AUTO_TEST_CASE(groups_as_rows_do) {
  auto const seed = test::seed_from_environment();
  std::size_t batched = 0;
  for (std::uint64_t number = 0; number < 1500; ++number) {
    RandomPatterns one{seed + number};
    auto const match = one.match();
    for (std::string const projection : projections) {
      BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", " << number << ": " << match << " " << projection) {
        auto const in_batches = ask_graph(one.graph, joined({"PROFILE ", match, " ", projection}));
        auto const by_rows = ask_graph(one.graph, joined({match, " UNWIND [1] AS one ", projection}));
        BOOST_REQUIRE(!by_rows.error);
        // Without ORDER BY the order of rows is that of the plan.
        bool const is_ordered = projection.find("ORDER BY") != std::string::npos;
        BOOST_REQUIRE_EQUAL(is_ordered ? in_batches.text() : in_batches.sorted_text(),
                            is_ordered ? by_rows.text() : by_rows.sorted_text());
        batched += to_text(in_batches.plan).find("in batches") != std::string::npos ? 1 : 0;
        BOOST_REQUIRE(to_text(by_rows.plan).find("in batches") == std::string::npos);
      }
    }
  }
  BOOST_TEST(batched == 1500 * projections.size());
}

BOOST_AUTO_TEST_CASE(counts_what_walks_reach_as_rows_do) {
  auto const seed = test::seed_from_environment();
  constexpr std::array matches = {"MATCH (a:A)-[:T0*]->(b)", "MATCH (a)-[:T1*0..2]->(b:A)", "MATCH (a {x: 1})-[*]-(b)",
                                  "MATCH (a:A), (b)<-[:T0*..2]-(a)"};
  constexpr std::array counts = {"RETURN count(DISTINCT b)", "RETURN a.x AS k, count(DISTINCT b), count(DISTINCT a)",
                                 "RETURN id(a) AS k, count(DISTINCT a.t) AS n ORDER BY n DESC, k LIMIT 2",
                                 "RETURN count(DISTINCT a), min(b.x)"};
  for (std::uint64_t number = 0; number < 300; ++number) {
    RandomPatterns const one{seed + number};
    for (std::string const match : matches) {
      for (std::string const count : counts) {
        BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", " << number << ": " << match << " " << count) {
          auto const in_batches = ask_graph(one.graph, joined({match, " ", count}));
          BOOST_REQUIRE(to_text(in_batches.plan).find("in batches") != std::string::npos);
          BOOST_REQUIRE(in_batches.sorted_text() ==
                        ask_graph(one.graph, joined({match, " UNWIND [1] AS one ", count})).sorted_text());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_more_than_a_byte_holds) {
  auto const graph = graph_of(
      "CREATE (a {n: 'a'}), (b {n: 'b'}), (c {n: 'c'}), (d {n: 'd'}) WITH a, b, c, d UNWIND range(1, 600) AS i "
      "CREATE (s:B {i: i})-[:R]->(a), (s)-[:R]->(b), (s)-[:R]->(a) "
      "WITH s, c, d WHERE s.i < 256 CREATE (s)-[:R]->(c) WITH s, d WHERE s.i < 255 CREATE (s)-[:R]->(d)");
  auto const asked = ask_graph(graph, "PROFILE MATCH (s:B)-[:R]->(t) RETURN t.n, count(*), count(t)");
  BOOST_TEST(asked.text() == "'a' | 1200 | 1200; 'b' | 600 | 600; 'c' | 255 | 255; 'd' | 254 | 254");
  BOOST_TEST(to_text(asked.plan).find("rows 2309") != std::string::npos, to_text(asked.plan));
}

BOOST_AUTO_TEST_CASE(profiles_counts_as_the_rows_they_stand_for) {
  auto const graph = graph_of(
      "CREATE (a:A {n: 'a'}), (b {n: 'b'}) WITH a, b UNWIND range(1, 5) AS i CREATE (:B)-[:R]->(a), (:B)-[:R]->(b)");
  auto const asked =
      ask_graph(graph, "PROFILE MATCH (s:B)-[:R]->(t) WHERE t.n < 'c' RETURN t.n, count(*) AS n ORDER BY t.n");
  auto const text = to_text(asked.plan);
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(asked.text() == "'a' | 5; 'b' | 5");
    BOOST_TEST(text.find("Expand(All) (s:B)-[:R]->(t)") != std::string::npos);
    BOOST_TEST(text.find("rows 10, looked at 20") != std::string::npos);   // expanded
    BOOST_TEST(text.find("rows 10, looked at 2\n") != std::string::npos);  // filtered, a node once
  }
}

BOOST_AUTO_TEST_CASE(groups_what_is_walked_to_and_counted_of_the_last_relation) {
  auto const graph = graph_of(
      "CREATE (a:A {n: 'a'})-[:R]->(b:B {n: 'b'})-[:R]->(c:B {n: 'c'})-[:S]->(d:B {n: 'd'}), (a)-[:R]->(c), "
      "(a)-[:R]->(b)");
  auto const ask = [&](std::string const& text) {
    auto const asked = ask_graph(graph, text);
    BOOST_TEST(to_text(asked.plan).find("in batches") != std::string::npos, text);
    return asked.text();
  };
  BOOST_TEST(ask("MATCH (a:A)-[:R*]->(n) RETURN count(DISTINCT n)") == "2");
  BOOST_TEST(ask("MATCH (a:A)-[:R|S*0..]->(n) RETURN count(DISTINCT n)") == "4");
  BOOST_TEST(ask("MATCH (a)-[:R]->(b) RETURN a.n, count(*) ORDER BY a.n") == "'a' | 3; 'b' | 1");
  BOOST_TEST(ask("MATCH (a)-[r:R]->(b) RETURN a.n, count(r), count(b) ORDER BY a.n") == "'a' | 3 | 3; 'b' | 1 | 1");
  BOOST_TEST(ask("MATCH (a)-[:R]->(b)-[:R]->(c), (a)-[:R]->(c) RETURN count(*)") == "2");
  BOOST_TEST(ask("MATCH (a)-[:R]->(b)<-[:R]-(c) RETURN count(*)") == "4");
  BOOST_TEST(ask("MATCH (x:None)-[:R]->(b) RETURN count(*)") == "0");
  BOOST_TEST(ask("MATCH (x:None)-[:R]->(b) RETURN b.n, count(*)").empty());
}

BOOST_AUTO_TEST_CASE(profiles_what_stages_do) {
  auto const graph = graph_of("CREATE (:A)-[:R]->(:B), (:A)-[:R]->(:B)");
  auto const asked = ask_graph(graph, "PROFILE MATCH (a:A)-[:R]->(b:B) RETURN count(*)");
  auto const text = to_text(asked.plan);
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(text.find("Aggregation in batches  estimate 1, rows 1, looked at 0") != std::string::npos);
    BOOST_TEST(text.find("rows 2, looked at 4") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(bounds_what_groups_hold_and_look_at) {
  auto const graph = graph_of("UNWIND range(1, 400) AS i CREATE (:A {i: i})");
  BOOST_TEST(ask_graph(graph, "MATCH (a:A) RETURN a.i, count(*)", {}, {.bytes_max = 4000}).text() ==
             "LimitExceeded bytes");
  BOOST_TEST(ask_graph(graph, "MATCH (a:A), (b:A) RETURN count(*)", {}, {.steps_max = 1000}).text() ==
             "LimitExceeded steps");
}

BOOST_AUTO_TEST_CASE(meets_on_a_shortest_path) {
  auto const seed = test::seed_from_environment();
  for (std::uint64_t number = 0; number < 1500; ++number) {
    RandomPatterns const one{seed + number};
    for (std::string const relation : {"-[:T0*]->", "<-[*]-", "-[*..3]-", "-[:T1|T0*0..4]->"}) {
      std::string const ends = "MATCH (a {x: 0}), (b {x: 1}) ";
      // A map of properties keeps the search from one end.
      auto const with_properties =
          relation.substr(0, relation.rfind(']')) + " {w: 2}" + relation.substr(relation.rfind(']'));
      // Every relation of a path lies between the nodes beside it.
      std::string const plain =
          " RETURN id(a), id(b), length(p), id(nodes(p)[0]) = id(a), id(last(nodes(p))) = id(b), all(i IN range(0, "
          "length(p) "
          "- 1) WHERE id(nodes(p)[i]) IN [id(startNode(relationships(p)[i])), id(endNode(relationships(p)[i]))] AND "
          "id(nodes(p)[i + 1]) IN [id(startNode(relationships(p)[i])), id(endNode(relationships(p)[i]))])";
      BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", " << number << ": " << relation) {
        auto const met = ask_graph(one.graph, joined({ends, "MATCH p = shortestPath((a)", relation, "(b))", plain}));
        auto const walked =
            ask_graph(one.graph, joined({ends, "MATCH p = shortestPath((a)", with_properties, "(b))", plain}));
        BOOST_REQUIRE(!met.error);
        BOOST_REQUIRE(met.text() == walked.text());
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
