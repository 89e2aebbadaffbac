// Reads of discussions: context, prompt, tokens, and the records themselves.

#include "queries/discussion/load.hpp"
#include "schema/json/json.hpp"
#include "tests/queries/discussions.hpp"
#include "tests/queries/fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

queries::DiscussionParams const asked{.user_id = "user-1", .discussion_id = "disc-1"};

/// `user-1/disc-1` in steps: 1 empty, 2 with two rounds, 3 with a summary of the first, 4 with an open round.
struct DiscussionWorld {
  RecordWorld world;

  DiscussionWorld() {
    world.commit({discussion()});
    auto second = round_of(2, {std::string(35, 'd'), std::string(36, 'e'), "f"}, {{"one", "two"}});
    world.commit({round_of(1, {std::string(10, 'a'), std::string(11, 'b'), std::string(7, 'c')}), second});
    world.commit({summary_of(1, "What round 1 sa")});
    world.commit({round_of(3, {"open"})});
  }

  [[nodiscard]] boost::json::object context(std::uint64_t tx) const {
    return json_of(ask(queries::discussion_context, world.view(tx), asked, unlimited()));
  }
  [[nodiscard]] std::int64_t tokens(std::uint64_t tx) const {
    return json_of(ask(queries::discussion_tokens, world.view(tx), asked, unlimited())).at("total").as_int64();
  }
};

BOOST_FIXTURE_TEST_SUITE(discussions, DiscussionWorld)

BOOST_AUTO_TEST_CASE(tokens_are_those_of_the_fine_print) {
  BOOST_TEST(tokens(1) == 250);
  BOOST_TEST(tokens(2) == 431);
  BOOST_TEST(tokens(3) == 352);
  auto const counted = json_of(ask(queries::discussion_tokens, world.view(4), asked, unlimited()));
  BOOST_TEST(text(counted) ==
             R"({"total":429,"parts":{"responses":24,"system":250,"overhead":150,"summary":5},"rounds":2})");
}

BOOST_AUTO_TEST_CASE(tokens_of_system_prompts_are_the_largest_configured) {
  auto view = world.view(1);
  view.token_rules.system_prompts = {10, 300, 20};
  BOOST_TEST(json_of(ask(queries::discussion_tokens, view, asked, unlimited())).at("total").as_int64() == 300);
}

BOOST_AUTO_TEST_CASE(an_empty_context_has_nothing_in_it) {
  BOOST_TEST(text(context(1)) ==
             R"({"userId":"user-1","discussionId":"disc-1","currentSummary":null,"rounds":[],"currentRound":null,)"
             R"("tokens":250,"refs":[]})");
}

BOOST_AUTO_TEST_CASE(a_context_has_all_rounds_while_there_is_no_summary) {
  auto const found = context(2);
  BOOST_TEST(found.at("rounds").as_array().size() == 2U);
  BOOST_TEST(found.at("rounds").at(0).at("$type$").as_string() == "DiscussionRound");
  BOOST_TEST(found.at("rounds").at(0).at("solverResponse").at("turn").as_int64() == 2);
  BOOST_TEST(text(found.at("refs")) == R"(["DiscussionRound:user-1/disc-1/1","DiscussionRound:user-1/disc-1/2"])");
}

BOOST_AUTO_TEST_CASE(a_context_with_a_summary_has_the_rounds_after_it_only) {
  auto const found = context(3);
  BOOST_TEST(found.at("currentSummary").at("summary").as_string() == "What round 1 sa");
  BOOST_TEST(found.at("rounds").as_array().size() == 1U);
  BOOST_TEST(text(found.at("refs")) == R"(["SummaryEntry:user-1/disc-1/1","DiscussionRound:user-1/disc-1/2"])");
}

BOOST_AUTO_TEST_CASE(an_open_round_is_last_with_the_responses_it_has) {
  auto const found = context(4);
  BOOST_TEST(found.at("currentRound").as_int64() == 3);
  auto const& open = found.at("rounds").at(1).as_object();
  BOOST_TEST(open.contains("analyzerResponse"));
  BOOST_TEST(!open.contains("solverResponse"));
}

BOOST_AUTO_TEST_CASE(a_prompt_comes_with_its_refs_and_tokens) {
  queries::DiscussionPromptParams const with_file{
      .user_id = "user-1", .discussion_id = "disc-1", .files = {{{"notes.txt", "file text"}}}};
  auto const found = json_of(ask(queries::discussion_prompt, world.view(3), with_file, unlimited()));
  std::string const prompt(found.at("prompt").as_string());
  BOOST_TEST(prompt.starts_with("## Summary (through round 1)\n\nWhat round 1 sa\n\n## Round 2\n"));
  BOOST_TEST(prompt.ends_with("## Files\n\n### notes.txt\n\nfile text\n"));
  BOOST_TEST(found.at("refs") == context(3).at("refs"));
  BOOST_TEST(found.at("tokens").as_int64() == 352);
}

BOOST_AUTO_TEST_CASE(the_persona_changes_nothing) {
  auto const plain = text_of(ask(queries::discussion_context, world.view(), asked, unlimited()));
  for (auto const& speaker : schema::speakers()) {
    auto with_persona = asked;
    with_persona.persona = speaker.persona;
    BOOST_TEST(text_of(ask(queries::discussion_context, world.view(), with_persona, unlimited())) == plain);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_discussion_is_not_found_by_both_its_ids) {
  auto const error = queries::discussion_context(world.view(), {"user-1", "a/b"}, unlimited()).error();
  BOOST_CHECK(error.code == Errc::not_found);
  BOOST_REQUIRE(error.violations.size() == 1U);
  BOOST_TEST(error.violations[0].path == "/discussionId");
  BOOST_TEST(error.violations[0].seen == "\"Discussion:user-1/a%2Fb\"");
}

BOOST_AUTO_TEST_CASE(deleted_rounds_and_summaries_are_no_part_of_it) {
  world.remove({"SummaryEntry:user-1/disc-1/1", "DiscussionRound:user-1/disc-1/3"});
  auto const state = queries::load_discussion(world.view(), "user-1", "disc-1").value();
  BOOST_TEST(state.rounds.size() == 2U);
  BOOST_TEST(state.summaries.empty());
  BOOST_TEST(context(4).at("currentRound").as_int64() == 3);
}

BOOST_AUTO_TEST_CASE(rounds_come_in_order_of_their_numbers_however_they_were_written) {
  RecordWorld other;
  other.commit({discussion(), round_of(2, {"d", "e", "f"}), round_of(1, {"a", "b", "c"}), summary_of(2, "two"),
                summary_of(1, "one")});
  auto const state = queries::load_discussion(other.view(), "user-1", "disc-1").value();
  BOOST_TEST(state.rounds[0].round_number == 1);
  BOOST_TEST(state.current_summary()->summary == "two");
  BOOST_TEST(*state.rounds[1].analyzer_response->persona == "Analyzer AI");
}

BOOST_AUTO_TEST_CASE(find_knows_the_plain_members_of_rounds_and_summaries) {
  using Op = queries::Condition::Op;
  auto const found = [&](schema::RecordType type, queries::Condition condition) {
    return refs_of(json_of(ask(queries::node_find, world.view(),
                               {.type = type, .where = {std::move(condition)}, .order = {}}, unlimited())));
  };
  auto const round = schema::RecordType::discussion_round;
  BOOST_TEST(found(round, {"roundNumber", Op::gt, {"1"}}) ==
             "DiscussionRound:user-1/disc-1/2 DiscussionRound:user-1/disc-1/3");
  BOOST_TEST(found(round, {"timestamp", Op::lte, {"1"}}) == "DiscussionRound:user-1/disc-1/1");
  BOOST_TEST(found(schema::RecordType::summary_entry, {"tokenCountAfter", Op::eq, {"256"}}) ==
             "SummaryEntry:user-1/disc-1/1");
  BOOST_TEST(found(schema::RecordType::discussion, {"topic", Op::prefix, {"\"How\""}}) == "Discussion:user-1/disc-1");
}

BOOST_AUTO_TEST_CASE(find_refuses_members_that_are_lists_or_objects) {
  queries::NodeFindParams const by_response{.type = schema::RecordType::discussion_round,
                                            .where = {{"analyzerResponse", queries::Condition::Op::eq, {"\"a\""}}},
                                            .order = {}};
  BOOST_CHECK(queries::node_find(world.view(), by_response, unlimited()).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
