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

schema::SystemPromptTemplate active(std::string model, std::int64_t version) {
  auto made = prompt(std::move(model), version);
  made.active = true;
  return made;
}

BOOST_AUTO_TEST_CASE(writing_an_inactive_version_as_active_makes_it_active_again) {
  write({prompt("gpt", 1), prompt("gpt", 2), prompt("gpt", 3)}).value();
  BOOST_TEST(outcome(write({active("gpt", 1)})) == "ok 2");
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/3"));
  BOOST_TEST(outcome(write({active("gpt", 1)})) == "unchanged 2");
  BOOST_TEST(outcome(write({active("gpt", 3)})) == "ok 3");
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(text_at(*engine, 2, "SystemPromptTemplate:gpt/1").find("\"active\":true") != std::string::npos);
  reopen();
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/3"));
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  auto other = active("gpt", 1);
  other.prompt_text = "You are somebody else";
  BOOST_TEST(outcome(write({other})) == "0 /version precondition version");
}

BOOST_AUTO_TEST_CASE(a_version_written_as_inactive_can_be_made_active) {
  auto draft = prompt("gpt", 2);
  draft.active = false;
  write({prompt("gpt", 1), draft}).value();
  BOOST_TEST(outcome(write({active("gpt", 2)})) == "ok 2");
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/2"));
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(outcome(write({active("gpt", 2)})) == "unchanged 2");
}

BOOST_AUTO_TEST_CASE(of_a_batch_the_last_active_template_counts) {
  write({prompt("gpt", 1), prompt("gpt", 2)}).value();
  BOOST_TEST(outcome(write({active("gpt", 1), active("gpt", 2)})) == "unchanged 1");
  BOOST_TEST(outcome(write({active("gpt", 1), prompt("gpt", 3)})) == "ok 2");
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/3"));
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(outcome(write({prompt("gpt", 4), active("gpt", 1)})) == "ok 3");
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/1"));
  for (char const* ref : {"SystemPromptTemplate:gpt/2", "SystemPromptTemplate:gpt/3", "SystemPromptTemplate:gpt/4"}) {
    BOOST_TEST(!is_active(*engine, ref));
  }
}

BOOST_AUTO_TEST_CASE(the_time_of_change_moves_when_a_template_goes_inactive) {
  auto first = prompt("gpt", 1);
  auto second = prompt("gpt", 2);
  first.created_at = first.updated_at = second.created_at = second.updated_at = schema::EpochMs{1'728'234'567'890};
  write({first}).value();
  write({second}).value();
  auto const changed = [&](char const* ref) {
    return record_of<schema::SystemPromptTemplate>(*engine, ref).updated_at.value();
  };
  BOOST_TEST(changed("SystemPromptTemplate:gpt/1").value > 1'728'234'567'890);
  BOOST_TEST(changed("SystemPromptTemplate:gpt/2").value == 1'728'234'567'890);
  first.active = true;
  write({first}).value();
  BOOST_TEST(changed("SystemPromptTemplate:gpt/1").value > 1'728'234'567'890);
  BOOST_TEST(changed("SystemPromptTemplate:gpt/2").value > 1'728'234'567'890);
}

BOOST_AUTO_TEST_CASE(a_deleted_version_returns_only_as_the_newest) {
  write({prompt("gpt", 1), prompt("gpt", 2), prompt("gpt", 3)}).value();
  engine->write(removing({"SystemPromptTemplate:gpt/2", "SystemPromptTemplate:gpt/3"})).value();
  BOOST_TEST(outcome(write({prompt("gpt", 3)})) == "ok 3");
  BOOST_TEST(outcome(write({prompt("gpt", 2)})) == "0 /version precondition version");
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/1"));
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/3"));
}

BOOST_AUTO_TEST_CASE(the_version_before_a_deleted_one_is_active_again_and_its_number_is_free) {
  auto draft = prompt("gpt", 3);
  draft.active = false;
  write({prompt("gpt", 1), prompt("gpt", 2), draft, prompt("gpt", 4), prompt("gpt", 5)}).value();
  BOOST_TEST(outcome(engine->write(removing({"SystemPromptTemplate:gpt/4"}))) == "0 /refs/0 precondition in_use");
  engine->write(removing({"SystemPromptTemplate:gpt/4", "SystemPromptTemplate:gpt/5"})).value();
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/2"));  // 3 never was
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/3"));
  reopen();
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/2"));
  BOOST_TEST(outcome(write({prompt("gpt", 4)})) == "ok 3");
  BOOST_TEST(!is_active(*engine, "SystemPromptTemplate:gpt/2"));
  BOOST_TEST(is_active(*engine, "SystemPromptTemplate:gpt/4"));
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
  BOOST_TEST(outcome(engine->write(removing({"Summary:t-v1"}))) == "0 /refs/0 precondition in_use");
  BOOST_TEST(outcome(engine->write(removing({"Summary:t-v2"}))) == "ok 2");
  second.content = "All of it.";
  BOOST_TEST(outcome(write({second})) == "ok 3");
  auto misnamed = first;
  misnamed.id = "t-v9";
  BOOST_TEST(outcome(write({misnamed})) == "0 /id invalid_record summary_id");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
