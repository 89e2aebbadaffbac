// node.get, the node and edge forms, and the parts that `include` adds.

#include "tests/queries/fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::Include;

struct StoryFixture {
  StoryFixture() {
    world.commit({unit("cu_a"), unit("cu_b")});
    world.commit({response("resp_1", {{"cu_a", 0.25}, {"cu_b", 0.75}})});
    auto next = next_version("cu_a2", "cu_a", 2);
    next.updated_by_response_id = "resp_1";
    world.commit({next, feedback("fb_1", "resp_1", -1)});
  }

  [[nodiscard]] boost::json::object get(std::string_view node, std::vector<Include> include) const {
    return json_of(
        ask(queries::node_get, world.view(), {.ref = ref(node), .include = std::move(include)}, unlimited()));
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(node_get, StoryFixture)

BOOST_AUTO_TEST_CASE(a_node_is_ref_type_and_id) {
  BOOST_TEST(text(get("cu_a", {}).at("nodes")) == R"([{"ref":"ContextUnit:cu_a","type":"ContextUnit","id":"cu_a"}])");
}

BOOST_AUTO_TEST_CASE(ids_are_escaped_in_ref_and_id) {
  world.commit({unit(R"(cu_"x\)")});
  BOOST_TEST(text(get(R"(cu_"x\)", {}).at("nodes")) ==
             R"([{"ref":"ContextUnit:cu_\"x\\","type":"ContextUnit","id":"cu_\"x\\"}])");
}

BOOST_AUTO_TEST_CASE(nodes_come_in_the_order_asked_with_repeats) {
  auto const answer = ask(queries::node_get, world.view(), {.refs = refs({"cu_b", "resp_1", "cu_b"})}, unlimited());
  BOOST_TEST(refs_of(json_of(answer)) == "ContextUnit:cu_b Response:resp_1 ContextUnit:cu_b");
}

BOOST_AUTO_TEST_CASE(every_unknown_ref_is_named_with_its_index) {
  auto const answer =
      ask(queries::node_get, world.view(), {.refs = refs({"cu_no", "cu_a", "Response:resp_no"})}, unlimited());
  BOOST_REQUIRE(answer.has_error());
  auto const& error = answer.error();
  BOOST_TEST(error.code == Errc::not_found);
  BOOST_REQUIRE(error.violations.size() == 2);
  BOOST_TEST(error.violations[0].index.value() == 0);
  BOOST_TEST(error.violations[0].path == "/refs/0");
  BOOST_TEST(error.violations[1].index.value() == 2);
  BOOST_TEST(error.violations[1].path == "/refs/2");
}

BOOST_AUTO_TEST_CASE(exactly_one_of_ref_and_refs_is_given) {
  BOOST_TEST(queries::node_get(world.view(), {}, unlimited()).error().code == Errc::invalid_params);
  queries::NodeGetParams const both{.ref = ref("cu_a"), .refs = refs({"cu_a"}), .include = {}};
  BOOST_TEST(queries::node_get(world.view(), both, unlimited()).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_CASE(a_node_that_did_not_exist_yet_is_not_found) {
  auto const answer = ask(queries::node_get, world.view(1), {.ref = ref("resp_1")}, unlimited());
  BOOST_TEST(answer.error().code == Errc::not_found);
}

BOOST_AUTO_TEST_CASE(include_record_gives_the_wire_form_with_id_and_uses_in_their_order) {
  BOOST_TEST(text(get("resp_1", {Include::record}).at("nodes").as_array()[0].at("record")) ==
             R"({"$type$":"Response","id":"resp_1","timestamp":"2025-10-09T16:15:00Z","agent":"agent","model":"model",)"
             R"("context_units":[{"context_unit_id":"cu_a","weight":0.25},{"context_unit_id":"cu_b","weight":0.75}]})");
}

BOOST_AUTO_TEST_CASE(include_status_speaks_of_units_only) {
  BOOST_TEST(text(get("cu_a", {Include::status}).at("nodes").as_array()[0].at("status")) == R"("updated")");
  BOOST_TEST(text(get("cu_b", {Include::status}).at("nodes").as_array()[0].at("status")) == R"("deprecated")");
  BOOST_TEST(!get("resp_1", {Include::status}).at("nodes").as_array()[0].as_object().contains("status"));
}

BOOST_AUTO_TEST_CASE(status_is_that_of_the_snapshot) {
  auto const answer =
      ask(queries::node_get, world.view(2), {.ref = ref("cu_a"), .include = {Include::status}}, unlimited());
  BOOST_TEST(text(json_of(answer).at("nodes").as_array()[0].at("status")) == R"("active")");
}

BOOST_AUTO_TEST_CASE(include_edges_shows_each_in_its_stored_direction_with_its_value) {
  auto const node = get("cu_a2", {Include::edges}).at("nodes").as_array()[0];
  BOOST_TEST(
      text(node.at("edges")) ==
      R"([{"from":"ContextUnit:cu_a2","to":"ContextUnit:cu_a","type":"DERIVED_FROM","tx":3,"basis":"given","version":2},)"
      R"({"from":"ContextUnit:cu_a2","to":"Response:resp_1","type":"UPDATED_BY","tx":3,"basis":"given",)"
      R"("timestamp":"2025-10-09T16:15:00Z"}])");
  BOOST_TEST(text(node.at("edges_total")) == "2");
}

BOOST_AUTO_TEST_CASE(include_edges_has_relations_without_influence_too_in_order_of_tx) {
  auto const node = get("resp_1", {Include::edges}).at("nodes").as_array()[0];
  BOOST_TEST(edges_of(node.as_object()) == "cu_a>resp_1 cu_b>resp_1 cu_a2>resp_1 fb_1>resp_1");
  BOOST_TEST(text(node.at("edges").as_array()[3].at("score")) == "-1");
}

BOOST_AUTO_TEST_CASE(include_edges_shows_a_thousand_and_counts_all) {
  std::vector<schema::Record> many;
  many.reserve(1100);
  for (int i = 0; i < 1100; ++i) many.emplace_back(response("resp_m" + std::to_string(i), {"cu_b"}));
  world.commit(many);
  auto const node = get("cu_b", {Include::edges}).at("nodes").as_array()[0];
  BOOST_TEST(node.at("edges").as_array().size() == 1000U);
  BOOST_TEST(text(node.at("edges_total")) == "1101");
  BOOST_TEST(text(node.at("edges").as_array()[0].at("tx")) == "2");
}

BOOST_AUTO_TEST_CASE(missing_content_is_corrupt) {
  RecordsInMemory const nothing;
  queries::View const view{world.view().snapshot, &nothing};
  auto const answer = ask(queries::node_get, view, {.ref = ref("cu_a"), .include = {Include::record}}, unlimited());
  std::string written;
  schema::json::Writer out(written);
  BOOST_TEST(answer.value().lists[0].write(out, 0, 1).error().code == Errc::corrupt);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(as_of)

struct ThreeTransactions {
  ThreeTransactions() {
    for (auto const* id : {"cu_1", "cu_2", "cu_3"}) world.commit({unit(id)});
  }
  [[nodiscard]] std::uint64_t resolved(queries::AsOf as_of) const {
    return schema::number(queries::snapshot_as_of(world.view().snapshot, as_of).value().tx());
  }
  RecordWorld world;
};

BOOST_FIXTURE_TEST_CASE(nothing_given_is_the_head, ThreeTransactions) {
  BOOST_TEST(schema::number(queries::snapshot_as_of(world.view().snapshot, std::nullopt).value().tx()) == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_number_is_a_transaction_and_zero_is_the_empty_graph, ThreeTransactions) {
  BOOST_TEST(resolved(schema::TxId{2}) == 2U);
  BOOST_TEST(resolved(schema::TxId{0}) == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_number_above_the_head_is_refused, ThreeTransactions) {
  auto const error = queries::snapshot_as_of(world.view().snapshot, queries::AsOf{schema::TxId{4}}).error();
  BOOST_TEST(error.code == Errc::invalid_params);
  BOOST_TEST(error.violations.at(0).path == "/as_of");
}

BOOST_FIXTURE_TEST_CASE(a_time_is_the_last_transaction_at_or_before_it, ThreeTransactions) {
  BOOST_TEST(resolved(committed_at(2)) == 2U);
  auto just_before = committed_at(2);
  just_before.seconds -= 1;
  BOOST_TEST(resolved(just_before) == 1U);
  BOOST_TEST(resolved(schema::plus_seconds(committed_at(3), 1e6)) == 3U);
  BOOST_TEST(resolved(schema::plus_seconds(committed_at(1), -1)) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
