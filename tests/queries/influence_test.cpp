// Paths, shares and impact, rule by rule.

#include "tests/queries/fixture.hpp"

#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::PathKind;
using queries::Incomplete;

// cu_a .5 and cu_b .5 -> resp_1 -> cu_c; cu_c .5, cu_a .25, cu_z 0 -> resp_2.
struct Diamond {
  Diamond() {
    world.commit({unit("cu_a"), unit("cu_b"), unit("cu_z"), topic("t")});
    auto made = unit("cu_c");
    made.updated_by_response_id = "resp_1";
    world.commit({response("resp_1", {{"cu_a", 0.5}, {"cu_b", 0.5}}), made});
    world.commit({response("resp_2", {{"cu_c", 0.5}, {"cu_a", 0.25}, {"cu_z", 0}})});
    world.commit({feedback("fb_1", "resp_1", 0.5), feedback("fb_2", "resp_1", 0), feedback("fb_3", "resp_2", -1)});
  }

  [[nodiscard]] boost::json::object paths(std::string_view from, std::string_view to, PathKind kind,
                                          std::uint32_t limit = 1000) const {
    return json_of(ask(queries::lineage_path, world.view(), {ref(from), ref(to), kind}, limit, unlimited()));
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(influence, Diamond)

BOOST_AUTO_TEST_CASE(a_path_has_weight_refs_with_both_ends_and_edges) {
  BOOST_TEST(
      text(paths("cu_b", "resp_1", PathKind::strongest).at("paths")) ==
      R"([{"weight":0.5,"refs":["ContextUnit:cu_b","Response:resp_1"],"edges":[)"
      R"({"from":"ContextUnit:cu_b","to":"Response:resp_1","type":"USED_IN","tx":2,"basis":"given","weight":0.5}]}])");
}

BOOST_AUTO_TEST_CASE(strongest_prefers_weight_then_fewer_edges) {
  auto const found = paths("cu_a", "resp_2", PathKind::strongest).at("paths").as_array();
  BOOST_REQUIRE(found.size() == 1);
  BOOST_TEST(text(found[0].at("refs")) == R"(["ContextUnit:cu_a","Response:resp_2"])");  // .25 directly and by resp_1
}

BOOST_AUTO_TEST_CASE(all_paths_are_ordered_by_strength_and_report_a_cut) {
  auto const all = paths("cu_a", "resp_2", PathKind::all).at("paths").as_array();
  BOOST_REQUIRE(all.size() == 2);
  BOOST_TEST(text(all[1].at("refs")) ==
             R"(["ContextUnit:cu_a","Response:resp_1","ContextUnit:cu_c","Response:resp_2"])");
  auto const cut =
      ask(queries::lineage_path, world.view(), {ref("cu_a"), ref("resp_2"), PathKind::all}, 1, unlimited());
  BOOST_TEST((cut.value().incomplete == Incomplete::limit));
  auto const exact =
      ask(queries::lineage_path, world.view(), {ref("cu_a"), ref("resp_2"), PathKind::all}, 2, unlimited());
  BOOST_TEST((exact.value().incomplete == Incomplete::no));
}

BOOST_AUTO_TEST_CASE(no_path_is_an_empty_complete_answer) {
  BOOST_TEST(paths("resp_2", "cu_a", PathKind::all).at("paths").as_array().empty());
  BOOST_TEST(paths("cu_a", "cu_a", PathKind::all).at("paths").as_array().empty());
}

BOOST_AUTO_TEST_CASE(both_unknown_ends_of_a_path_are_named) {
  auto const error =
      queries::lineage_path(world.view(), {.from = ref("cu_x"), .to = ref("cu_y")}, 1, unlimited()).error();
  BOOST_TEST(error.code == Errc::not_found);
  BOOST_REQUIRE(error.violations.size() == 2);
  BOOST_TEST(error.violations[0].path == "/from");
  BOOST_TEST(error.violations[1].path == "/to");
}

BOOST_AUTO_TEST_CASE(dominators_of_a_path_are_what_every_path_passes_through) {
  auto const dominators = [&](std::string_view from, std::string_view to, PathKind kind, std::uint32_t limit) {
    queries::PathParams const params{.from = ref(from), .to = ref(to), .kind = kind, .dominators = true};
    return text(json_of(ask(queries::lineage_path, world.view(), params, limit, unlimited())).at("dominators"));
  };
  BOOST_TEST(dominators("cu_b", "resp_2", PathKind::strongest, 1000) == R"(["Response:resp_1","ContextUnit:cu_c"])");
  BOOST_TEST(dominators("cu_b", "resp_1", PathKind::strongest, 1000) == "[]");
  BOOST_TEST(dominators("cu_a", "resp_2", PathKind::all, 1) == "[]");  // the path beyond the limit counts
  BOOST_TEST(dominators("resp_2", "cu_a", PathKind::all, 1000) == "[]");
  BOOST_TEST(!paths("cu_b", "resp_2", PathKind::all).contains("dominators"));
}

BOOST_AUTO_TEST_CASE(impact_names_the_nearest_dominator_where_asked) {
  auto const nodes = [&](std::vector<queries::NodeRef> of) {
    auto const answer =
        json_of(ask(queries::impact_analyze, world.view(), {.refs = std::move(of), .dominators = true}, unlimited()));
    std::map<std::string, std::string> found;
    for (auto const& node : answer.at("nodes").as_array()) found[text(node.at("ref"))] = text(node.at("dominator"));
    return found;
  };
  auto const of_b = nodes(refs({"cu_b"}));
  BOOST_TEST(of_b.at(R"("Response:resp_1")") == "null");
  BOOST_TEST(of_b.at(R"("Response:resp_2")") == R"("ContextUnit:cu_c")");
  BOOST_TEST(nodes(refs({"cu_a"})).at(R"("Response:resp_2")") == "null");
  BOOST_TEST(nodes(refs({"cu_b", "cu_c"})).at(R"("Response:resp_2")") == "null");  // a start is none
}

BOOST_AUTO_TEST_CASE(a_reduced_graph_leaves_out_edges_that_longer_paths_imply) {
  queries::LineageGraphParams params{.ref = ref("resp_2"), .up = 9, .reduced = true};
  auto const reduced = json_of(ask(queries::lineage_graph, world.view(), params, 1000U, unlimited()));
  BOOST_TEST(text(reduced.at("reduced_edges")) == "1");
  for (auto const& edge : reduced.at("edges").as_array()) {
    BOOST_TEST((edge.at("from") != "ContextUnit:cu_a" || edge.at("to") != "Response:resp_2"));
  }
  params.reduced = false;
  auto const whole = json_of(ask(queries::lineage_graph, world.view(), params, 1000U, unlimited()));
  BOOST_TEST(whole.at("edges").as_array().size() == reduced.at("edges").as_array().size() + 1);
  BOOST_TEST(!whole.contains("reduced_edges"));
  params.reduced = true;
  params.up = 1;  // resp_1 is not among the nodes, so nothing implies the edge
  BOOST_TEST(text(json_of(ask(queries::lineage_graph, world.view(), params, 1000U, unlimited())).at("reduced_edges")) ==
             "0");
}

BOOST_AUTO_TEST_CASE(influence_sums_shares_over_all_paths_and_lists_zero_too) {
  auto const answer = json_of(ask(queries::lineage_influence, world.view(), {.ref = ref("resp_2")}, unlimited()));
  BOOST_TEST(refs_of(answer) == "ContextUnit:cu_a ContextUnit:cu_c Response:resp_1 ContextUnit:cu_b ContextUnit:cu_z");
  auto const& nodes = answer.at("nodes").as_array();
  BOOST_TEST(text(nodes[0]) ==
             R"({"ref":"ContextUnit:cu_a","type":"ContextUnit","id":"cu_a","depth":1,"share":0.6666666666666666})");
  BOOST_TEST(text(nodes[4].at("share")) == "0");
}

BOOST_AUTO_TEST_CASE(influence_takes_include) {
  auto const answer = json_of(
      ask(queries::lineage_influence, world.view(),
          {.ref = ref("resp_1"), .include = {queries::Include::record, queries::Include::status}}, unlimited()));
  auto const& node = answer.at("nodes").as_array()[0].as_object();
  BOOST_TEST(text(node.at("record").at("id")) == R"("cu_a")");
  BOOST_TEST(text(node.at("status")) == R"("active")");
}

BOOST_AUTO_TEST_CASE(impact_lists_affected_types_with_counts) {
  auto const answer = json_of(ask(queries::impact_analyze, world.view(), {.refs = refs({"cu_a"})}, unlimited()));
  BOOST_TEST(text(answer.at("counts")) == R"({"by_type":{"Response":2},"by_depth":{"1":2}})");
  BOOST_TEST(text(answer.at("nodes").as_array()[0].at("ref")) == R"("Response:resp_2")");  // 2/3
  BOOST_TEST(text(answer.at("nodes").as_array()[1]) ==
             R"({"ref":"Response:resp_1","type":"Response","id":"resp_1","depth":1,"share":0.5})");
}

BOOST_AUTO_TEST_CASE(impact_is_the_mean_over_the_refs_each_counted_once_and_leaves_them_out) {
  auto const answer =
      json_of(ask(queries::impact_analyze, world.view(), {.refs = refs({"cu_a", "resp_1", "cu_a"})}, unlimited()));
  BOOST_TEST(refs_of(answer) == "Response:resp_2");
  BOOST_TEST(text(answer.at("nodes").as_array()[0].at("share")) == "0.6666666666666666");  // of each 2/3
  BOOST_TEST(text(answer.at("counts").at("by_depth")) == R"({"1":1})");
}

BOOST_AUTO_TEST_CASE(impact_names_every_unknown_ref) {
  auto const error =
      queries::impact_analyze(world.view(), {.refs = refs({"cu_x", "cu_a", "cu_y"})}, unlimited()).error();
  BOOST_TEST(error.code == Errc::not_found);
  BOOST_TEST(error.violations.size() == 2U);
}

// resp_1 is made half of cu_a, half of cu_b; cu_c wholly of resp_1; resp_2 of cu_c 2/3, cu_a 1/3, cu_z 0.
BOOST_AUTO_TEST_CASE(shares_are_relative_to_all_causes_of_each_effect) {
  auto const shares = [](boost::json::object const& answer) {
    std::map<std::string, double> found;
    for (auto const& node : answer.at("nodes").as_array()) {
      found[node.at("id").as_string().c_str()] = node.at("share").to_number<double>();
    }
    return found;
  };
  auto const close = boost::test_tools::tolerance(1e-12);
  auto const of_2 = shares(json_of(ask(queries::lineage_influence, world.view(), {.ref = ref("resp_2")}, unlimited())));
  BOOST_TEST(of_2.at("cu_c") == 2.0 / 3, close);
  BOOST_TEST(of_2.at("resp_1") == 2.0 / 3, close);
  BOOST_TEST(of_2.at("cu_a") == 2.0 / 3, close);  // 1/3 itself, 1/3 by resp_1
  BOOST_TEST(of_2.at("cu_b") == 1.0 / 3, close);
  BOOST_TEST(of_2.at("cu_z") == 0.0);
  auto const impact = [&](std::vector<queries::NodeRef> of) {
    return shares(json_of(ask(queries::impact_analyze, world.view(), {.refs = std::move(of)}, unlimited())));
  };
  BOOST_TEST(impact(refs({"cu_b"})).at("resp_2") == 1.0 / 3, close);
  BOOST_TEST(impact(refs({"cu_b", "cu_c"})).at("resp_2") == 0.5, close);  // the mean
  BOOST_TEST(impact(refs({"cu_b", "cu_c"})).at("resp_1") == 0.25, close);
  auto const blamed =
      shares(json_of(ask(queries::impact_blame, world.view(), {.responses = refs({"resp_1", "resp_2"})}, unlimited())));
  BOOST_TEST(blamed.at("cu_a") == (0.5 + 2.0 / 3) / 2, close);
  BOOST_TEST(blamed.at("cu_c") == 1.0 / 3, close);
}

BOOST_AUTO_TEST_CASE(nodes_are_ranked_by_share_or_by_what_was_asked_for) {
  world.commit({response("resp_3", {{"cu_b", 0.25}}), response("resp_4", {{"cu_z", 0.75}, {"cu_b", 0.25}}),
                response("resp_5", {{"cu_c", 0.5}}), response("resp_6", {{"cu_z", 1.0}})});
  auto const impact_by = [&](queries::ImpactOrder order) {
    return refs_of(
        json_of(ask(queries::impact_analyze, world.view(), {.refs = refs({"cu_c"}), .order = order}, unlimited())));
  };
  BOOST_TEST(impact_by(queries::ImpactOrder::share) == "Response:resp_5 Response:resp_2");  // 1 and 2/3
  auto const causes_by = [&](queries::ImpactOrder order) {
    return refs_of(
        json_of(ask(queries::lineage_influence, world.view(), {.ref = ref("resp_2"), .order = order}, unlimited())));
  };
  BOOST_TEST(causes_by(queries::ImpactOrder::share) ==
             "ContextUnit:cu_a ContextUnit:cu_c Response:resp_1 ContextUnit:cu_b ContextUnit:cu_z");
  BOOST_TEST(causes_by(queries::ImpactOrder::depth) ==
             "ContextUnit:cu_a ContextUnit:cu_c ContextUnit:cu_z Response:resp_1 ContextUnit:cu_b");
}

// Each version is made from the one before and updated by the response that used it: the number of paths doubles, and
// beyond 2^1024 of them nothing that counts paths is finite.
BOOST_AUTO_TEST_CASE(a_unit_updated_by_the_responses_that_used_it_has_finite_shares) {
  std::string last = "cu_a";
  for (int i = 0; i < 1'100; ++i) {
    auto const used_in = "resp_loop" + std::to_string(i);
    world.commit({response(used_in, {{last, 1.0}})});
    auto const next = "cu_loop" + std::to_string(i);
    auto made = next_version(next, last, 2 + i);
    made.updated_by_response_id = used_in;
    world.commit({made});
    last = next;
  }
  auto const causes = json_of(ask(queries::lineage_influence, world.view(), {.ref = test::ref(last)}, unlimited()));
  for (auto const& node : causes.at("nodes").as_array()) {
    auto const share = node.at("share").to_number<double>();
    BOOST_TEST((share >= 0 && share <= 1));
  }
  auto const effects = json_of(ask(queries::impact_analyze, world.view(), {.refs = refs({"cu_a"})}, unlimited()));
  BOOST_TEST(effects.at("nodes").as_array().size() > 1'000U);
  BOOST_TEST(!json_of(ask(queries::impact_blame, world.view(), {.responses = refs({"resp_loop1099"})}, unlimited()))
                  .at("nodes")
                  .as_array()
                  .empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
