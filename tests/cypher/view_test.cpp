// Records as a property graph: labels, properties, influence, past moments.

#include "queries/cypher/whence/json_value.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "schema/json/json.hpp"
#include "tests/cypher/asked.hpp"
#include "tests/queries/fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

// cu_a .25, cu_b .75 -> resp_1 -> cu_c (also made from cu_a); cu_c .5, cu_a .5 -> resp_2; feedback on resp_2.
struct TwoHopView {
  TwoHopView() {
    world.commit({test::unit("cu_a"), test::unit("cu_b")});
    world.commit({test::response("resp_1", {{"cu_a", 0.25}, {"cu_b", 0.75}})});
    auto made = test::derived("cu_c", {"cu_a"});
    made.updated_by_response_id = "resp_1";
    made.timestamp = test::at_second(10);
    world.commit({made, test::response("resp_2", {{"cu_c", 0.5}, {"cu_a", 0.5}})});
    world.commit({test::topic("t"), test::feedback("fb_1", "resp_2", 1)});
  }

  [[nodiscard]] std::string ask(std::string_view text, Map params = {}) const {
    ViewGraph const graph{world.view()};
    auto const asked = ask_graph(graph, text, std::move(params));
    BOOST_TEST(!graph.error().has_value());
    return asked.text();
  }

  test::RecordWorld world;
};

/// Counts the contents that are read.
class CountedReads final : public schema::RecordReader {
 public:
  explicit CountedReads(schema::RecordReader const& inner) : inner_(inner) {}
  [[nodiscard]] Result<void> read(
      std::span<schema::ContentId const> contents,
      std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override {
    count += contents.size();
    return inner_.read(contents, visit);
  }
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& digest) const override {
    return inner_.read_blob(digest);
  }

  mutable std::size_t count = 0;

 private:
  schema::RecordReader const& inner_;
};

BOOST_FIXTURE_TEST_SUITE(cypher_view, TwoHopView)

BOOST_AUTO_TEST_CASE(texts_in_memory_are_compared_without_reading_records) {
  graph::FieldColumns columns;
  auto const followed = world.view();
  BOOST_REQUIRE(columns.follow(followed.snapshot, *followed.records));
  CountedReads const reads{*followed.records};
  auto const agent = ask("MATCH (r:Response {id: 'resp_1'}) RETURN r.agent");
  auto const count = [&](std::string const& pattern) {
    auto view = world.view();
    auto const by_records = ask("MATCH " + pattern + " RETURN count(*)", {{"x", "file:notes"}});
    view.records = &reads;
    view.columns = &columns;
    ViewGraph const graph{view};
    auto const asked = ask_graph(graph, "MATCH " + pattern + " RETURN count(*)", {{"x", "file:notes"}});
    BOOST_TEST(to_text(asked.plan).find("in batches") != std::string::npos, pattern);
    BOOST_TEST(asked.text() == by_records, pattern);
    return asked.text();
  };
  BOOST_TEST(count("(r:Response {agent: " + agent + "})") == "2");
  BOOST_TEST(count("(r:Response {agent: 'other'})") == "0");
  BOOST_TEST(count("(r:Response) WHERE " + agent + " = r.agent AND r.model = 'none'") == "0");
  BOOST_TEST(count("(:ContextUnit {source: $x})-[:USED_IN]->(r:Response) WHERE r.agent = " + agent) == "4");
  BOOST_TEST(count("(u:ContextUnit {source: 5})") == "0");
  BOOST_TEST(count("(u:ContextUnit) WHERE u.source = null") == "0");
  BOOST_TEST(reads.count == 0u);
  // Nobody knows yet what has no label, or what came after the columns.
  BOOST_TEST(count("(u {source: $x})") == "3");
  BOOST_TEST(reads.count > 0u);
  world.commit({test::response("resp_3", {{"cu_a", 1}})});
  BOOST_TEST(count("(r:Response {agent: " + agent + "})") == "3");
}

BOOST_AUTO_TEST_CASE(texts_are_compared_of_nodes_whose_label_was_checked) {
  graph::FieldColumns columns;
  auto view = world.view();
  BOOST_REQUIRE(columns.follow(view.snapshot, *view.records));
  view.columns = &columns;
  ViewGraph const graph{view};
  std::string const text = "MATCH (n {source: 'file:notes'}), (n:ContextUnit) MATCH (n:Node) RETURN count(*)";
  BOOST_TEST(ask_graph(graph, text).text() == "3");
  BOOST_TEST(ask_graph(graph, "MATCH (n {agent: 'a'}) MATCH (n:Response) RETURN count(*)").text() == "0");
}

BOOST_AUTO_TEST_CASE(labels_are_the_type_and_node) {
  BOOST_TEST(ask("MATCH (n:ContextUnit) RETURN n.id, labels(n) ORDER BY n.id LIMIT 1") ==
             "'cu_a' | ['ContextUnit', 'Node']");
  BOOST_TEST(ask("MATCH (n:Node) RETURN count(*)") == "7");
  BOOST_TEST(ask("MATCH (n:Unknown) RETURN count(*)") == "0");
}

BOOST_AUTO_TEST_CASE(properties_are_the_members_and_what_the_graph_knows) {
  BOOST_TEST(ask("MATCH (n {ref: 'ContextUnit:cu_c'}) RETURN n.source, n.tx, n.status, n.nothing") ==
             "'file:notes' | 3 | 'active' | null");
  BOOST_TEST(ask("MATCH (r:Response {id: 'resp_1'}) RETURN size(r.context_units), r.context_units[1].weight") ==
             "2 | 0.75");
  BOOST_TEST(ask("MATCH (r:Response {id: 'resp_1'}) RETURN properties(r).ref") == "'Response:resp_1'");
}

BOOST_AUTO_TEST_CASE(times_of_records_are_moments) {
  BOOST_TEST(ask("MATCH (r:Response {id: 'resp_1'}) RETURN r.timestamp = datetime(r.timestamp), "
                 "r.timestamp = toString(r.timestamp), properties(r).timestamp = r.timestamp") == "true | true | true");
  BOOST_TEST(ask("MATCH (r:Response {id: 'resp_1'}) RETURN r.timestamp < 'no time', r.timestamp = 'no time'") ==
             "null | null");
  // An instant is the same in every offset; the order of values tells the offsets apart.
  BOOST_TEST(ask("WITH datetime('2025-06-01T12:00+02:00') AS a, datetime('2025-06-01T10:00Z') AS b "
                 "RETURN a = b, a <= b, a >= b, a < b, a <> b, a IN [b]") ==
             "true | true | true | false | false | true");
  BOOST_TEST(ask("RETURN date('2025-06-01') = '2025-06-01', '2025-06' < date('2025-06-02'), "
                 "localtime('10:00') > '09:59:59.9', datetime('2025-06-01T00:00Z') = '2025-06-01'") ==
             "true | true | true | true");
}

BOOST_AUTO_TEST_CASE(a_node_is_not_sought_by_what_it_says_itself) {
  for (std::string const text :
       {"MATCH (n {ref: coalesce(null, n.ref)}) RETURN count(*)", "MATCH (n) WHERE n.ref = n.ref RETURN count(*)"}) {
    BOOST_TEST(ask(text) == "7", text);
  }
}

BOOST_AUTO_TEST_CASE(a_ref_is_sought_by_the_index) {
  ViewGraph const graph{world.view()};
  for (std::string const text :
       {"MATCH (n {ref: 'ContextUnit:cu_c'}) RETURN n", "MATCH (n) WHERE n.ref = 'ContextUnit:cu_c' RETURN n",
        "MATCH (n:ContextUnit {id: 'cu_c'}) RETURN n", "MATCH (n {id: 'cu_c'}) RETURN n",
        "MATCH (n:Node {id: 'cu_c'}) RETURN n", "WITH 'ContextUnit:cu_c' AS r MATCH (n) WHERE r = n.ref RETURN n"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(to_text(ask_graph(graph, "EXPLAIN " + text).plan).find("NodeIndexSeek") != std::string::npos);
      BOOST_TEST(ask_graph(graph, text).rows.size() == 1u);
    }
  }
  BOOST_TEST(ask("MATCH (n {ref: 'cu_c'}) RETURN n") == "");
  BOOST_TEST(ask("MATCH (n {ref: 5}) RETURN n") == "");
}

BOOST_AUTO_TEST_CASE(edges_run_in_their_stored_direction) {
  BOOST_TEST(ask("MATCH (u:ContextUnit {id: 'cu_c'})-[r]->(o) RETURN type(r), o.id ORDER BY type(r), o.id") ==
             "'DERIVED_FROM' | 'cu_a'; 'UPDATED_BY' | 'resp_1'; 'USED_IN' | 'resp_2'");
  BOOST_TEST(ask("MATCH (f:FeedbackRecord)-[r:EVALUATES]->(o) RETURN o.id, r.score") == "'resp_2' | 1.0");
  BOOST_TEST(ask("MATCH (f:FeedbackRecord) RETURN f.score, f.score / 2") == "1.0 | 0.5");
  BOOST_TEST(ask("MATCH (:ContextUnit {id: 'cu_a'})-[r:USED_IN]->(o) RETURN o.id, r.weight, r.tx ORDER BY o.id") ==
             "'resp_1' | 0.25 | 2; 'resp_2' | 0.5 | 3");
  BOOST_TEST(ask("MATCH (a)--(b) RETURN count(*)") == ask("MATCH (a)-->(b) RETURN 2 * count(*)"));
}

BOOST_AUTO_TEST_CASE(a_type_that_leads_to_one_label_needs_no_check_of_it) {
  ViewGraph const graph{world.view()};
  auto const plan = [&](std::string const& text) { return to_text(ask_graph(graph, "EXPLAIN " + text).plan); };
  auto const has_check = [&](std::string const& pattern) {
    return plan("MATCH (n {id: 'cu_c'}) MATCH " + pattern + " RETURN o.id").find("Filter labels") != std::string::npos;
  };
  BOOST_TEST(!has_check("(n)-[:USED_IN]->(o:Response)"));
  BOOST_TEST(!has_check("(n)-[:USED_IN|PROMPTED]->(o:Response:Node)"));
  BOOST_TEST(!has_check("(n)-[:INFLUENCES]->(o:Node)"));
  BOOST_TEST(!has_check("(n)-[:DERIVED_FROM]-(o:ContextUnit)"));
  BOOST_TEST(has_check("(n)<-[:USED_IN]-(o:ContextUnit)"));
  BOOST_TEST(has_check("(n)-[:USED_IN]->(o:ContextUnit)"));
  BOOST_TEST(has_check("(n)-[:USED_IN]-(o:Response)"));
  BOOST_TEST(has_check("(n)-[:INFLUENCES]->(o:Response)"));
  BOOST_TEST(has_check("(n)-->(o:Response)"));
  BOOST_TEST(ask("MATCH (n {id: 'cu_c'})-[:USED_IN]->(o:Response) RETURN o.id, o.agent") ==
             ask("MATCH (n {id: 'cu_c'})-[:USED_IN]->(o) WHERE o:Response RETURN o.id, o.agent"));
  BOOST_TEST(ask("MATCH (:ContextUnit)-[:USED_IN]->(o:Response) RETURN o.id, count(*) ORDER BY o.id") ==
             "'resp_1' | 2; 'resp_2' | 2");
}

BOOST_AUTO_TEST_CASE(relations_whose_number_is_known_are_counted_from_there) {
  ViewGraph const graph{world.view()};
  std::string const counted = "MATCH (r)<-[:INFLUENCES]-(u:ContextUnit) RETURN u.id AS id, count(r) AS n";
  auto const plan = to_text(ask_graph(graph, "EXPLAIN " + counted).plan);
  BOOST_TEST(plan.find("NodeByLabelScan (u:ContextUnit)") != std::string::npos, plan);
  BOOST_TEST(ask(counted + " ORDER BY id") == "'cu_a' | 3; 'cu_b' | 1; 'cu_c' | 1");
  BOOST_TEST(ask("MATCH (u:ContextUnit)-[:INFLUENCES]->(r) WITH u.id AS id, r RETURN id, count(r) ORDER BY id") ==
             "'cu_a' | 3; 'cu_b' | 1; 'cu_c' | 1");
  for (std::string const type : {"USED_IN", "DERIVED_FROM", "UPDATED_BY", "INFLUENCES", "INFLUENCES|USED_IN"}) {
    for (std::string const& arrow : {"-[:" + type + "]->", "<-[:" + type + "]-", "-[:" + type + "]-"}) {
      BOOST_TEST(
          ask("MATCH (u)" + arrow + "(r) RETURN u.ref AS u, count(*) ORDER BY u") ==
          ask("MATCH (u)" + arrow + "(r) WITH u, collect(r.ref) AS all RETURN u.ref AS u, size(all) ORDER BY u"));
    }
  }
}

BOOST_AUTO_TEST_CASE(influence_is_a_type_from_cause_to_effect) {
  BOOST_TEST(ask("MATCH (a:ContextUnit {id: 'cu_b'})-[:INFLUENCES*]->(e) RETURN DISTINCT e.id ORDER BY e.id") ==
             "'cu_c'; 'resp_1'; 'resp_2'");
  BOOST_TEST(ask("MATCH (e:Response {id: 'resp_2'})<-[:INFLUENCES*]-(c) RETURN DISTINCT c.id ORDER BY c.id") ==
             "'cu_a'; 'cu_b'; 'cu_c'; 'resp_1'");
  BOOST_TEST(ask("MATCH (a {id: 'cu_a'})-[r:INFLUENCES]->(b:ContextUnit) RETURN type(r), r.type, startNode(r).id, "
                 "endNode(r).id") == "'INFLUENCES' | 'DERIVED_FROM' | 'cu_a' | 'cu_c'");
  BOOST_TEST(ask("MATCH (f:FeedbackRecord)-[:INFLUENCES]-(o) RETURN count(*)") == "0");
  BOOST_TEST(ask("MATCH (a {id: 'cu_b'}), (b {id: 'resp_2'}) MATCH p = strongestPath((a)-[:INFLUENCES*]->(b)) "
                 "RETURN [n IN nodes(p) | n.id], weight(p)") == "['cu_b', 'resp_1', 'cu_c', 'resp_2'] | 0.375");
}

BOOST_AUTO_TEST_CASE(reads_past_moments) {
  BOOST_TEST(ask("AT TX 2 MATCH (n:Node) RETURN count(*)") == "3");
  BOOST_TEST(ask("MATCH (n:Node) AT TX 1 RETURN count(*)") == "2");
  BOOST_TEST(ask("MATCH (n:Node) AT TX $tx RETURN count(*)", {{"tx", Value{std::int64_t{2}}}}) == "3");
  BOOST_TEST(ask("AT TX 0 MATCH (n) RETURN count(*)") == "0");
  BOOST_TEST(ask("AT TX 9 MATCH (n) RETURN count(*)") == "ArgumentError NumberOutOfRange");
  BOOST_TEST(ask("AT TX 'x' MATCH (n) RETURN count(*)") == "ArgumentError InvalidArgumentType");
  auto const second = schema::format_rfc3339(test::committed_at(2));
  BOOST_TEST(ask("AT TIME datetime('" + second + "') MATCH (n) RETURN count(*)") == "3");
  BOOST_TEST(ask("MATCH (n) AT TIME datetime($at) RETURN count(*)", {{"at", Value{second}}}) == "3");
}

BOOST_AUTO_TEST_CASE(many_moments_keep_as_many_records_as_one) {
  constexpr std::size_t kept_max = std::size_t{80} << 20;  // twice what one keeps, and the newest record of each
  std::vector<schema::Record> large;
  for (std::size_t i = 0; i < 12; ++i) {
    auto made = test::unit("cu_large_" + std::to_string(i));
    made.content = std::string(900'000, 'x');
    large.emplace_back(std::move(made));
  }
  world.commit(std::move(large));
  for (std::size_t i = 0; i < 6; ++i) world.commit({test::topic("t_" + std::to_string(i))});
  ViewGraph const graph{world.view()};
  for (int round = 0; round < 2; ++round) {
    for (int tx = 5; tx <= 10; ++tx) {
      auto const text =
          "AT TX " + std::to_string(tx) + " MATCH (n:ContextUnit) WHERE n.content CONTAINS 'xx' RETURN count(*)";
      BOOST_TEST(ask_graph(graph, text).text() == "12");
      BOOST_TEST(graph.kept_bytes() < kept_max);
    }
  }
  BOOST_TEST(graph.kept_bytes() > 0U);
  graph.let_go();
  BOOST_TEST(graph.kept_bytes() == 0U);
  BOOST_TEST(ask_graph(graph, "MATCH (n:ContextUnit {id: 'cu_large_3'}) RETURN size(n.content)").text() == "900000");
}

BOOST_AUTO_TEST_CASE(conditions_of_a_match_read_its_moment) {
  BOOST_TEST(ask("MATCH (n:ContextUnit {id: 'cu_a'}) AT TX 1 WHERE (n)-->() RETURN n.id") == "");
  BOOST_TEST(ask("MATCH (n:ContextUnit {id: 'cu_a'}) AT TX 2 WHERE (n)-->() RETURN n.id") == "'cu_a'");
  BOOST_TEST(ask("MATCH (n {id: 'cu_a'}) AT TX 1 WHERE EXISTS { MATCH (n)-->() RETURN n } RETURN n.id") == "");
  BOOST_TEST(ask("MATCH (n {id: 'cu_a'}) AT TX 1 WHERE EXISTS { MATCH (n)-->() AT TX 2 RETURN n } RETURN n.id") ==
             "'cu_a'");
  BOOST_TEST(ask("AT TX 2 MATCH (n {id: 'cu_a'}) RETURN size([(n)-->(m) | m])") == "1");
}

BOOST_AUTO_TEST_CASE(compares_two_moments) {
  BOOST_TEST(ask("MATCH (n:Node) OPTIONAL MATCH (m) AT TX 2 WHERE m = n WITH n, m WHERE m IS NULL RETURN n.id ORDER BY "
                 "n.id") == "'cu_c'; 'fb_1'; 'resp_2'; 't'");
  BOOST_TEST(ask("MATCH (a {id: 'cu_a'})-[:USED_IN]->(r) AT TX 2 WITH a, count(r) AS earlier MATCH (a)-[:USED_IN]->(r) "
                 "RETURN earlier, count(r)") == "1 | 2");
  ViewGraph const graph{world.view()};
  auto const plan =
      to_text(ask_graph(graph, "EXPLAIN MATCH (n:Node) OPTIONAL MATCH (m) AT TX 2 WHERE m = n RETURN n, m").plan);
  BOOST_TEST_CONTEXT(plan) {
    BOOST_TEST(plan.find("NodeByIdSeek") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(deleted_nodes_are_not_there) {
  world.remove({"ContextUnit:cu_b"});
  BOOST_TEST(ask("MATCH (n:ContextUnit) RETURN n.id ORDER BY n.id") == "'cu_a'; 'cu_c'");
  BOOST_TEST(ask("MATCH (n)-->(:Response {id: 'resp_1'}) RETURN n.id ORDER BY n.id") == "'cu_a'; 'cu_c'");
  BOOST_TEST(ask("AT TX 4 MATCH (n:ContextUnit) RETURN count(*)") == "3");
}

BOOST_AUTO_TEST_CASE(values_become_json) {
  ViewGraph const graph{world.view()};
  auto const prepared = prepare("MATCH (a {id: 'cu_b'})-[r:USED_IN]->() RETURN r, [1, 2.5, null], date('2020-01-02')");
  schema::NoInterrupt const interrupt;
  auto rows = queries::cypher::run(*prepared, graph, {}, {.interrupt = interrupt});
  auto const row = rows->next();
  BOOST_TEST(schema::json::to_text(to_json((**row)[0])) ==
             R"({"from":"ContextUnit:cu_b","to":"Response:resp_1","type":"USED_IN",)"
             R"("properties":{"basis":"given","tx":2,"weight":0.75}})");
  BOOST_TEST(schema::json::to_text(to_json((**row)[1])) == "[1,2.5,null]");
  BOOST_TEST(schema::json::to_text(to_json((**row)[2])) == R"("2020-01-02")");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
