// System prompt templates: numbered without gaps, one active per model.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

schema::SystemPromptTemplate prompt(std::string model, std::int64_t version) {
  return {.model_id = std::move(model), .prompt_text = "You are " + std::to_string(version), .version = version};
}

bool is_active(engine::Engine const& engine, std::string const& ref) {
  return record_of<schema::SystemPromptTemplate>(engine, ref).active.value();
}

BOOST_FIXTURE_TEST_SUITE(templates, EngineFixture)

BOOST_AUTO_TEST_CASE(a_new_version_makes_the_old_one_inactive_in_its_transaction) {
  write({prompt("gpt", 1)}).value();
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(outcome(write({prompt("gpt", 2)})) == "ok 2");
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/2"));
  BOOST_TEST(text_at(*engine, 1, "SystemPromptTemplate:gpt/1").find("\"active\":true") != std::string::npos);
  reopen();
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
}

BOOST_AUTO_TEST_CASE(versions_of_one_batch_leave_the_last_active) {
  write({prompt("gpt", 1), prompt("gpt", 2), prompt("gpt", 3), prompt("other", 1)}).value();
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/2"));
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/3"));
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:other/1"));
}

BOOST_AUTO_TEST_CASE(an_inactive_new_version_leaves_the_old_one_active) {
  auto draft = prompt("gpt", 2);
  draft.active = false;
  write({prompt("gpt", 1), draft}).value();
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/1"));
  write({prompt("gpt", 3)}).value();
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
}

BOOST_AUTO_TEST_CASE(a_gap_and_a_taken_version_are_preconditions) {
  write({prompt("gpt", 1)}).value();
  BOOST_TEST(outcome(write({prompt("gpt", 3)})) == "0 /version precondition version");
  auto other = prompt("gpt", 1);
  other.prompt_text = "You are somebody else";
  BOOST_TEST(outcome(write({other})) == "0 /version precondition version");
}

BOOST_AUTO_TEST_CASE(the_same_again_is_unchanged_also_when_it_is_no_longer_active) {
  write({prompt("gpt", 1), prompt("gpt", 2)}).value();
  BOOST_TEST(outcome(write({prompt("gpt", 1)})) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(another_word_on_whether_it_is_active_is_no_repeat) {
  auto draft = prompt("gpt", 1);
  draft.active = false;
  write({draft}).value();
  BOOST_TEST(outcome(write({draft})) == "unchanged 1");
  BOOST_TEST(outcome(write({prompt("gpt", 1)})) == "0 /version precondition version");
  BOOST_TEST(outcome(write({prompt("twice", 1), prompt("twice", 1)})) == "ok 2");
}

BOOST_AUTO_TEST_CASE(a_deleted_version_returns_only_as_the_newest) {
  write({prompt("gpt", 1), prompt("gpt", 2), prompt("gpt", 3)}).value();
  engine->write(removing({"SystemPromptTemplate:gpt/2", "SystemPromptTemplate:gpt/3"})).value();
  BOOST_TEST(outcome(write({prompt("gpt", 2)})) == "0 /version precondition version");
  BOOST_TEST(outcome(write({prompt("gpt", 3)})) == "ok 3");
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/3"));
}

BOOST_AUTO_TEST_CASE(a_template_prompts_the_response_that_names_it) {
  auto made = response("resp_1", {"cu_1"});
  made.prompt_template = schema::TemplateName{"gpt/4", 1};
  write({unit("cu_1"), prompt("gpt/4", 1), made}).value();
  auto const edges = edges_of(engine->snapshot());
  BOOST_TEST((std::ranges::find(edges, "gpt%2F4/1 PROMPTED resp_1") != edges.end()));
}

BOOST_AUTO_TEST_CASE(summaries_of_a_client_follow_each_other) {
  schema::Summary first{.id = "t-v1", .topic = "t", .content = "All.", .version = 1};
  auto second = first;
  second.id = "t-v2";
  second.version = 2;
  auto gap = first;
  gap.id = "t-v4";
  gap.version = 4;
  BOOST_TEST(outcome(write({first, second})) == "ok 1");
  BOOST_TEST(record_of<schema::Summary>(*engine, "Summary:t-v2").previous_version.value() == "t-v1");
  BOOST_TEST(outcome(write({gap})) == "0 /version precondition version");
  BOOST_TEST(outcome(write({first, second})) == "unchanged 1");
  auto misnamed = first;
  misnamed.id = "t-v9";
  BOOST_TEST(outcome(write({misnamed})) == "0 /id invalid_record summary_id");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
