// node.neighbors and node.activity: sides, conditions, orders, groups; periods and lanes; refusals.

#include "queries/find/calendar.hpp"
#include "tests/queries/fixture.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::Condition;
using queries::LaneBy;
using queries::NodeActivityParams;
using queries::NodeNeighborsParams;
using queries::Period;
using queries::Side;
using Op = queries::Condition::Op;
using schema::RecordType;

// cu_a is used by resp_1 (0.25), resp_2 (1) and resp_3 (0.75), and cu_d was made from it.
struct Surroundings {
  Surroundings() {
    world.commit({unit("cu_a"), unit("cu_b"), topic("t")});
    world.commit({made_by("resp_1", "x", {{"cu_a", 0.25}, {"cu_b", 0.75}}), made_by("resp_2", "y", {{"cu_a", 1}}),
                  made_by("resp_3", "x", {{"cu_a", 0.75}, {"cu_b", 0.25}})});
    auto made = derived("cu_d", {"cu_a"});
    made.timestamp = schema::parse_rfc3339("2025-11-01T00:00:00Z").value();
    world.commit({made, feedback("fb_1", "resp_1", -0.8), feedback("fb_2", "resp_2", 1)});
  }

  static schema::Response made_by(std::string id, std::string agent, Uses uses) {
    auto made = response(std::move(id), std::move(uses));
    made.agent = std::move(agent);
    return made;
  }

  [[nodiscard]] boost::json::object ask_for(NodeNeighborsParams const& params, std::uint32_t limit = 1000) const {
    return json_of(ask(queries::node_neighbors, world.view(), params, limit, unlimited()));
  }
  [[nodiscard]] std::string refs(NodeNeighborsParams const& params) const { return refs_of(ask_for(params)); }
  [[nodiscard]] std::string groups(std::string by, std::optional<RecordType> type = {},
                                   std::uint32_t limit = 1000) const {
    return text(ask_for({.ref = ref("cu_a"), .side = Side::effects, .type = type, .group_by = std::move(by)}, limit)
                    .at("groups"));
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(neighbors, Surroundings)

BOOST_AUTO_TEST_CASE(by_weight_then_by_ref_and_without_one_last) {
  BOOST_TEST(text(ask_for({.ref = ref("cu_a"), .side = Side::effects})) ==
             R"({"total":4,"nodes":[)"
             R"({"ref":"Response:resp_2","type":"Response","id":"resp_2","edge_types":["USED_IN"],"weight":1},)"
             R"({"ref":"Response:resp_3","type":"Response","id":"resp_3","edge_types":["USED_IN"],"weight":0.75},)"
             R"({"ref":"Response:resp_1","type":"Response","id":"resp_1","edge_types":["USED_IN"],"weight":0.25},)"
             R"({"ref":"ContextUnit:cu_d","type":"ContextUnit","id":"cu_d","edge_types":["DERIVED_FROM"]}]})");
}

BOOST_AUTO_TEST_CASE(each_side_is_its_own) {
  BOOST_TEST(refs({.ref = ref("resp_1"), .side = Side::causes}) == "ContextUnit:cu_b ContextUnit:cu_a");
  BOOST_TEST(refs({.ref = ref("resp_1"), .side = Side::effects}) == "");
  BOOST_TEST(refs({.ref = ref("resp_1"), .side = Side::parts}) == "FeedbackRecord:fb_1");
  BOOST_TEST(refs({.ref = ref("fb_1"), .side = Side::wholes}) == "Response:resp_1");
}

BOOST_AUTO_TEST_CASE(a_neighbour_by_two_edges_comes_once_with_both) {
  auto next = unit("cu_e");
  next.version = 2;
  next.previous_version_id = "cu_d";
  next.updated_by_response_id = "resp_2";
  world.commit({next, made_by("resp_9", "x", {{"cu_e", 1}})});
  auto const updated = ask_for({.ref = ref("cu_e"), .side = Side::causes});
  BOOST_TEST(updated.at("total").as_int64() == 2);
  auto both = unit("cu_f");
  both.version = 2;
  both.previous_version_id = "cu_e";
  both.derived_from = std::vector<std::string>{"cu_b"};
  world.commit({both});
  BOOST_TEST(refs({.ref = ref("cu_f"), .side = Side::causes}) == "ContextUnit:cu_b ContextUnit:cu_e");
}

BOOST_AUTO_TEST_CASE(filters_choose_what_is_counted) {
  using Set = schema::EdgeTypeSet;
  Set derived_only;
  derived_only.insert(schema::EdgeType::derived_from);
  BOOST_TEST(refs({.ref = ref("cu_a"), .side = Side::effects, .edge_types = derived_only}) == "ContextUnit:cu_d");
  BOOST_TEST(refs({.ref = ref("cu_a"), .side = Side::effects, .type = RecordType::context_unit}) == "ContextUnit:cu_d");
  auto const by_x = ask_for({.ref = ref("cu_a"),
                             .side = Side::effects,
                             .type = RecordType::response,
                             .where = {{"agent", Op::eq, {R"("x")"}}}});
  BOOST_TEST(refs_of(by_x) == "Response:resp_3 Response:resp_1");
  BOOST_TEST(by_x.at("total").as_int64() == 2);
}

BOOST_AUTO_TEST_CASE(orders_are_by_fields_of_the_type_or_of_all_nodes) {
  auto const ordered = [&](std::string by, bool desc, std::optional<RecordType> type = {}) {
    return refs(
        {.ref = ref("cu_a"), .side = Side::effects, .type = type, .order = queries::Order{std::move(by), desc}});
  };
  BOOST_TEST(ordered("weight", false) == "Response:resp_1 Response:resp_3 Response:resp_2 ContextUnit:cu_d");
  BOOST_TEST(ordered("id", true) == "Response:resp_3 Response:resp_2 Response:resp_1 ContextUnit:cu_d");
  BOOST_TEST(ordered("time", true) == "ContextUnit:cu_d Response:resp_1 Response:resp_2 Response:resp_3");
  BOOST_TEST(ordered("tx", true) == "ContextUnit:cu_d Response:resp_1 Response:resp_2 Response:resp_3");
  BOOST_TEST(ordered("agent", true, RecordType::response) == "Response:resp_2 Response:resp_1 Response:resp_3");
}

BOOST_AUTO_TEST_CASE(groups_are_counted_largest_first) {
  BOOST_TEST(groups("type") == R"([{"value":"Response","count":3},{"value":"ContextUnit","count":1}])");
  BOOST_TEST(groups("edge_type") == R"([{"value":"USED_IN","count":3},{"value":"DERIVED_FROM","count":1}])");
  BOOST_TEST(groups("month") == R"([{"value":"2025-10","count":3},{"value":"2025-11","count":1}])");
  BOOST_TEST(groups("day") == R"([{"value":"2025-10-09","count":3},{"value":"2025-11-01","count":1}])");
  BOOST_TEST(groups("agent", RecordType::response) == R"([{"value":"x","count":2},{"value":"y","count":1}])");
  BOOST_TEST(groups("type", RecordType::context_unit) == R"([{"value":"User","count":1}])");
  BOOST_TEST(groups("tx", RecordType::response) == R"([{"value":2,"count":3}])");
}

BOOST_AUTO_TEST_CASE(scores_are_grouped_in_bands) {
  BOOST_TEST(groups("score", RecordType::response) ==
             R"([{"value":-0.8,"count":1},{"value":0.8,"count":1},{"value":null,"count":1}])");
}

BOOST_AUTO_TEST_CASE(groups_beyond_the_limit_are_summed) {
  auto const answer = ask_for({.ref = ref("cu_a"), .side = Side::effects, .group_by = "type"}, 1);
  BOOST_TEST(text(answer) == R"({"total":4,"other":1,"groups":[{"value":"Response","count":3}]})");
}

BOOST_AUTO_TEST_CASE(earlier_moments_and_deleted_neighbours) {
  auto const effects_at = [&](std::uint64_t tx) {
    return refs_of(json_of(
        ask(queries::node_neighbors, world.view(tx), {.ref = ref("cu_a"), .side = Side::effects}, 1000, unlimited())));
  };
  world.remove({"Response:resp_2"});
  BOOST_TEST(effects_at(1) == "");
  BOOST_TEST(effects_at(2) == "Response:resp_2 Response:resp_3 Response:resp_1");
  BOOST_TEST(effects_at(4) == "Response:resp_3 Response:resp_1 ContextUnit:cu_d");
}

struct Refused {
  NodeNeighborsParams params;
  char const* path;
};
std::ostream& operator<<(std::ostream& out, Refused const& refused) {
  return out << refused.path;
}
Refused const refused[] = {
    {{.ref = ref("cu_none"), .side = Side::effects}, "/ref"},
    {{.ref = ref("cu_a"), .side = Side::effects, .where = {{"agent", Op::eq, {R"("x")"}}}}, "/where"},
    {{.ref = ref("cu_a"), .side = Side::effects, .type = RecordType::citation}, "/type"},
    {{.ref = ref("cu_a"),
      .side = Side::effects,
      .type = RecordType::response,
      .where = {{"agnet", Op::eq, {R"("x")"}}}},
     "/where/agnet"},
    {{.ref = ref("cu_a"), .side = Side::effects, .order = queries::Order{"agent", false}}, "/order/by"},
    {{.ref = ref("cu_a"),
      .side = Side::effects,
      .type = RecordType::context_unit,
      .order = queries::Order{"derived_from", false}},
     "/order/by"},
    {{.ref = ref("cu_a"), .side = Side::effects, .group_by = "agent"}, "/group_by"},
    {{.ref = ref("cu_a"), .side = Side::effects, .type = RecordType::response, .group_by = "week"}, "/group_by"},
};
BOOST_DATA_TEST_CASE_F(Surroundings, what_cannot_be_asked_is_refused_by_path, refused, one) {
  auto const answer = queries::node_neighbors(world.view(), one.params, 10, unlimited());
  BOOST_REQUIRE(answer.has_error());
  BOOST_TEST(answer.error().violations.at(0).path == one.path);
}

BOOST_AUTO_TEST_SUITE_END()

struct Moment {
  char const* time;
  Period period;
  char const* start;
};
std::ostream& operator<<(std::ostream& out, Moment const& moment) {
  return out << moment.time << " by " << schema::name_of(moment.period);
}
Moment const moments[] = {
    {"2025-10-09T16:59:59.9Z", Period::hour, "2025-10-09T16:00:00Z"},
    {"2025-10-09T17:00:00Z", Period::hour, "2025-10-09T17:00:00Z"},
    {"1969-12-31T23:59:59.5Z", Period::hour, "1969-12-31T23:00:00Z"},
    {"2025-10-09T16:15:00Z", Period::day, "2025-10-09T00:00:00Z"},
    {"1969-12-31T00:00:00Z", Period::day, "1969-12-31T00:00:00Z"},
    {"2025-10-12T23:59:59Z", Period::week, "2025-10-06T00:00:00Z"},
    {"2025-10-13T00:00:00Z", Period::week, "2025-10-13T00:00:00Z"},
    {"1969-12-28T00:00:00Z", Period::week, "1969-12-22T00:00:00Z"},
    {"2024-02-29T12:00:00Z", Period::month, "2024-02-01T00:00:00Z"},
    {"0000-01-01T00:00:00Z", Period::month, "0000-01-01T00:00:00Z"},
    {"1969-01-31T00:00:00Z", Period::month, "1969-01-01T00:00:00Z"},
    {"2025-12-31T23:59:59Z", Period::year, "2025-01-01T00:00:00Z"},
    {"9999-12-31T23:59:59Z", Period::year, "9999-01-01T00:00:00Z"},
};
BOOST_DATA_TEST_CASE(a_period_begins_where_the_calendar_says, moments, one) {
  auto const number = queries::period_of(schema::parse_rfc3339(one.time).value(), one.period);
  BOOST_TEST(schema::format_rfc3339(queries::start_of(number, one.period)) == one.start);
  BOOST_TEST(queries::period_of(queries::start_of(number + 1, one.period), one.period) == number + 1);
}

BOOST_FIXTURE_TEST_SUITE(activity, Surroundings)

std::string activity_of(queries::View const& view, NodeActivityParams const& params) {
  return text(json_of(ask(queries::node_activity, view, params, unlimited())));
}

schema::RecordTypeSet only(RecordType type) {
  schema::RecordTypeSet set;
  set.insert(type);
  return set;
}

BOOST_AUTO_TEST_CASE(types_are_lanes_and_the_shortest_period_that_fits_is_chosen) {
  BOOST_TEST(activity_of(world.view(), {.types = only(RecordType::context_unit)}) ==
             R"({"period":"day","from":"2025-10-09T16:15:00Z","to":"2025-11-01T00:00:00Z","lanes":[)"
             R"({"lane":"ContextUnit","total":3,"counts":[{"start":"2025-10-09T00:00:00Z","count":2},)"
             R"({"start":"2025-11-01T00:00:00Z","count":1}]}]})");
}

BOOST_AUTO_TEST_CASE(agents_are_lanes_of_responses) {
  BOOST_TEST(activity_of(world.view(), {.lanes = LaneBy::agent, .period = Period::year}) ==
             R"({"period":"year","from":"2025-10-09T16:15:00Z","to":"2025-10-09T16:15:00Z","lanes":[)"
             R"({"lane":"x","total":2,"counts":[{"start":"2025-01-01T00:00:00Z","count":2}]},)"
             R"({"lane":"y","total":1,"counts":[{"start":"2025-01-01T00:00:00Z","count":1}]}]})");
}

BOOST_AUTO_TEST_CASE(topics_are_lanes_of_what_names_them) {
  world.commit({schema::Keyword{.term = "k", .subjects = {"Subject:t/a", "Subject:t/b", "Subject:u/a"}}});
  auto const answer = json_of(ask(queries::node_activity, world.view(), {.lanes = LaneBy::topic}, unlimited()));
  std::string lanes;
  for (auto const& lane : answer.at("lanes").as_array()) {
    lanes += std::string(lane.at("lane").as_string()) + " " + text(lane.at("total")) + " ";
  }
  BOOST_TEST(lanes == "t 2 u 1 ");
}

BOOST_AUTO_TEST_CASE(a_range_includes_both_ends) {
  auto const at = schema::parse_rfc3339("2025-11-01T00:00:00Z").value();
  auto const total = [&](NodeActivityParams const& params) {
    auto const lanes = json_of(ask(queries::node_activity, world.view(), params, unlimited())).at("lanes").as_array();
    return lanes.empty() ? 0 : lanes.at(0).at("total").as_int64();
  };
  BOOST_TEST(total({.types = only(RecordType::context_unit), .from = at, .to = at}) == 1);
  BOOST_TEST(total({.types = only(RecordType::context_unit), .from = schema::Time{at.seconds, 1}}) == 0);
  BOOST_TEST(total({.types = only(RecordType::context_unit), .to = schema::Time{at.seconds - 1, 999'999'999}}) == 2);
}

BOOST_AUTO_TEST_CASE(too_many_periods_are_refused_with_what_helps) {
  auto const from = schema::parse_rfc3339("1900-01-01T00:00:00Z").value();
  auto const to = schema::parse_rfc3339("2100-01-01T00:00:00Z").value();
  auto const refused = [&](NodeActivityParams const& params) {
    return ask(queries::node_activity, world.view(), params, unlimited()).error().message;
  };
  auto const both = refused({.period = Period::hour, .from = from, .to = to});
  BOOST_TEST(both.find("a longer period or a shorter range") != std::string::npos, both);
  auto const one = refused({.period = Period::hour, .from = from});
  BOOST_TEST(one.find("name `from` and `to`") != std::string::npos, one);
}

BOOST_AUTO_TEST_CASE(an_earlier_moment_and_an_empty_graph) {
  BOOST_TEST(activity_of(world.view(0), {}) == R"({"period":"day","lanes":[]})");
  BOOST_TEST(activity_of(world.view(1), {.types = only(RecordType::context_unit), .period = Period::year}) ==
             R"({"period":"year","from":"2025-10-09T16:15:00Z","to":"2025-10-09T16:15:00Z","lanes":[)"
             R"({"lane":"ContextUnit","total":2,"counts":[{"start":"2025-01-01T00:00:00Z","count":2}]}]})");
}

BOOST_AUTO_TEST_CASE(small_lanes_are_counted_together) {
  std::vector<schema::Record> responses;
  for (int agent = 0; agent < 25; ++agent) {
    for (int i = 0; i <= agent; ++i) {
      responses.emplace_back(made_by("resp_a" + std::to_string(agent) + "_" + std::to_string(i),
                                     "agent_" + std::to_string(agent), {{"cu_b", 1}}));
    }
  }
  world.commit(responses);
  auto const answer =
      json_of(ask(queries::node_activity, world.view(), {.lanes = LaneBy::agent, .period = Period::year}, unlimited()));
  BOOST_TEST(answer.at("lanes").as_array().size() == 20U);
  BOOST_TEST(text(answer.at("lanes").as_array().at(0).at("lane")) == R"("agent_24")");
  // The smallest: y 1, agent_0 1, x 2, agent_1 2, agent_2 3, agent_3 4, agent_4 5.
  BOOST_TEST(text(answer.at("other")) ==
             R"({"lanes":7,"total":18,"counts":[{"start":"2025-01-01T00:00:00Z","count":18}]})");
}

BOOST_AUTO_TEST_CASE(too_many_periods_a_range_that_is_none_and_a_type_that_is_no_node_are_refused) {
  auto old = unit("cu_old");
  old.timestamp = schema::parse_rfc3339("1000-01-01T00:00:00Z").value();
  world.commit({old});
  auto const path = [&](NodeActivityParams const& params) {
    auto const answer = queries::node_activity(world.view(), params, unlimited());
    return answer.has_error() ? answer.error().violations.at(0).path : std::string("accepted");
  };
  BOOST_TEST(path({.period = Period::day}) == "/period");
  BOOST_TEST(path({.period = Period::year}) == "accepted");
  BOOST_TEST(path({}) == "accepted");
  BOOST_TEST(path({.types = only(RecordType::citation)}) == "/types");
  BOOST_TEST(path({.from = at_second(2), .to = at_second(1)}) == "/to");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
