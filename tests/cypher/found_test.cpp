// Cases that the naive evaluator found: each was answered wrongly once, or by the plan that was chosen.

#include "queries/cypher/whence/view_graph.hpp"
#include "tests/cypher/asked.hpp"
#include "tests/queries/fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

std::string ask(PropertyGraph const& graph, std::string_view text) {
  return ask_graph(graph, text).text();
}

BOOST_AUTO_TEST_SUITE(cypher_found)

BOOST_AUTO_TEST_CASE(exists_of_a_pattern_asks_whether_it_matches) {
  auto const graph = graph_of("CREATE (a {x: 1})-[:T]->({x: 2})");
  BOOST_TEST(ask(graph, "MATCH (n) RETURN n.x, exists((n)-->()) ORDER BY n.x") == "1 | true; 2 | false");
  BOOST_TEST(ask(graph, "MATCH (n) WHERE NOT exists((n)-->()) RETURN n.x") == "2");
  BOOST_TEST(ask(graph, "MATCH (n) RETURN n.x, exists(n.y)  ORDER BY n.x") == "1 | false; 2 | false");
}

BOOST_AUTO_TEST_CASE(parts_of_lists_and_maps_are_grouped_by) {
  auto const graph = graph_of("CREATE (a {k: 'a'})-[:T]->({x: 2}), (a)-[:T]->({x: 3}), ({k: 'b'})-[:T]->({x: 5})");
  std::string const pairs = "MATCH (n)-->(m) WITH n, m ORDER BY m.x RETURN ";
  BOOST_TEST(ask(graph, pairs + "n {.k, xs: collect(m.x)} AS r ORDER BY r.k") ==
             "{k: 'a', xs: [2, 3]}; {k: 'b', xs: [5]}");
  BOOST_TEST(ask(graph, pairs + "{k: n.k, xs: collect(m.x)} AS r ORDER BY r.k") ==
             "{k: 'a', xs: [2, 3]}; {k: 'b', xs: [5]}");
  BOOST_TEST(ask(graph, pairs + "[n.k, count(*)] AS r ORDER BY r[0]") == "['a', 2]; ['b', 1]");
  BOOST_TEST(ask(graph, pairs + "{a: {k: n.k}, b: [count(*), n.k + '!', 7]} AS r ORDER BY r.a.k") ==
             "{a: {k: 'a'}, b: [2, 'a!', 7]}; {a: {k: 'b'}, b: [1, 'b!', 7]}");
  BOOST_TEST(ask(graph, "UNWIND [1, 1, 2] AS x RETURN x, {x: x, y: x + 1, n: count(*)} AS r ORDER BY x") ==
             "1 | {n: 2, x: 1, y: 2}; 2 | {n: 1, x: 2, y: 3}");
  BOOST_TEST(ask(graph, "UNWIND [1, -1, 2] AS x RETURN abs(x), [abs(x), count(*)] AS r ORDER BY r[0]") ==
             "1 | [1, 2]; 2 | [2, 1]");
  BOOST_TEST(ask(graph, "UNWIND [] AS x RETURN {x: x, n: count(*)}") == "");
  BOOST_TEST(ask(graph, "UNWIND [] AS x RETURN {n: count(*)}") == "{n: 0}");
  BOOST_TEST(ask(graph, "MATCH (n)-->(m) WITH {k: n.k, n: count(*)} AS r RETURN r.k, r.n ORDER BY r.k") ==
             "'a' | 2; 'b' | 1");
}

BOOST_AUTO_TEST_CASE(nothing_but_columns_stands_beside_an_aggregation) {
  auto const graph = graph_of("CREATE (a {k: 'a'})-[:T]->({x: 2}), (a)-[:T]->({x: 3}), ({k: 'b'})-[:T]->({x: 5})");
  std::string const pairs = "UNWIND [1, 2] AS a UNWIND [10, 20] AS m RETURN ";
  std::string const ambiguous = "SyntaxError AmbiguousAggregationExpression";
  for (std::string const column :
       {"m + count(*)", "{m: m + count(*)}", "size([m, count(*)])", "[x IN collect(a) | x + m]",
        "[x IN collect(a) WHERE x < m]", "reduce(s = m, x IN collect(a) | s + x)",
        "reduce(s = 0, x IN collect(a) | s + m)", "any(x IN collect(a) WHERE x = m)",
        "count(*) + COUNT { MATCH (n) WHERE n.x = m RETURN n }", "count(*) + COUNT { MATCH (n) RETURN sum(m) }"}) {
    BOOST_TEST(ask(graph, pairs + column) == ambiguous, column);
  }
  BOOST_TEST(ask(graph, "MATCH (n)-->() RETURN count(*) + COUNT { (n)-->() }") == ambiguous);
  BOOST_TEST(ask(graph, "MATCH (n)-->() RETURN count(*) + size([(n)-->(m) | m.x])") == ambiguous);
  BOOST_TEST(ask(graph, "MATCH (n)-->() WITH n, count(*) + COUNT { (n)-->() } AS c RETURN n.k, c ORDER BY n.k") ==
             "'a' | 4; 'b' | 2");
  BOOST_TEST(ask(graph, pairs + "m, [x IN collect(a) | x + m] ORDER BY m") == "10 | [11, 12]; 20 | [21, 22]");
  BOOST_TEST(ask(graph, pairs + "m, reduce(s = m, x IN collect(a) | s + x * m) ORDER BY m") == "10 | 40; 20 | 80");
  // A variable of the expression's own is no column, whatever its name.
  BOOST_TEST(ask(graph, "UNWIND [1, 2] AS x RETURN x, [x IN collect(x) | x + 10] ORDER BY x") == "1 | [11]; 2 | [12]");
  BOOST_TEST(ask(graph, "UNWIND [1, 2] AS x RETURN [x IN collect(x) | x + 10]") == "[11, 12]");
}

BOOST_AUTO_TEST_CASE(a_part_that_a_moment_does_not_know_is_named) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  auto const message = [&](std::string_view text) { return ask_graph(graph, text).error.value().message; };
  BOOST_TEST(message("RETURN duration({foo: 1})") ==
             "duration() knows no part 'foo', only years, quarters, months, weeks, days, hours, minutes, seconds, "
             "milliseconds, microseconds, nanoseconds");
  BOOST_TEST(message("RETURN duration({hours: 'x'})") == "'hours' has a value that duration() does not take");
  BOOST_TEST(message("RETURN date({yaer: 2020})").starts_with("date() knows no part 'yaer', only date, time, "));
  BOOST_TEST(message("RETURN date({year: 2020, weekYear: 2})").starts_with("date() knows no part 'weekYear', only "));
  BOOST_TEST(message("RETURN date.truncate('wek', date('2020-01-01'))") ==
             "date.truncate() does not know the unit 'wek' for this value, only millennium, century, decade, year, "
             "weekYear, quarter, month, week, day");
}

BOOST_AUTO_TEST_CASE(large_numbers_stay_what_they_are) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  BOOST_TEST(ask(graph, "RETURN toInteger(round(4503599627370497.0)), toInteger(round(-4503599627370497.0))") ==
             "4503599627370497 | -4503599627370497");
  BOOST_TEST(
      ask(graph, "RETURN toInteger(round(0.49999999999999994)), toInteger(round(-0.5)), toInteger(round(2.5))") ==
      "0 | 0 | 3");
  BOOST_TEST(ask(graph, "RETURN round(1e300, 300) = 1e300") == "true");
  BOOST_TEST(ask(graph, "RETURN toInteger(9.223372036854774784e18), toInteger(-9223372036854775808.0)") ==
             "9223372036854774784 | -9223372036854775808");
  BOOST_TEST(ask(graph, "RETURN toInteger(9223372036854775808.0)") == "null");
}

BOOST_AUTO_TEST_CASE(texts_of_integers_are_read_without_a_float) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  BOOST_TEST(ask(graph, "RETURN toInteger('9007199254740993.7'), toInteger('+9007199254740993'), toInteger('1e3')") ==
             "9007199254740993 | 9007199254740993 | 1000");
  BOOST_TEST(ask(graph,
                 "RETURN toInteger('9223372036854775808'), toInteger('-9223372036854775809.5'), "
                 "toInteger('12345678901234567890e-5')") == "null | null | 123456789012345");
  BOOST_TEST(ask(graph, "RETURN toInteger('-.5'), toInteger('1.x'), toFloat('nan'), toFloat('NaN') <> 0") ==
             "0 | null | null | true");
}

BOOST_AUTO_TEST_CASE(decimals_are_rounded_as_they_are_shown) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  BOOST_TEST(ask(graph, "RETURN round(1.005, 2), round(2.675, 2), round(-1.55, 1), round(0.95, 1), round(9.995, 2)") ==
             "1.01 | 2.68 | -1.6 | 1.0 | 10.0");
  BOOST_TEST(ask(graph, "RETURN round(0.05, 1), round(0.04, 1), round(-0.04, 1), round(0.004, 1), round(1e-300, 5)") ==
             "0.1 | 0.0 | 0.0 | 0.0 | 0.0");
  BOOST_TEST(ask(graph, "RETURN round(-1.5), round(-1.5, 0), round(3, 2), round(123.456, 2)") ==
             "-1.0 | -1.0 | 3.0 | 123.46");
}

BOOST_AUTO_TEST_CASE(months_between_two_days_are_counted_by_their_numbers) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  auto const between = [&](std::string const& a, std::string const& b) {
    return ask(graph, "RETURN toString(duration.between(localdatetime('" + a + "'), localdatetime('" + b + "')))");
  };
  BOOST_TEST(between("2021-01-31", "2021-02-28") == "'P28D'");
  BOOST_TEST(between("2021-01-31", "2021-03-01") == "'P1M1D'");
  BOOST_TEST(between("2020-02-29", "2021-02-28") == "'P11M30D'");
  BOOST_TEST(between("2021-02-28", "2021-01-31") == "'P-28D'");
  BOOST_TEST(between("2021-03-31", "2021-02-28") == "'P-1M'");
  BOOST_TEST(between("2021-01-15T12:00", "2021-02-15T11:00") == "'P30DT23H'");
  BOOST_TEST(between("2021-02-15T11:00", "2021-01-15T12:00") == "'P-30DT-23H'");
  BOOST_TEST(ask(graph, "RETURN duration.inMonths(date('2021-01-31'), date('2021-02-28')).months") == "0");
}

BOOST_AUTO_TEST_CASE(what_a_moment_between_two_days_adds_up_to_is_the_second) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  BOOST_TEST(ask(graph,
                 "UNWIND range(-40, 40) AS x UNWIND range(-450, 450, 7) AS y UNWIND [0, 1, 13] AS h "
                 "WITH localdatetime('2020-03-01T12:00') + duration({days: x}) AS a, "
                 "localdatetime('2020-03-01T06:00') + duration({days: y, hours: h}) AS b "
                 "WHERE a + duration.between(a, b) <> b RETURN count(*)") == "0");
}

BOOST_AUTO_TEST_CASE(moments_and_durations_that_cannot_be_are_refused) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  for (auto const* const text :
       {"duration('P1H')", "duration('PT1D')", "duration('P1D1Y')", "duration('PT1M2M')",
        "date({year: 2021, quarter: 1, dayOfQuarter: 91})", "date('2021-Q1-91')",
        "date('+999999999-12-31') + duration('P1D')", "date('-999999999-01-01') - duration('P1D')",
        "datetime.fromepoch(9223372036854775807, 9223372036854775807)"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(ask_graph(graph, std::string{"RETURN "} + text).error.has_value());
    }
  }
  BOOST_TEST(ask(graph,
                 "RETURN toString(date('2020-Q1-91')), toString(date({year: 2021, quarter: 3, dayOfQuarter: "
                 "92}))") == "'2020-03-31' | '2021-09-30'");
}

BOOST_AUTO_TEST_CASE(parts_of_a_long_duration_are_right_or_absent) {
  auto const graph = graph_of("CREATE (a {x: 1})");
  BOOST_TEST(ask(graph,
                 "WITH duration({seconds: 10000000000000}) AS d "
                 "RETURN d.milliseconds, d.microseconds, d.nanoseconds") == "10000000000000000 | null | null");
}

BOOST_AUTO_TEST_CASE(best_paths_lead_from_a_node_to_itself) {
  // Two circles around a of lengths 3 and 2, the shorter one twice and weaker; a loop at d.
  auto const graph = graph_of(
      "CREATE (a {x: 1})-[:T]->(b {x: 2})-[:T]->(c {x: 3})-[:T]->(a), (a)-[:T {weight: 0.5}]->(d {x: 4})-[:T]->(a), "
      "(d)-[:T]->(a), (d)-[:T]->(d)");
  std::string const lengths = " RETURN a.x, length(p) ORDER BY a.x";
  BOOST_TEST(ask(graph, "MATCH p = shortestPath((a)-[*]->(a))" + lengths) == "1 | 2; 2 | 3; 3 | 3; 4 | 1");
  BOOST_TEST(ask(graph, "MATCH p = allShortestPaths((a)-[*]->(a))" + lengths) == "1 | 2; 1 | 2; 2 | 3; 3 | 3; 4 | 1");
  BOOST_TEST(ask(graph, "MATCH p = shortestPath((a)-[*0..]->(a))" + lengths) == "1 | 0; 2 | 0; 3 | 0; 4 | 0");
  BOOST_TEST(ask(graph, "MATCH p = shortestPath((a)-[*..2]->(a))" + lengths) == "1 | 2; 4 | 1");
  BOOST_TEST(ask(graph, "MATCH p = strongestPath((a)-[*]->(a))" + lengths) == "1 | 3; 2 | 3; 3 | 3; 4 | 1");
}

BOOST_AUTO_TEST_CASE(a_circle_does_not_go_back_along_its_relation) {
  auto const line = graph_of("CREATE (a {x: 1})-[:T]->(b {x: 2})");
  BOOST_TEST(ask(line, "MATCH p = shortestPath((a)-[*]-(a)) RETURN length(p)") == "");
  auto const ring = graph_of("CREATE (a {x: 1})-[:T]->(b {x: 2})-[:T]->(c {x: 3})-[:T]->(a), (a)-[:T]->(e {x: 5})");
  BOOST_TEST(ask(ring, "MATCH p = shortestPath((a)-[*]-(a)) RETURN a.x, length(p) ORDER BY a.x") ==
             "1 | 3; 2 | 3; 3 | 3");
  // Both ways around are paths of their own.
  BOOST_TEST(ask(ring, "MATCH p = allShortestPaths((a {x: 1})-[*]-(a)) RETURN count(p)") == "2");
}

BOOST_AUTO_TEST_CASE(properties_of_a_walk_may_name_what_is_bound_behind_it) {
  auto const graph = graph_of(
      "CREATE (:A {x: 1})-[:T {w: 7}]->(m:B {w: 7}), (m)-[:T {w: 7}]->(:B {w: 7}), (m)-[:T {w: 8}]->(:B {w: 7})");
  BOOST_TEST(ask(graph, "MATCH (a:A)-[r*1.. {w: b.w}]->(b) RETURN count(*), max(size(r))") == "2 | 2");
  BOOST_TEST(ask(graph, "MATCH (a:A)-[r* {w: c.w}]->(b), (c:B) RETURN count(*)") == "6");
  BOOST_TEST(ask(graph, "MATCH p = shortestPath((a:A)-[* {w: c.w}]->(b:B)), (c:A) RETURN count(*)") == "0");
}

BOOST_AUTO_TEST_CASE(a_node_of_another_moment_is_looked_at_as_it_was_then) {
  test::RecordWorld world;
  world.commit({test::unit("cu_a")});
  world.commit({test::next_version("cu_b", "cu_a", 2)});
  ViewGraph const graph{world.view()};
  BOOST_TEST(ask(graph, "MATCH (n) MATCH (n) AT TX 1 RETURN n.id") == "'cu_a'");
  BOOST_TEST(ask(graph, "MATCH (n) WHERE EXISTS { MATCH (n) AT TX 1 } RETURN n.id") == "'cu_a'");
  BOOST_TEST(ask(graph, "MATCH (n {id: 'cu_a'}) MATCH (n {status: 'active'}) AT TX 1 RETURN n.status") == "'updated'");
  BOOST_TEST(ask(graph, "MATCH (n {id: 'cu_a'}) MATCH (n {status: 'updated'}) AT TX 1 RETURN n.status") == "");
  BOOST_TEST(ask(graph, "MATCH (n {id: 'cu_a'}) MATCH p = (n) AT TX 1 RETURN nodes(p)[0].status") == "'active'");
  BOOST_TEST(ask(graph, "MATCH ()-[r]->() MATCH (a)-[r]->() AT TX 1 RETURN a.id") == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
