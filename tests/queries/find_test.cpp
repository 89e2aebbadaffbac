// node.find and node.count: fields, operators, orders, refusals.

#include "tests/queries/fixture.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::Condition;
using Op = queries::Condition::Op;
using schema::RecordType;

struct Library {
  Library() {
    auto a = unit("cu_a", "file:a");
    a.timestamp = at_second(10);
    a.summary = "x";
    auto b = unit("cu_b", "file:b");
    b.timestamp = at_second(20);
    b.type = schema::ContextType::external;
    auto c = unit("cu_c", "tool:c");
    c.timestamp = at_second(30);
    c.summary = "y";
    c.derived_from = std::vector<std::string>{"cu_a", "cu_b"};
    c.flags = std::vector<std::string>{"unknown_members"};
    world.commit({c, b, a});
    world.commit({response("resp_1", {{"cu_a", 1}}), response("resp_2", {{"cu_b", 1}})});
    world.commit({feedback("fb_1", "resp_1", -0.75), feedback("fb_2", "resp_1", -0.25)});
    schema::Topic t = topic("t1");
    t.created_at = schema::EpochMs{1000};
    world.commit({t, topic("t2")});
  }

  [[nodiscard]] std::string find(RecordType type, std::vector<Condition> where, queries::Order order = {}) const {
    queries::NodeFindParams const params{type, std::move(where), std::move(order), {}};
    auto const answer = json_of(ask(queries::node_find, world.view(), params, unlimited()));
    std::string all;
    for (auto const& node : answer.at("nodes").as_array()) {
      all += (all.empty() ? "" : " ") + std::string(node.at("id").as_string());
    }
    return all;
  }

  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(find, Library)

BOOST_AUTO_TEST_CASE(default_order_is_by_id) {
  BOOST_TEST(find(RecordType::context_unit, {}) == "cu_a cu_b cu_c");
  BOOST_TEST(find(RecordType::context_unit, {}, {"id", true}) == "cu_c cu_b cu_a");
}

BOOST_AUTO_TEST_CASE(a_type_without_records_is_an_empty_answer) {
  BOOST_TEST(find(RecordType::keyword, {}).empty());
}

BOOST_AUTO_TEST_CASE(keywords_are_found_by_topic_and_by_subject) {
  world.commit({schema::Keyword{.term = "a", .subjects = {"Subject:t1/x", "Subject:t2/y"}},
                schema::Keyword{.term = "b", .subjects = {"Subject:t1/y"}}, schema::Keyword{.term = "c"}});
  auto const keywords = [&](char const* field, Op op, char const* operand) {
    return find(RecordType::keyword, {{field, op, {operand}}});
  };
  BOOST_TEST(keywords("topic", Op::eq, R"("t1")") == "a b");
  BOOST_TEST(keywords("topic", Op::eq, R"("t2")") == "a");
  BOOST_TEST(keywords("topic", Op::eq, R"("t")") == "");
  BOOST_TEST(keywords("topic", Op::prefix, R"("t")") == "a b");
  BOOST_TEST(keywords("subject", Op::eq, R"("y")") == "a b");
  BOOST_TEST(keywords("subject", Op::eq, R"("Subject:t1/y")") == "b");
  BOOST_TEST(find(RecordType::keyword, {{"topic", Op::eq, {R"("t2")"}}, {"term", Op::eq, {R"("b")"}}}) == "");
  for (char const* const several : {"topic", "subject", "subjects"}) {
    queries::NodeFindParams const ordered{RecordType::keyword, {}, {several}, {}};
    auto const refused = queries::node_find(world.view(), ordered, unlimited()).error().violations.at(0);
    BOOST_TEST(refused.path == "/order/by");
    BOOST_TEST(refused.message.find("no order follows it; there are id, tx, ") != std::string::npos, refused.message);
    BOOST_TEST(refused.message.find("subject") == std::string::npos, refused.message);
  }
  BOOST_TEST(
      queries::node_find(world.view(), {RecordType::topic, {{"subject", Op::eq, {"\"x\""}}}, {}, {}}, unlimited())
          .error()
          .code == Errc::invalid_params);
}

struct Case {
  char const* field;
  Op op;
  std::vector<std::string> operands;
  char const* expected;
};
std::ostream& operator<<(std::ostream& out, Case const& one) {
  return out << one.field << ' ' << static_cast<int>(one.op) << ' ' << one.operands.at(0);
}
Case const unit_cases[] = {
    {"id", Op::eq, {R"("cu_b")"}, "cu_b"},
    {"id", Op::eq, {R"("cu_none")"}, ""},
    {"id", Op::in, {R"("cu_c")", R"("cu_a")", R"("cu_a")"}, "cu_a cu_c"},
    {"id", Op::prefix, {R"("cu_")"}, "cu_a cu_b cu_c"},
    {"id", Op::gt, {R"("cu_a")"}, "cu_b cu_c"},
    {"source", Op::prefix, {R"("file:")"}, "cu_a cu_b"},
    {"source", Op::contains, {R"("OL:c")"}, "cu_c"},
    {"source", Op::contains, {R"("")"}, "cu_a cu_b cu_c"},
    {"source", Op::contains, {R"("ol:cc")"}, ""},
    {"source", Op::eq, {R"("tool:c")"}, "cu_c"},
    {"type", Op::eq, {R"("External")"}, "cu_b"},
    {"timestamp", Op::lt, {R"("2025-10-09T16:15:20Z")"}, "cu_a"},
    {"timestamp", Op::lte, {R"("2025-10-09T18:15:20+02:00")"}, "cu_a cu_b"},
    {"timestamp", Op::gte, {R"("2025-10-09T16:15:20.000000001Z")"}, "cu_c"},
    {"summary", Op::in, {R"("y")", R"("z")"}, "cu_c"},
    {"summary", Op::lt, {R"("zzz")"}, "cu_a cu_c"},  // cu_b has none and matches no condition
    {"version", Op::eq, {"1"}, "cu_a cu_b cu_c"},
    {"version", Op::gt, {"1"}, ""},
    {"tx", Op::lte, {"1"}, "cu_a cu_b cu_c"},
    {"status", Op::eq, {R"("deprecated")"}, "cu_a"},
    {"status", Op::in, {R"("active")", R"("updated")"}, "cu_b cu_c"},
    {"score", Op::lt, {"0"}, "cu_a"},
    {"feedback_count", Op::gte, {"2"}, "cu_a"},
    {"derived_from", Op::has, {R"("cu_b")"}, "cu_c"},
    {"derived_from", Op::has, {R"("cu_c")"}, ""},
    {"flags", Op::has, {R"("unknown_members")"}, "cu_c"},
};
BOOST_DATA_TEST_CASE_F(Library, a_condition_on_units_holds, unit_cases, one) {
  BOOST_TEST(find(RecordType::context_unit, {{one.field, one.op, one.operands}}) == one.expected);
  auto const count = ask(queries::node_count, world.view(),
                         {RecordType::context_unit, {{one.field, one.op, one.operands}}}, unlimited());
  std::string const expected = one.expected;
  auto const words = expected.empty() ? 0 : 1 + std::count(expected.begin(), expected.end(), ' ');
  BOOST_TEST(text(json_of(count).at("count")) == std::to_string(words));
}

BOOST_AUTO_TEST_CASE(all_conditions_must_hold) {
  BOOST_TEST(find(RecordType::context_unit, {{"source", Op::prefix, {R"("file:")"}},
                                             {"timestamp", Op::gt, {R"("2025-10-09T16:15:10Z")"}}}) == "cu_b");
}

BOOST_AUTO_TEST_CASE(responses_have_the_mean_score_of_their_feedback) {
  BOOST_TEST(find(RecordType::response, {{"score", Op::eq, {"-0.5"}}}) == "resp_1");
  BOOST_TEST(find(RecordType::response, {{"score", Op::lte, {"1"}}}) == "resp_1");  // resp_2 has none
  BOOST_TEST(find(RecordType::response, {{"feedback_count", Op::eq, {"0"}}}) == "resp_2");
  BOOST_TEST(find(RecordType::feedback_record, {{"score", Op::lt, {"-0.5"}}}) == "fb_1");
}

BOOST_AUTO_TEST_CASE(epoch_times_take_their_own_form) {
  BOOST_TEST(find(RecordType::topic, {{"createdAt", Op::eq, {"1000"}}}) == "t1");
}

BOOST_AUTO_TEST_CASE(ties_are_by_id_ascending_in_both_directions) {
  BOOST_TEST(find(RecordType::context_unit, {}, {"version", false}) == "cu_a cu_b cu_c");
  BOOST_TEST(find(RecordType::context_unit, {}, {"version", true}) == "cu_a cu_b cu_c");
  BOOST_TEST(find(RecordType::context_unit, {}, {"timestamp", true}) == "cu_c cu_b cu_a");
}

BOOST_AUTO_TEST_CASE(records_without_the_field_come_last_in_both_directions) {
  BOOST_TEST(find(RecordType::context_unit, {}, {"summary", false}) == "cu_a cu_c cu_b");
  BOOST_TEST(find(RecordType::context_unit, {}, {"summary", true}) == "cu_c cu_a cu_b");
  BOOST_TEST(find(RecordType::topic, {}, {"createdAt", true}) == "t1 t2");
}

struct Refusal {
  Condition condition;
  char const* path;
};
std::ostream& operator<<(std::ostream& out, Refusal const& refusal) {
  return out << refusal.path;
}
Refusal const refusals[] = {
    {{"sorce", Op::eq, {R"("x")"}}, "/where/sorce"},
    {{"a/b", Op::eq, {R"("x")"}}, "/where/a~1b"},
    {{"attributes", Op::eq, {R"("x")"}}, "/where/attributes"},
    {{"derived_from", Op::eq, {R"("x")"}}, "/where/derived_from/eq"},
    {{"derived_from", Op::has, {"5"}}, "/where/derived_from/has"},
    {{"source", Op::has, {R"("x")"}}, "/where/source/has"},
    {{"source", Op::eq, {"5"}}, "/where/source/eq"},
    {{"version", Op::lt, {R"("5")"}}, "/where/version/lt"},
    {{"version", Op::prefix, {"5"}}, "/where/version/prefix"},
    {{"version", Op::contains, {"5"}}, "/where/version/contains"},
    {{"timestamp", Op::gt, {R"("yesterday")"}}, "/where/timestamp/gt"},
    {{"timestamp", Op::gt, {"1000"}}, "/where/timestamp/gt"},
    {{"status", Op::in, {R"("active")", "null"}}, "/where/status/in/1"},
};
BOOST_DATA_TEST_CASE_F(Library, a_condition_that_cannot_be_is_refused_by_path, refusals, refusal) {
  auto const answer =
      ask(queries::node_count, world.view(), {RecordType::context_unit, {refusal.condition}}, unlimited());
  BOOST_REQUIRE(answer.has_error());
  BOOST_TEST(answer.error().code == Errc::invalid_params);
  BOOST_TEST(answer.error().violations.at(0).path == refusal.path);
}

BOOST_AUTO_TEST_CASE(an_unknown_order_and_a_type_that_is_no_node_are_refused) {
  auto const unknown =
      queries::node_find(world.view(), {RecordType::topic, {}, {"summary", false}, {}}, unlimited()).error();
  BOOST_TEST(unknown.violations.at(0).path == "/order/by");
  auto const manifest = queries::node_count(world.view(), {RecordType::lineage_manifest, {}}, unlimited()).error();
  BOOST_TEST(manifest.violations.at(0).path == "/type");
}

/// Asks for less work at its first check.
class TooLong final : public schema::Interrupt {
 public:
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override { return schema::Stop::too_long; }
};

BOOST_AUTO_TEST_CASE(a_search_of_many_nodes_is_interrupted_also_without_conditions) {
  std::vector<schema::Record> many;
  many.reserve(5'000);
  for (int i = 0; i < 5'000; ++i) many.emplace_back(topic("many_" + std::to_string(i)));
  world.commit(many);
  TooLong const interrupt;
  auto const found = queries::node_find(world.view(), {.type = RecordType::topic, .order = {}}, {interrupt, 1'000'000});
  BOOST_TEST(found.error().code == Errc::busy);
  auto const counted = queries::node_count(world.view(), {.type = RecordType::topic}, {interrupt, 1'000'000});
  BOOST_TEST(counted.error().code == Errc::busy);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
