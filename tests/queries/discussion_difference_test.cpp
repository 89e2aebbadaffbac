// Files compared with the store: every kind of difference, and none where there is none.

#include "queries/discussion/difference.hpp"
#include "queries/discussion/text.hpp"
#include "tests/queries/discussions.hpp"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::Difference;
using queries::DifferenceKind;
using schema::DiscussionState;

constexpr schema::json::DiscussionName discussion_name{"user-1", "disc-1"};
schema::CheckContext const clock{.latest_time = {4'000'000'000, 0}};

queries::FoundDiscussion found(std::string const& json, DiscussionState const& markdown_state) {
  return {schema::json::parse_discussion_file(json, clock, discussion_name),
          queries::markdown_text(markdown_state, {})};
}

/// The differences where the files were written from `file` and the store holds `store`; `from` in the JSON is then
/// `to`.
std::vector<Difference> differ(DiscussionState const& file, DiscussionState const& store, std::string const& from = "",
                               std::string const& to = "") {
  auto json = schema::json::discussion_file_text(file, {});
  if (!from.empty()) json.replace(json.find(from), from.size(), to);
  return queries::differences(found(json, file), store, {});
}

/// "kind path" of each, in order.
std::string kinds_of(std::vector<Difference> const& differences) {
  std::string text;
  for (auto const& each : differences) {
    text.append(text.empty() ? "" : ", ").append(schema::name_of(each.kind)).append(" ").append(each.path);
  }
  return text;
}

BOOST_AUTO_TEST_SUITE(discussion_difference)

BOOST_AUTO_TEST_CASE(files_as_they_were_written_do_not_differ) {
  BOOST_TEST(kinds_of(differ(example_discussion(), example_discussion())) == "");
}

BOOST_AUTO_TEST_CASE(missing_files_are_reported_one_by_one) {
  auto const state = example_discussion();
  BOOST_TEST(kinds_of(queries::differences({}, state, {})) == "missing_file , missing_file ");
  auto without_json = found("", state);
  without_json.json.reset();
  auto const differences = queries::differences(without_json, state, {});
  BOOST_REQUIRE(differences.size() == 1U);
  BOOST_CHECK((differences[0] == Difference{DifferenceKind::missing_file, "", std::nullopt, "\"json\""}));
}

BOOST_AUTO_TEST_CASE(a_file_that_breaks_a_rule_is_unreadable_and_nothing_else) {
  auto const differences = differ(example_discussion(), {}, "\"turn\": 2", "\"turn\": 7");
  BOOST_TEST(kinds_of(differences) == "unreadable /rounds/0/solverResponse/turn");
  BOOST_TEST(differences[0].file.has_value());
  BOOST_TEST(!differences[0].store.has_value());
  BOOST_TEST(kinds_of(queries::differences(found("{", example_discussion()), {}, {})) == "unreadable ");
}

BOOST_AUTO_TEST_CASE(a_token_count_is_compared_with_the_files_own_rounds) {
  auto const differences =
      differ(example_discussion(), example_discussion(), "\"tokenCount\": 256", "\"tokenCount\": 260");
  BOOST_REQUIRE(differences.size() == 1U);
  BOOST_CHECK((differences[0] == Difference{DifferenceKind::token_count, "/tokenCount", "260", "256"}));
  BOOST_TEST(kinds_of(differ(example_discussion(), example_discussion(), "  \"tokenCount\": 256,\n", "")) ==
             "token_count /tokenCount");
}

BOOST_AUTO_TEST_CASE(rounds_differ_by_content_or_are_on_one_side_only) {
  DiscussionState two{.discussion = discussion(),
                      .rounds = {round_of(1, {"a", "b", "c"}), round_of(2, {"d", "e", "f"})}};
  DiscussionState one{.discussion = discussion(), .rounds = {round_of(1, {"a", "b", "x"})}};
  two.discussion.updated_at = one.discussion.updated_at = schema::EpochMs{9};
  auto const more_in_file = differ(two, one);
  BOOST_TEST(kinds_of(more_in_file) == "round /rounds/0, round /rounds/1");
  BOOST_TEST(more_in_file[0].file->find("\"content\":\"c\"") != std::string::npos);
  BOOST_TEST(more_in_file[0].store->find("\"content\":\"x\"") != std::string::npos);
  BOOST_TEST(more_in_file[0].file->find("userId") == std::string::npos);
  BOOST_TEST(!more_in_file[1].store.has_value());
  auto const more_in_store = differ(one, two);
  BOOST_TEST(kinds_of(more_in_store) == "behind , round /rounds/0");
  BOOST_TEST(*more_in_store[0].file == R"({"rounds":1,"summaries":0})");
  BOOST_TEST(*more_in_store[0].store == R"({"rounds":2,"summaries":0})");
}

BOOST_AUTO_TEST_CASE(what_was_recorded_before_is_behind_and_no_edit) {
  auto store = example_discussion();
  store.rounds.push_back(round_of(2, {"d", "e", "f"}));
  auto file = example_discussion();
  file.rounds[0].user_answers.reset();
  file.discussion.topic = "Earlier";
  queries::EarlierContents earlier{.discussions = {file.discussion}, .rounds = {file.rounds[0]}};
  auto const standing = queries::standing_of(file, store, earlier);
  BOOST_TEST(standing.is_behind);
  BOOST_TEST(!standing.is_edited());
  auto const same = queries::merged(file, store, earlier);
  BOOST_TEST((same.discussion == store.discussion && same.rounds == store.rounds && same.summaries == store.summaries));
  earlier = {};
  BOOST_TEST(queries::standing_of(file, store, earlier).is_edited());
  BOOST_TEST(kinds_of(queries::standing_of(file, store, earlier).edits) == "round /rounds/0, metadata /topic");
  auto const taken = queries::merged(file, store, earlier);
  BOOST_TEST(taken.discussion.topic.value() == "Earlier");
  BOOST_TEST(!taken.rounds.at(0).user_answers.has_value());
  BOOST_TEST((taken.rounds.at(1) == store.rounds[1]));
}

BOOST_AUTO_TEST_CASE(what_the_server_fills_in_may_be_missing_in_a_file) {
  auto const store = example_discussion();
  auto file = store;
  file.discussion.created_at.reset();
  file.discussion.updated_at = store.updated_at();  // of a file it follows from the rounds
  file.summaries[0].created_at.reset();
  file.summaries[0].token_count_before.reset();
  auto const standing = queries::standing_of(file, store, {});
  BOOST_TEST(standing.edits.empty());
  BOOST_TEST(!standing.is_behind);
}

BOOST_AUTO_TEST_CASE(merging_adds_and_removes_nothing) {
  auto const store = example_discussion();
  auto file = store;
  file.rounds.push_back(round_of(2, {"d", "e", "f"}));
  file.summaries.clear();
  auto const taken = queries::merged(file, store, {});
  BOOST_TEST(taken.rounds.size() == 2U);
  BOOST_TEST(taken.summaries.size() == 1U);
  // A round that was deleted after the last one is not taken again.
  queries::EarlierContents const earlier{.rounds = {file.rounds[1]}};
  BOOST_TEST(queries::merged(file, store, earlier).rounds.size() == 1U);
  BOOST_TEST(!queries::standing_of(file, store, earlier).is_edited());
}

BOOST_AUTO_TEST_CASE(questions_may_be_in_another_order) {
  auto file = example_discussion();
  auto store = file;
  file.rounds[0].questions = schema::QuestionSet{.json = R"({"b":1,"a":2})", .sorted = R"({"a":2,"b":1})"};
  store.rounds[0].questions = schema::QuestionSet{.json = R"({"a":2,"b":1})"};
  BOOST_TEST(kinds_of(differ(file, store)) == "");
}

BOOST_AUTO_TEST_CASE(summaries_differ_by_content_or_are_on_one_side_only) {
  auto const with = example_discussion();
  auto without = with;
  without.summaries.clear();
  without.discussion.updated_at = schema::EpochMs{3};
  auto other = with;
  other.summaries[0].summary = "Something else.";
  BOOST_TEST(kinds_of(differ(with, without)) == "summary /summaries/0");
  BOOST_TEST(kinds_of(differ(without, with)) == "behind ");
  BOOST_TEST(kinds_of(differ(with, other)) == "summary /summaries/0");
}

BOOST_AUTO_TEST_CASE(the_current_summary_must_agree_with_the_summaries_of_the_file) {
  auto const state = example_discussion();
  auto json = schema::json::discussion_file_text(state, {});
  json.replace(json.rfind("What round 1 said."), 4, "When");
  auto const differences = queries::differences(found(json, state), state, {});
  BOOST_REQUIRE(differences.size() == 1U);
  BOOST_CHECK((differences[0] ==
               Difference{DifferenceKind::summary, "/summary", "\"When round 1 said.\"", "\"What round 1 said.\""}));
  auto const at = json.find("\"currentSummary\"");
  json.replace(json.find("\"roundNumber\": 1", at), 16, "\"tokenCountBefore\": 1,\n\"roundNumber\": 1");
  BOOST_TEST(kinds_of(queries::differences(found(json, state), state, {})).starts_with("unreadable /currentSummary/"));
}

BOOST_AUTO_TEST_CASE(members_of_the_discussion_differ_one_by_one) {
  auto file = example_discussion();
  auto store = file;
  file.discussion.topic = "Another";
  file.discussion.is_resolved = true;
  store.discussion.created_at = schema::EpochMs{1};
  auto const differences = differ(file, store);
  BOOST_TEST(kinds_of(differences) == "metadata /createdAt, metadata /isResolved, metadata /topic");
  BOOST_TEST(*differences[1].file == "true");
  BOOST_TEST(!differences[1].store.has_value());
  BOOST_TEST(*differences[2].store == "\"How to test\"");
}

BOOST_AUTO_TEST_CASE(the_time_of_change_is_compared_with_the_latest_of_all) {
  auto const state = example_discussion();
  auto const differences = differ(state, state, "\"updatedAt\": 3", "\"updatedAt\": 4");
  BOOST_REQUIRE(differences.size() == 1U);
  BOOST_CHECK((differences[0] == Difference{DifferenceKind::metadata, "/updatedAt", "4", "3"}));
}

BOOST_AUTO_TEST_CASE(markdown_is_compared_with_the_content_of_the_json) {
  auto const state = example_discussion();
  auto files = found(schema::json::discussion_file_text(state, {}), state);
  auto& markdown = *files.markdown;
  markdown.replace(markdown.find("\nb\n"), 3, "\nB!\n");
  auto const differences = queries::differences(files, state, {});
  BOOST_REQUIRE(differences.size() == 1U);
  BOOST_CHECK((differences[0] == Difference{DifferenceKind::markdown, "", "\"B!\"", "\"b\""}));
  markdown = "";
  auto const empty = queries::differences(files, state, {});
  BOOST_CHECK((empty.at(0) == Difference{DifferenceKind::markdown, "", std::nullopt, "\"# How to test\""}));
  markdown = "# \xff";
  BOOST_TEST(*queries::differences(files, state, {}).at(0).file == "\"(a line that is not UTF-8)\"");
}

struct Small {
  char const* name;
  std::int64_t file;
  bool is_small;
};
std::ostream& operator<<(std::ostream& out, Small const& each) {
  return out << each.name;
}
std::vector<Small> const around_five_percent = {{"below", 950, false},
                                                {"just_below", 951, true},
                                                {"same", 1000, true},
                                                {"just_above", 1049, true},
                                                {"above", 1050, false}};

BOOST_DATA_TEST_CASE(small_is_less_than_five_percent, boost::unit_test::data::make(around_five_percent), sample) {
  BOOST_TEST(queries::is_small(sample.file, 1000) == sample.is_small);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
