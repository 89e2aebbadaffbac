// versions.list, versions.diff, history.get, feedback.list and lineage.manifest, rule by rule.

#include "schema/json/json.hpp"
#include "tests/queries/fixture.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct ThreeVersions {
  ThreeVersions() {
    auto first = unit("cu_1");
    first.summary = "old";
    world.commit({first, unit("cu_other")});
    world.commit({response("resp_1", {{"cu_1", 0.75}, {"cu_other", 0.25}})});
    auto second = next_version("cu_2", "cu_1", 2);
    second.derived_from = std::vector<std::string>{"cu_other"};
    second.attributes = schema::Attributes{R"({"k":1})"};
    world.commit({second});
    world.commit({next_version("cu_3", "cu_2", 3)});
    world.commit({feedback("fb_1", "resp_1", -1), feedback("fb_2", "resp_1", 1)});
  }

  [[nodiscard]] boost::json::object versions(std::string_view node) const {
    return json_of(ask(queries::versions_list, world.view(), {.ref = ref(node)}, unlimited()));
  }
  [[nodiscard]] std::string history(std::string_view node) const {
    return text(json_of(ask(queries::history_get, world.view(), {ref(node)}, unlimited())).at("events"));
  }
  [[nodiscard]] boost::json::object feedback_of(std::string_view node) const {
    return json_of(ask(queries::feedback_list, world.view(), {ref(node)}, unlimited()));
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(versions, ThreeVersions)

BOOST_AUTO_TEST_CASE(the_chain_is_the_same_from_any_member) {
  for (auto const* member : {"cu_1", "cu_2", "cu_3"}) {
    BOOST_TEST(text(versions(member).at("versions")) ==
               R"([{"ref":"ContextUnit:cu_1","type":"ContextUnit","id":"cu_1","version":1},)"
               R"({"ref":"ContextUnit:cu_2","type":"ContextUnit","id":"cu_2","version":2},)"
               R"({"ref":"ContextUnit:cu_3","type":"ContextUnit","id":"cu_3","version":3}])");
  }
}

BOOST_AUTO_TEST_CASE(a_deleted_version_does_not_end_the_chain_and_the_one_after_it_dangles) {
  world.remove({"ContextUnit:cu_2"});
  for (auto const* member : {"cu_1", "cu_3"}) {
    BOOST_TEST(text(versions(member).at("versions")) ==
               R"([{"ref":"ContextUnit:cu_1","type":"ContextUnit","id":"cu_1","version":1},)"
               R"({"ref":"ContextUnit:cu_3","type":"ContextUnit","id":"cu_3","version":3,"dangling":true}])");
  }
}

BOOST_AUTO_TEST_CASE(templates_are_listed_by_number_whatever_was_deleted_between_them) {
  auto const prompt = [](std::int64_t version) {
    return schema::SystemPromptTemplate{.model_id = "m", .prompt_text = "Say it.", .version = version};
  };
  world.commit({prompt(1)});
  world.commit({prompt(2)});
  world.remove({"SystemPromptTemplate:m/2"});
  world.commit({prompt(3)});
  for (auto const* member : {"SystemPromptTemplate:m/1", "SystemPromptTemplate:m/3"}) {
    BOOST_TEST(text(versions(member).at("versions")) ==
               R"([{"ref":"SystemPromptTemplate:m/1","type":"SystemPromptTemplate","id":"m/1","version":1},)"
               R"({"ref":"SystemPromptTemplate:m/3","type":"SystemPromptTemplate","id":"m/3","version":3,)"
               R"("dangling":true}])");
  }
}

BOOST_AUTO_TEST_CASE(declared_sources_are_no_versions) {
  BOOST_TEST(refs_of(versions("cu_other"), "versions") == "ContextUnit:cu_other");
}

BOOST_AUTO_TEST_CASE(a_node_without_versions_is_a_chain_of_one) {
  BOOST_TEST(text(versions("resp_1").at("versions")) ==
             R"([{"ref":"Response:resp_1","type":"Response","id":"resp_1"}])");
}

BOOST_AUTO_TEST_CASE(later_versions_are_not_there_before_their_transaction) {
  auto const answer = json_of(ask(queries::versions_list, world.view(3), {.ref = ref("cu_1")}, unlimited()));
  BOOST_TEST(refs_of(answer, "versions") == "ContextUnit:cu_1 ContextUnit:cu_2");
}

BOOST_AUTO_TEST_CASE(diff_names_members_by_pointer_in_byte_order_with_null_for_the_absent_side) {
  auto const answer = ask(queries::versions_diff, world.view(), {ref("cu_1"), ref("cu_2")}, unlimited());
  BOOST_TEST(text(json_of(answer).at("changes")) ==
             R"([{"path":"/attributes","before":null,"after":{"k":1}},)"
             R"({"path":"/derived_from","before":null,"after":["cu_other"]},)"
             R"({"path":"/previous_version_id","before":null,"after":"cu_1"},)"
             R"({"path":"/summary","before":"old","after":null},{"path":"/version","before":1,"after":2}])");
}

BOOST_AUTO_TEST_CASE(diff_runs_from_a_to_b_whichever_is_older) {
  auto const answer = json_of(ask(queries::versions_diff, world.view(), {ref("cu_3"), ref("cu_1")}, unlimited()));
  auto const last = answer.at("changes").as_array().back();
  BOOST_TEST(text(last) == R"({"path":"/version","before":3,"after":1})");
  auto const same = json_of(ask(queries::versions_diff, world.view(), {ref("cu_2"), ref("cu_2")}, unlimited()));
  BOOST_TEST(same.at("changes").as_array().empty());
}

BOOST_AUTO_TEST_CASE(diff_refuses_nodes_of_different_chains) {
  auto const answer = ask(queries::versions_diff, world.view(), {ref("cu_1"), ref("cu_other")}, unlimited());
  BOOST_TEST(answer.error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_CASE(history_of_a_unit_is_its_put_its_status_and_its_feedback) {
  BOOST_TEST(history("cu_1") ==
             R"([{"tx":1,"at":"2025-10-09T16:16:00Z","op":"put"},)"
             R"({"tx":3,"at":"2025-10-09T16:18:00Z","op":"status","status":"updated","score":0},)"
             R"({"tx":5,"at":"2025-10-09T16:20:00Z","op":"feedback","score":-0.75,"count":1},)"
             R"({"tx":5,"at":"2025-10-09T16:20:00Z","op":"status","status":"deprecated","score":-0.75},)"
             R"({"tx":5,"at":"2025-10-09T16:20:00Z","op":"feedback","score":0,"count":2}])");
}

BOOST_AUTO_TEST_CASE(history_of_a_unit_with_a_predecessor_starts_with_version) {
  BOOST_TEST(history("cu_3") == R"([{"tx":4,"at":"2025-10-09T16:19:00Z","op":"version"}])");
  BOOST_TEST(history("resp_1") == R"([{"tx":2,"at":"2025-10-09T16:17:00Z","op":"put"}])");
}

BOOST_AUTO_TEST_CASE(history_ends_at_the_snapshot) {
  auto const answer = json_of(ask(queries::history_get, world.view(3), {ref("cu_1")}, unlimited()));
  BOOST_TEST(answer.at("events").as_array().size() == 2U);
}

BOOST_AUTO_TEST_CASE(feedback_of_a_unit_comes_with_its_running_score) {
  auto const answer = feedback_of("cu_1");
  BOOST_TEST(answer.at("records").as_array().size() == 2U);
  BOOST_TEST(text(answer.at("records").as_array()[0].at("id")) == R"("fb_1")");
  BOOST_TEST(text(answer.at("aggregate_score")) == "0");
  BOOST_TEST(text(answer.at("feedback_count")) == "2");
  BOOST_TEST(text(answer.at("status")) == R"("deprecated")");
}

BOOST_AUTO_TEST_CASE(feedback_does_not_reach_other_versions) {
  auto const answer = feedback_of("cu_2");
  BOOST_TEST(answer.at("records").as_array().empty());
  BOOST_TEST(text(answer.at("feedback_count")) == "0");
}

BOOST_AUTO_TEST_CASE(feedback_of_a_response_comes_with_the_plain_mean) {
  auto const answer = feedback_of("resp_1");
  BOOST_TEST(answer.at("records").as_array().size() == 2U);
  BOOST_TEST(text(answer.at("mean_score")) == "0");
  BOOST_TEST(text(answer.at("feedback_count")) == "2");
}

BOOST_AUTO_TEST_CASE(a_response_without_feedback_has_no_score) {
  world.commit({response("resp_2", {"cu_3"})});
  BOOST_TEST(feedback_of("resp_2").at("mean_score").is_null());
}

BOOST_AUTO_TEST_CASE(feedback_is_asked_of_responses_and_units_only) {
  auto const answer = ask(queries::feedback_list, world.view(), {ref("FeedbackRecord:fb_1")}, unlimited());
  BOOST_TEST(answer.error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_SUITE_END()

struct Documented {
  Documented() {
    auto a = unit("cu_a", "file:a");
    a.summary = "the \"first\"";
    a.embedding_id = "vec_1";
    auto made = response("resp_1", {{"cu_c", 0.25}, {"cu_b", 0.25}, {"cu_a", 0.5}});
    made.token_count = 12;
    world.commit({a, unit("cu_b", "file:b"), unit("cu_c", "file:c"), made});
  }

  [[nodiscard]] Result<queries::PageSource> manifest(std::string id, std::optional<std::uint64_t> max = {}) const {
    return ask(queries::lineage_manifest, world.view(), {std::move(id), max}, unlimited());
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(manifest_of_a_response, Documented)

BOOST_AUTO_TEST_CASE(has_the_members_of_its_seed_in_order_and_units_by_weight_then_id) {
  auto const answer = json_of(manifest("resp_1"));
  std::string const expected =
      R"({"response_id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"agent","model":"model","token_count":12,)"
      R"("context_tree":[{"id":"cu_a","type":"User","source":"file:a","weight":0.5,"embedding_id":"vec_1",)"
      R"("summary":"the \"first\""},{"id":"cu_b","type":"User","source":"file:b","weight":0.25,"embedding_id":null,)"
      R"("summary":null},{"id":"cu_c","type":"User","source":"file:c","weight":0.25,"embedding_id":null,)"
      R"("summary":null}],"provenance_tree":{"root":"resp_1","edges":[{"from":"cu_a","to":"resp_1","weight":0.5},)"
      R"({"from":"cu_b","to":"resp_1","weight":0.25},{"from":"cu_c","to":"resp_1","weight":0.25}]}})";
  BOOST_TEST(text(answer.at("manifest")) == expected);
  BOOST_TEST(text(answer.at("omitted")) == "[]");
  BOOST_TEST(text(answer.at("manifest_bytes")) == std::to_string(expected.size()));
}

// Summaries go from the least weight on, each with what is null, then the edges, then the embedding ids.
BOOST_AUTO_TEST_CASE(drops_one_kind_after_the_other_until_it_fits) {
  auto b = unit("cu_d", "file:d");
  b.summary = "the second";
  world.commit({b, response("resp_2", {{"cu_a", 0.5}, {"cu_d", 0.3}, {"cu_b", 0.2}})});
  std::vector<std::string> omitted;
  std::vector<std::size_t> summaries;
  boost::json::object smallest;
  std::uint64_t max = 100'000;
  for (;;) {
    auto const source = manifest("resp_2", max);
    if (!source) break;
    smallest = json_of(source);
    auto const names = text(smallest.at("omitted"));
    if (omitted.empty() || omitted.back() != names) omitted.push_back(names);
    std::size_t left = 0;
    for (auto const& node : smallest.at("manifest").at("context_tree").as_array()) {
      auto const* const summary = node.as_object().if_contains("summary");
      left += summary != nullptr && summary->is_string() ? 1U : 0U;
    }
    if (summaries.empty() || summaries.back() != left) summaries.push_back(left);
    max = static_cast<std::uint64_t>(smallest.at("manifest_bytes").to_number<double>()) - 1;
  }
  BOOST_TEST((omitted == std::vector<std::string>{"[]", R"(["summary"])", R"(["summary","edges"])",
                                                  R"(["summary","edges","embedding_id"])"}));
  BOOST_TEST((summaries == std::vector<std::size_t>{2, 1, 0}));
  BOOST_TEST(text(smallest.at("manifest").at("provenance_tree")) == R"({"root":"resp_2"})");
  BOOST_TEST(text(smallest.at("manifest").at("context_tree").at(0)) ==
             R"({"id":"cu_a","type":"User","source":"file:a","weight":0.5})");
  auto const refused = manifest("resp_2", max).error();
  BOOST_TEST(refused.code == Errc::limit_exceeded);
  BOOST_TEST(refused.violations.at(0).message.find("`max_bytes`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(summaries_of_the_lowest_weights_go_first) {
  auto summarized = [](char const* id) {
    auto made = unit(id);
    made.summary = std::string(20, 's');
    return made;
  };
  world.commit({summarized("cu_1"), summarized("cu_2"), summarized("cu_3"),
                response("resp_2", {{"cu_1", 0.2}, {"cu_2", 0.5}, {"cu_3", 0.3}})});
  auto const whole = json_of(manifest("resp_2")).at("manifest_bytes").to_number<std::uint64_t>();
  auto const smaller = json_of(manifest("resp_2", whole - 1));
  BOOST_TEST(text(smaller.at("omitted")) == R"(["summary"])");
  auto const has_summary = [](boost::json::object const& answer, std::size_t i) {
    return answer.at("manifest").at("context_tree").at(i).as_object().contains("summary");
  };
  BOOST_TEST((has_summary(smaller, 0) && has_summary(smaller, 1) && !has_summary(smaller, 2)));
  auto const bytes = smaller.at("manifest_bytes").to_number<std::uint64_t>();
  auto const smallest = json_of(manifest("resp_2", bytes - 1));
  BOOST_TEST((has_summary(smallest, 0) && !has_summary(smallest, 1) && !has_summary(smallest, 2)));
}

struct BadId {
  char const* id;
  Errc code;
};
std::ostream& operator<<(std::ostream& out, BadId const& bad) {
  return out << bad.id;
}
constexpr BadId bad_ids[] = {
    {"resp_no", Errc::not_found},
    {"Response:resp_no", Errc::not_found},
    {"cu_a", Errc::not_found},
    {"nonsense", Errc::not_found},
    {"Nonsense:resp_1", Errc::not_found},
    {"ContextUnit:cu_a", Errc::invalid_params},
    {"LineageManifest:resp_1", Errc::invalid_params},
};
BOOST_DATA_TEST_CASE_F(Documented, refuses_ids_that_name_no_response, bad_ids, bad) {
  auto const answer = manifest(bad.id);
  BOOST_REQUIRE(answer.has_error());
  BOOST_TEST(answer.error().code == bad.code);
  BOOST_TEST(answer.error().violations.at(0).path == "/response_id");
}

BOOST_AUTO_TEST_CASE(takes_a_ref_as_well) {
  BOOST_TEST(text(json_of(manifest("Response:resp_1")).at("manifest").at("response_id")) == R"("resp_1")");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
