// Events of OpenLineage as values, and the facts that records keep of them.

#include "net/openlineage/event.hpp"

#include "net/openlineage/facts.hpp"

#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace ol = net::openlineage;

constexpr std::string_view run_event =
    R"({"eventType":"COMPLETE","eventTime":"2026-03-01T00:00:09Z","run":{"runId":"01020304-0506-0708-090A-0b0c0d0e0f10",)"
    R"("facets":{"parent":{"run":{"runId":"11020304-0506-0708-090a-0b0c0d0e0f10"},"job":{"namespace":"n","name":"p"}}}},)"
    R"("job":{"namespace":"n","name":"j"},"inputs":[{"namespace":"db","name":"a"}],)"
    R"("outputs":[{"namespace":"db","name":"b","facets":{"old":{"_deleted":true},"columnLineage":{"fields":{"x":{"inputFields":[)"
    R"({"namespace":"db","name":"c","field":"y"}]}}}},"outputFacets":{"rows":{"n":1}}}]})";

ol::Facets facet(std::int64_t second, std::string json) {
  return {{"f", {schema::Time{second, 0}, std::move(json)}}};
}

BOOST_AUTO_TEST_SUITE(openlineage)

BOOST_AUTO_TEST_CASE(a_run_event_has_its_run_datasets_and_facets) {
  auto const event = ol::read_event(run_event).value();
  BOOST_TEST(event.run == "01020304-0506-0708-090a-0b0c0d0e0f10");
  BOOST_TEST(event.parents.size() == 1U);
  BOOST_TEST((event.parents.front().job == ol::Name{"n", "p"}));
  auto const& output = event.outputs.at({"db", "b"});
  BOOST_TEST(output.facets.at("old").json.empty());
  BOOST_TEST(output.use_facets.at("rows").json == R"({"n":1})");
  BOOST_TEST((output.from == std::vector{ol::Name{"db", "c"}}));
  BOOST_TEST(event.inputs.contains({"db", "c"}));  // named by a facet only
}

BOOST_AUTO_TEST_CASE(the_newest_time_rules_a_facet_and_at_one_time_the_greater_text) {
  auto facets = facet(2, "{}");
  ol::merge(facets, facet(1, R"({"a":1})"));
  BOOST_TEST(facets.at("f").json == "{}");
  ol::merge(facets, facet(2, ""));
  BOOST_TEST(facets.at("f").json == "{}");
  ol::merge(facets, facet(3, ""));
  BOOST_TEST(facets.at("f").json.empty());
}

BOOST_AUTO_TEST_CASE(a_run_reads_what_was_written_before_it_began) {
  auto const written = [](std::int64_t begin, std::int64_t end) {
    return ol::VersionFacts{.run = {.uuid = "b"}, .span = {{begin, 0}, {end, 0}}};
  };
  ol::Span const reading{{10, 0}, {20, 0}};
  BOOST_TEST(ol::is_before(written(1, 9), {.uuid = "a"}, reading));
  BOOST_TEST(ol::is_before(written(1, 10), {.uuid = "a"}, reading));
  BOOST_TEST(!ol::is_before(written(1, 11), {.uuid = "a"}, reading));
  // Two moments at one time: by their keys, one way only.
  ol::Span const moment{{10, 0}, {10, 0}};
  BOOST_TEST(!ol::is_before(written(10, 10), {.uuid = "a"}, moment));
  BOOST_TEST(ol::is_before(written(10, 10), {.uuid = "c"}, moment));
}

BOOST_AUTO_TEST_CASE(records_keep_the_facts_they_were_made_from) {
  ol::RunKey const run{.uuid = "01020304-0506-0708-090a-0b0c0d0e0f10"};
  ol::RunKey const declared{.job = {"n", "j"}};
  ol::RunFacts const facts{.job = {"n", "j"},
                           .job_time = {3, 0},
                           .first = {1, 0},
                           .start = schema::Time{1, 0},
                           .end = schema::Time{4, 5},
                           .state = "FAIL",
                           .state_time = {4, 5},
                           .inputs = {{"db", "a"}},
                           .outputs = {{"db", "b"}, {"db", "c"}},
                           .parents = {{"11020304-0506-0708-090a-0b0c0d0e0f10", {"n", "p"}}},
                           .facets = {{"f", {{4, 5}, R"({"a":1})"}}, {"gone", {{2, 0}, ""}}}};
  ol::ReadingFacts const reading{.run = run, .span = facts.span(), .of = declared, .facets = facts.facets};
  BOOST_TEST((ol::run_facts(ol::run_record(run, facts, {{{"db", "a"}, reading}})) == facts));
  BOOST_TEST((ol::reading_facts(ol::reading_record({"db", "a"}, reading)) == reading));
  ol::VersionFacts const version{
      .run = declared, .span = facts.span(), .has_failed = true, .from = {{"db", "a"}}, .facets = facts.facets};
  BOOST_TEST((ol::version_facts(ol::version_record({"db", "b"}, version, {{{"db", "a"}, reading}})) == version));
  // A record of somebody else has none.
  BOOST_TEST(!ol::run_facts(ol::mentioned_run(run)));
  BOOST_TEST(!ol::thing_facts(schema::ProvNode{.attributes = schema::ProvAttributes{R"({"prov:label":"x"})"}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
