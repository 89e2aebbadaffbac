// lineage.ancestors, lineage.descendants, lineage.graph and lineage.diff, rule by rule.

#include "tests/queries/fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::Form;
using queries::Incomplete;
using queries::LineageParams;

// cu_a .25, cu_b .75 -> resp_1 -> cu_c (also made from cu_a); cu_c .5, cu_a .5 -> resp_2.
struct TwoHops {
  TwoHops() {
    world.commit({unit("cu_a"), unit("cu_b")});
    world.commit({response("resp_1", {{"cu_a", 0.25}, {"cu_b", 0.75}})});
    auto made = derived("cu_c", {"cu_a"});
    made.updated_by_response_id = "resp_1";
    made.timestamp = at_second(10);
    world.commit({made, response("resp_2", {{"cu_c", 0.5}, {"cu_a", 0.5}})});
    world.commit({topic("t"), feedback("fb_1", "resp_2", 1)});
  }

  [[nodiscard]] boost::json::object ancestors(LineageParams const& params) const {
    return json_of(ask(queries::lineage_ancestors, world.view(), params, unlimited()));
  }
  [[nodiscard]] Incomplete incomplete(LineageParams const& params) const {
    return queries::lineage_ancestors(world.view(), params, unlimited()).value().incomplete;
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(lineage, TwoHops)

BOOST_AUTO_TEST_CASE(least_depth_then_strongest_weight_then_ref) {
  BOOST_TEST(text(ancestors({.ref = ref("resp_2")}).at("nodes")) ==
             R"([{"ref":"ContextUnit:cu_a","type":"ContextUnit","id":"cu_a","depth":1,"weight":0.5},)"
             R"({"ref":"ContextUnit:cu_c","type":"ContextUnit","id":"cu_c","depth":1,"weight":0.5},)"
             R"({"ref":"Response:resp_1","type":"Response","id":"resp_1","depth":2,"weight":0.5},)"
             R"({"ref":"ContextUnit:cu_b","type":"ContextUnit","id":"cu_b","depth":3,"weight":0.375}])");
}

BOOST_AUTO_TEST_CASE(weight_is_of_the_strongest_path_though_a_longer_one) {
  auto const answer = ancestors({.ref = ref("resp_1")});
  BOOST_TEST(refs_of(answer) == "ContextUnit:cu_b ContextUnit:cu_a");
  world.commit({response("resp_3", {{"cu_a", 0.125}, {"cu_c", 0.875}})});
  auto const node = ancestors({.ref = ref("resp_3")}).at("nodes").as_array()[0];
  BOOST_TEST(text(node.at("ref")) == R"("ContextUnit:cu_a")");
  BOOST_TEST(text(node.at("depth")) == "1");
  BOOST_TEST(text(node.at("weight")) == "0.875");
}

BOOST_AUTO_TEST_CASE(weight_counts_only_paths_within_the_depth) {
  world.commit({response("resp_3", {{"cu_a", 0.125}, {"cu_c", 0.875}})});
  auto const node = ancestors({.ref = ref("resp_3"), .depth = 1}).at("nodes").as_array()[1];
  BOOST_TEST(text(node.at("weight")) == "0.125");
}

BOOST_AUTO_TEST_CASE(depth_zero_answers_no_nodes) {
  BOOST_TEST(refs_of(ancestors({.ref = ref("resp_2"), .depth = 0})).empty());
}

BOOST_AUTO_TEST_CASE(incomplete_by_depth_only_when_something_lies_beyond) {
  BOOST_TEST((incomplete({.ref = ref("resp_2"), .depth = 2}) == Incomplete::depth));
  BOOST_TEST((incomplete({.ref = ref("resp_2"), .depth = 3}) == Incomplete::no));
  BOOST_TEST((incomplete({.ref = ref("cu_a"), .depth = 0}) == Incomplete::no));
}

BOOST_AUTO_TEST_CASE(incomplete_by_nodes_when_the_budget_ends) {
  schema::NoInterrupt const never;
  auto const answer = ask(queries::lineage_ancestors, world.view(), {.ref = ref("resp_2")}, {never, 2});
  BOOST_TEST((answer.value().incomplete == Incomplete::nodes));
  BOOST_TEST(answer.value().lists[0].size == 2U);
}

BOOST_AUTO_TEST_CASE(nothing_around_a_node_is_an_empty_complete_answer) {
  BOOST_TEST(refs_of(ancestors({.ref = ref("Topic:t")})).empty());
  BOOST_TEST((incomplete({.ref = ref("Topic:t")}) == Incomplete::no));
}

BOOST_AUTO_TEST_CASE(an_unknown_start_is_not_found) {
  auto const error = queries::lineage_ancestors(world.view(), {.ref = ref("cu_no")}, unlimited()).error();
  BOOST_TEST(error.code == Errc::not_found);
  BOOST_TEST(error.violations.at(0).path == "/ref");
}

BOOST_AUTO_TEST_CASE(feedback_has_no_influence) {
  auto const answer = ask(queries::lineage_descendants, world.view(), {.ref = ref("FeedbackRecord:fb_1")}, unlimited());
  BOOST_TEST(refs_of(json_of(answer)).empty());
}

BOOST_AUTO_TEST_CASE(node_types_filter_the_returned_nodes_not_the_walk) {
  schema::RecordTypeSet units;
  units.insert(schema::RecordType::context_unit);
  BOOST_TEST(refs_of(ancestors({.ref = ref("resp_2"), .node_types = units})) ==
             "ContextUnit:cu_a ContextUnit:cu_c ContextUnit:cu_b");
}

BOOST_AUTO_TEST_CASE(edge_types_bound_the_walk) {
  schema::EdgeTypeSet uses;
  uses.insert(schema::EdgeType::used_in);
  BOOST_TEST(refs_of(ancestors({.ref = ref("resp_2"), .edge_types = uses})) == "ContextUnit:cu_a ContextUnit:cu_c");
}

BOOST_AUTO_TEST_CASE(min_weight_takes_its_own_value_in) {
  BOOST_TEST(refs_of(ancestors({.ref = ref("resp_2"), .min_weight = 0.375})) ==
             "ContextUnit:cu_a ContextUnit:cu_c Response:resp_1 ContextUnit:cu_b");
  BOOST_TEST(refs_of(ancestors({.ref = ref("resp_2"), .min_weight = 0.376})) ==
             "ContextUnit:cu_a ContextUnit:cu_c Response:resp_1");
}

BOOST_AUTO_TEST_CASE(between_takes_both_ends_in_and_may_be_open) {
  auto const between = [&](std::optional<schema::Time> from, std::optional<schema::Time> to) {
    return refs_of(ancestors({.ref = ref("resp_2"), .between = queries::TimeRange{from, to}}));
  };
  BOOST_TEST(between(at_second(10), at_second(10)) == "ContextUnit:cu_c");
  BOOST_TEST(between(at_second(1), std::nullopt) == "ContextUnit:cu_c");
  BOOST_TEST(between(std::nullopt, at_second(9)) == "ContextUnit:cu_a Response:resp_1 ContextUnit:cu_b");
}

BOOST_AUTO_TEST_CASE(form_edges_answers_the_walked_edges_by_from_to_type) {
  auto const answer = ancestors({.ref = ref("resp_2"), .form = Form::edges});
  BOOST_TEST(!answer.contains("nodes"));
  BOOST_TEST(edges_of(answer) == "cu_a>resp_1 cu_a>resp_2 cu_b>resp_1 cu_c>cu_a cu_c>resp_1 cu_c>resp_2");
}

BOOST_AUTO_TEST_CASE(edges_at_the_depth_are_not_walked) {
  // cu_c is one edge away: its own causes lie beyond, cu_a among them though it is near by another edge.
  BOOST_TEST(edges_of(ancestors({.ref = ref("resp_2"), .depth = 1, .form = Form::edges})) == "cu_a>resp_2 cu_c>resp_2");
}

BOOST_AUTO_TEST_CASE(edges_have_both_ends_returned_or_the_start) {
  schema::RecordTypeSet units;
  units.insert(schema::RecordType::context_unit);
  auto const answer = ancestors({.ref = ref("resp_2"), .node_types = units, .form = Form::graph});
  BOOST_TEST(edges_of(answer) == "cu_a>resp_2 cu_c>cu_a cu_c>resp_2");
}

BOOST_AUTO_TEST_CASE(in_form_graph_an_edge_goes_with_the_later_of_its_nodes) {
  auto const answer =
      ask(queries::lineage_ancestors, world.view(), {.ref = ref("resp_2"), .form = Form::graph}, unlimited()).value();
  // Nodes: cu_a, cu_c, resp_1, cu_b. Edges as above.
  std::vector<std::size_t> const expected{2, 0, 3, 1, 2, 1};
  BOOST_TEST(answer.attached.at(0).anchors == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(graph_form_has_the_start_first_and_a_frontier) {
  auto const graph = [&](std::uint32_t up, std::uint32_t down, std::uint32_t limit) {
    return ask(queries::lineage_graph, world.view(), {.ref = ref("cu_c"), .up = up, .down = down}, limit, unlimited());
  };
  auto const answer = graph(1, 1, 100);
  BOOST_TEST((answer.value().incomplete == Incomplete::depth));
  BOOST_TEST(refs_of(json_of(answer)) == "ContextUnit:cu_c ContextUnit:cu_a Response:resp_1 Response:resp_2");
  BOOST_TEST(edges_of(json_of(answer)) == "cu_a>resp_1 cu_a>resp_2 cu_c>cu_a cu_c>resp_1 cu_c>resp_2");
  BOOST_TEST(text(json_of(answer).at("frontier")) == R"([{"ref":"Response:resp_1","causes":1,"effects":0}])");
  BOOST_TEST((graph(2, 2, 100).value().incomplete == Incomplete::no));

  auto const cut = graph(2, 2, 2);
  BOOST_TEST((cut.value().incomplete == Incomplete::limit));
  BOOST_TEST(refs_of(json_of(cut)) == "ContextUnit:cu_c ContextUnit:cu_a");
  BOOST_TEST(
      text(json_of(cut).at("frontier")) ==
      R"([{"ref":"ContextUnit:cu_c","causes":1,"effects":1},{"ref":"ContextUnit:cu_a","causes":0,"effects":2}])");
}

/// A topic with a message, its attachment, a subject, two keywords (one of another topic, too) and a summary.
struct Conversation {
  Conversation() {
    schema::Keyword shared{.term = "shared", .subjects = {"Subject:t/s", "Subject:u/s"}};
    schema::Keyword own{.term = "own", .subjects = {"Subject:t/s"}, .source_xml_hash = "aa"};
    schema::XmlMessageAttachment attachment{.hash = "aa", .topic_id = "t", .message_id = "m"};
    world.commit({topic("t"), topic("u"), message("m", "t"), attachment});
    world.commit({schema::Subject{.id = "s", .topic = "t"}, schema::Subject{.id = "s", .topic = "u"}, shared, own,
                  schema::Summary{.id = "t-v1", .topic = "t"}});
  }

  [[nodiscard]] boost::json::object graph(char const* start, std::uint32_t up, std::uint32_t down,
                                          bool relations = true) const {
    queries::LineageGraphParams const params{.ref = ref(start), .up = up, .down = down, .relations = relations};
    return json_of(ask(queries::lineage_graph, world.view(), params, 100U, unlimited()));
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_CASE(relations_lead_up_to_what_a_node_belongs_to, Conversation) {
  auto const answer = graph("Keyword:own", 2, 0);
  BOOST_TEST(refs_of(answer) == "Keyword:own Subject:t/s XMLMessageAttachment:aa Message:m Topic:t");
  BOOST_TEST(edges_of(answer) == "own>t/s own>aa m>t t/s>t aa>m");
  BOOST_TEST(text(answer.at("frontier")) ==
             R"([{"ref":"Subject:t/s","causes":0,"effects":1},{"ref":"Topic:t","causes":0,"effects":1}])");
}

BOOST_FIXTURE_TEST_CASE(relations_lead_down_to_parts, Conversation) {
  BOOST_TEST(refs_of(graph("Topic:t", 0, 1)) == "Topic:t Message:m Subject:t/s Summary:t-v1");
  auto const answer = graph("Topic:t", 0, 2);
  BOOST_TEST(refs_of(answer) ==
             "Topic:t Message:m Subject:t/s Summary:t-v1 Keyword:own Keyword:shared XMLMessageAttachment:aa");
  BOOST_TEST(text(answer.at("frontier")) == R"([{"ref":"Keyword:shared","causes":1,"effects":0}])");
}

BOOST_FIXTURE_TEST_CASE(without_relations_only_influence_is_followed, Conversation) {
  auto const answer = graph("Keyword:own", 9, 9, false);
  BOOST_TEST(refs_of(answer) == "Keyword:own XMLMessageAttachment:aa");
  BOOST_TEST(edges_of(answer) == "own>aa");
  BOOST_TEST(answer.at("frontier").as_array().empty());
}

BOOST_FIXTURE_TEST_CASE(a_node_that_both_ways_lead_to_is_named_once, Conversation) {
  auto const answer = graph("Keyword:shared", 50, 50);
  BOOST_TEST(refs_of(answer) == "Keyword:shared Subject:t/s Subject:u/s Topic:t Topic:u");
  BOOST_TEST(refs_of(graph("Topic:t", 50, 0)) == "Topic:t");
}

BOOST_AUTO_TEST_CASE(diff_names_nodes_of_one_side_and_nodes_of_other_weights) {
  auto const answer =
      json_of(ask(queries::lineage_diff, world.view(), {.a = ref("resp_1"), .b = ref("resp_2")}, unlimited()));
  BOOST_TEST(refs_of(answer, "added") == "ContextUnit:cu_c Response:resp_1");
  BOOST_TEST(answer.at("removed").as_array().empty());
  BOOST_TEST(
      text(answer.at("reweighted")) ==
      R"([{"ref":"ContextUnit:cu_a","before":0.25,"after":0.5},{"ref":"ContextUnit:cu_b","before":0.75,"after":0.375}])");
}

BOOST_AUTO_TEST_CASE(diff_of_two_moments_reads_each_of_them) {
  queries::LineageDiffParams params{
      .ref = ref("resp_2"), .as_of_a = queries::AsOf{schema::TxId{3}}, .as_of_b = queries::AsOf{committed_at(4)}};
  auto const answer = json_of(ask(queries::lineage_diff, world.view(), params, unlimited()));
  BOOST_TEST(answer.at("added").as_array().empty());
  params.as_of_a = queries::AsOf{schema::TxId{2}};
  BOOST_TEST(queries::lineage_diff(world.view(), params, unlimited()).error().code == Errc::not_found);
  params.as_of_a = queries::AsOf{schema::TxId{9}};
  BOOST_TEST(queries::lineage_diff(world.view(), params, unlimited()).error().violations.at(0).path == "/as_of_a");
}

BOOST_AUTO_TEST_CASE(diff_takes_include_for_added_and_removed_nodes) {
  auto const diff = [&](char const* a, char const* b) {
    return json_of(ask(queries::lineage_diff, world.view(),
                       {.a = ref(a), .b = ref(b), .include = {queries::Include::record, queries::Include::edges}},
                       unlimited()));
  };
  for (auto const& nodes : {diff("resp_1", "resp_2").at("added"), diff("resp_2", "resp_1").at("removed")}) {
    BOOST_TEST(text(nodes.at(0).at("record").at("id")) == R"("cu_c")");
    BOOST_TEST(text(nodes.at(0).at("edges_total")) == "3");
  }
}

BOOST_AUTO_TEST_CASE(diff_takes_one_of_its_two_forms) {
  auto const code = [&](queries::LineageDiffParams const& params) {
    return queries::lineage_diff(world.view(), params, unlimited()).error().code;
  };
  BOOST_TEST(code({}) == Errc::invalid_params);
  BOOST_TEST(code({.a = ref("resp_1")}) == Errc::invalid_params);
  BOOST_TEST(code({.a = ref("resp_1"), .b = ref("resp_2"), .ref = ref("resp_1")}) == Errc::invalid_params);
  BOOST_TEST(code({.ref = ref("resp_1"), .as_of_a = queries::AsOf{schema::TxId{1}}}) == Errc::invalid_params);
  BOOST_TEST(code({.a = ref("resp_no"), .b = ref("resp_2")}) == Errc::not_found);
}

/// Returns `stop` at its first check.
class StopAtOnce final : public schema::Interrupt {
 public:
  explicit StopAtOnce(schema::Stop stop) : stop_(stop) {}
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override { return stop_; }

 private:
  schema::Stop stop_;
};

BOOST_AUTO_TEST_CASE(an_interrupted_walk_reports_the_reason) {
  std::vector<schema::Record> many;
  for (int i = 0; i < 10'000; ++i) many.push_back(response("resp_m" + std::to_string(i), {"cu_a"}));
  world.commit(many);
  auto const code = [&](schema::Stop stop) {
    StopAtOnce const interrupt(stop);
    return queries::lineage_descendants(world.view(), {.ref = ref("cu_a")}, {interrupt, 1'000'000}).error().code;
  };
  BOOST_TEST(code(schema::Stop::cancelled) == Errc::cancelled);
  BOOST_TEST(code(schema::Stop::timeout) == Errc::deadline_exceeded);
  BOOST_TEST(code(schema::Stop::too_long) == Errc::busy);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
