// Events of OpenLineage as values, and the facts that records keep of them.

#include "net/openlineage/event.hpp"

#include "net/openlineage/facts.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

ol::VersionFacts written(std::string run, std::int64_t begin, std::int64_t at, std::int64_t end) {
  return {.dataset = {"db", "t"},
          .run = {.uuid = std::move(run)},
          .span = {{begin, 0}, {end, 0}},
          .written = schema::Time{at, 0}};
}

/// Who wrote the version that a run read; empty: none is known.
std::string read_by(std::vector<ol::VersionFacts> const& versions, std::string run, std::int64_t begin,
                    std::int64_t end, std::string label = {}) {
  std::vector<ol::VersionFacts const*> all;
  all.reserve(versions.size());
  for (auto const& each : versions) all.push_back(&each);
  ol::ReadingFacts reading{
      .run = {.uuid = std::move(run)}, .span = {{begin, 0}, {end, 0}}, .label = {.text = std::move(label)}};
  ol::find_versions_read(all, {&reading});
  return reading.of ? reading.of->run.uuid : std::string{};
}

BOOST_AUTO_TEST_CASE(a_run_reads_what_was_written_before_it_began) {
  BOOST_TEST(read_by({written("b", 1, 9, 9)}, "a", 10, 20) == "b");
  BOOST_TEST(read_by({written("b", 1, 10, 10)}, "a", 10, 20) == "b");
  BOOST_TEST(read_by({written("b", 1, 11, 11)}, "a", 10, 20) == "");
  BOOST_TEST(read_by({written("b", 1, 2, 2), written("c", 1, 3, 3)}, "a", 10, 20) == "c");
  // Two moments at one time: by their keys, one way only.
  BOOST_TEST(read_by({written("b", 10, 10, 10)}, "a", 10, 10) == "");
  BOOST_TEST(read_by({written("b", 10, 10, 10)}, "c", 10, 10) == "b");
}

BOOST_AUTO_TEST_CASE(what_a_run_that_goes_on_had_written_is_read_whenever_it_ends) {
  BOOST_TEST(read_by({written("b", 1, 2, 2)}, "a", 10, 20) == "b");
  BOOST_TEST(read_by({written("b", 1, 2, 100)}, "a", 10, 20) == "b");
  // One that fails later had written as well, but who begins afterwards reads what was there before.
  auto failed = written("b", 1, 2, 100);
  failed.has_failed = true;
  BOOST_TEST(read_by({failed}, "a", 10, 20) == "b");
  BOOST_TEST(read_by({failed, written("c", 0, 1, 1)}, "a", 100, 101) == "c");
  BOOST_TEST(read_by({failed, written("c", 0, 3, 3)}, "a", 10, 20) == "c");
}

BOOST_AUTO_TEST_CASE(a_run_that_names_its_version_read_that_one) {
  auto first = written("b", 1, 2, 2);
  first.label = {{2, 0}, "snap1"};
  auto second = written("c", 3, 4, 4);
  second.label = {{4, 0}, "snap2"};
  BOOST_TEST(read_by({first, second}, "a", 10, 20) == "c");
  BOOST_TEST(read_by({first, second}, "a", 10, 20, "snap1") == "b");
  BOOST_TEST(read_by({first, second}, "a", 10, 20, "snap3") == "");                  // none that is known
  BOOST_TEST(read_by({first, written("d", 5, 6, 6)}, "a", 10, 20, "snap3") == "d");  // who wrote it did not name it
}

BOOST_AUTO_TEST_CASE(a_dataset_has_one_name_however_its_path_is_spelt) {
  auto const outputs = [](std::string_view list) {
    auto const text = R"({"eventTime":"2026-03-01T00:00:09","run":{"runId":"01020304-0506-0708-090a-0b0c0d0e0f10"},)"
                      R"("job":{"namespace":"n","name":"j"},"outputs":)" +
                      std::string(list) + "}";
    return ol::read_event(text).value();
  };
  auto const event = outputs(
      R"([{"namespace":"file","name":"/data/a"},{"namespace":"hdfs://h:1","name":"/b"},)"
      R"({"namespace":"hdfs://h:1","name":"b"},{"namespace":"s3://k","name":""},{"namespace":"","name":"x"},7])");
  BOOST_TEST(event.outputs.size() == 3U);
  BOOST_TEST(ol::dataset_ref({"file://", "data/a"}).id == "file:///data/a");
  BOOST_TEST((event.outputs.contains({"file://", "data/a"}) && event.outputs.contains({"hdfs://h:1", "b"})));
  BOOST_TEST(ol::dataset_ref({"s3://k", "/"}).id == "s3://k/");
  BOOST_TEST(event.left_out.size() == 2U);
  BOOST_TEST(ol::job_ref({"a/b", "c"}).id != ol::job_ref({"a", "b/c"}).id);
}

BOOST_AUTO_TEST_CASE(what_a_job_declared_stands_until_it_declares_otherwise) {
  ol::RunFacts facts{.inputs = {{"db", "a"}, {"db", "b"}, {"db", "other"}}};
  facts.declare({20, 0}, {{"db", "b"}});
  facts.declare({10, 0}, {{"db", "a"}});
  BOOST_TEST((!facts.stands({"db", "a"}) && facts.stands({"db", "b"}) && facts.stands({"db", "other"})));
  for (std::int64_t const early : {5, 10, 19})
    BOOST_TEST(
        (facts.stands({"db", "a"}, schema::Time{early, 0}) && !facts.stands({"db", "b"}, schema::Time{early, 0})));
  BOOST_TEST((facts.stands({"db", "b"}, schema::Time{20, 0}) && !facts.stands({"db", "a"}, schema::Time{20, 0})));
  BOOST_TEST(ol::apart_of(facts, {"db", "a"}) == "former");
  for (std::int64_t second = 100; second < 100 + 2 * std::int64_t{ol::declarations_max}; ++second)
    facts.declare({second, 0}, {{"db", "a"}});
  BOOST_TEST(facts.declared.size() == ol::declarations_max);
  BOOST_TEST(
      (facts.stands({"db", "a"}) && !facts.stands({"db", "b"}) && !facts.stands({"db", "b"}, schema::Time{20, 0})));
}

BOOST_AUTO_TEST_CASE(a_lineage_facet_says_what_a_job_and_an_output_are_made_from) {
  auto const event =
      ol::read_event(R"({"eventTime":"2026-03-01T00:00:09Z","run":{"runId":"01020304-0506-0708-090a-0b0c0d0e0f10"},)"
                     R"("job":{"namespace":"n","name":"j","facets":{"lineage":{"entries":[)"
                     R"({"type":"JOB","inputs":[{"namespace":"db","name":"a"}]},)"
                     R"({"type":"JOB","namespace":"n","name":"k","runId":"r7","inputs":[{"type":"JOB"}]},)"
                     R"({"namespace":"db","name":"b","inputs":[{"namespace":"db","name":"c"},{"type":"JOB"},)"
                     R"({"type":"JOB","namespace":"n","name":"k"}]},{"namespace":"db","name":"d"}]}}}})")
          .value();
  BOOST_TEST((event.inputs.contains({"db", "a"}) && event.inputs.contains({"db", "c"}) && event.inputs.size() == 2U));
  BOOST_TEST(event.outputs.size() == 1U);  // of d nothing is said
  auto const& output = event.outputs.at({"db", "b"});
  BOOST_TEST((output.lineage == std::vector{ol::Name{"db", "c"}}));
  BOOST_TEST((output.jobs == std::set{ol::SourceJob{"", {"n", "k"}}}));
  BOOST_TEST(event.others.size() == 1U);
  auto const& other = event.others.front();
  BOOST_TEST((other.kind == ol::EventKind::run && other.run.size() == 36U && other.job == ol::Name{"n", "k"}));
  BOOST_TEST((other.jobs == std::set{ol::SourceJob{event.run, {"n", "j"}}}));
}

BOOST_AUTO_TEST_CASE(records_keep_the_facts_they_were_made_from) {
  ol::RunKey const run{.uuid = "01020304-0506-0708-090a-0b0c0d0e0f10"};
  ol::RunKey const declared{.job = {"n", "j"}};
  ol::RunFacts const facts{.job = {"n", "j"},
                           .jobs = {{"n", "i"}, {"n", "j"}},
                           .job_time = {3, 0},
                           .first = {1, 0},
                           .start = schema::Time{1, 0},
                           .end = schema::Time{4, 5},
                           .state = "FAIL",
                           .state_time = {4, 5},
                           .inputs = {{"db", "a"}},
                           .outputs = {{"db", "b"}, {"db", "c"}},
                           .parents = {{"11020304-0506-0708-090a-0b0c0d0e0f10", {"n", "p"}}},
                           .sources = {{"", {"n", "s"}}, {"11020304-0506-0708-090a-0b0c0d0e0f10", {"n", "s"}}},
                           .declared = {{{-1, 0}, {{"db", "a"}}}, {{5, 0}, {}}},
                           .declared_ever = {{"db", "a"}},
                           .explicit_outputs = {{"db", "c"}},
                           .facets = {{"f", {{4, 5}, R"({"a":1})"}}, {"gone", {{2, 0}, ""}}}};
  ol::ReadingFacts const reading{.dataset = {"db", "a"},
                                 .run = run,
                                 .span = facts.span(),
                                 .of = ol::VersionKey{{"db", "z"}, declared},
                                 .apart = "former",
                                 .label = {{1, 0}, "v"},
                                 .facets = facts.facets};
  BOOST_TEST((ol::run_facts(ol::run_record(run, facts, {{{"db", "a"}, reading}})) == facts));
  BOOST_TEST((ol::reading_facts(ol::reading_record(reading, {{"db", "a"}, {"db", "z"}})) == reading));
  ol::VersionFacts const version{.dataset = {"db", "b"},
                                 .run = declared,
                                 .span = facts.span(),
                                 .written = schema::Time{2, 0},
                                 .has_failed = true,
                                 .from = {{"db", "a"}},
                                 .lineage = std::set<ol::Name>{},
                                 .sources = {{"", {"n", "s"}}},
                                 .facets = facts.facets};
  BOOST_TEST((ol::version_facts(ol::version_record(version, {{"db", "b"}}, {{{"db", "a"}, reading}})) == version));
  // A record of somebody else has none.
  BOOST_TEST(!ol::run_facts(ol::mentioned_run(run)));
  BOOST_TEST(!ol::thing_facts(schema::ProvNode{.attributes = schema::ProvAttributes{R"({"prov:label":"x"})"}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
