// Prompts and Markdown files, byte for byte.

#include "queries/discussion/text.hpp"
#include "tests/queries/discussions.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::markdown_text;
using queries::prompt_text;

BOOST_AUTO_TEST_SUITE(discussion_text)

BOOST_AUTO_TEST_CASE(a_prompt_is_the_example_of_the_fine_print) {
  schema::DiscussionState const state{
      .discussion = discussion(),
      .rounds = {round_of(1, {"a", "b", "c"}, {{"not shown"}}), round_of(2, {"d", "e", "f"}, {{"one", "two"}})},
      .summaries = {summary_of(1, "What round 1 said.")}};
  std::vector<queries::PromptFile> const files{{"notes.txt", "file text"}};
  BOOST_TEST(prompt_text(state, files) == R"(## Summary (through round 1)

What round 1 said.

## Round 2

### Analyzer AI

d

### Solver AI

e

### Moderator AI

f

## User answers

### Round 2

1. one
2. two

## Files

### notes.txt

file text
)");
}

BOOST_AUTO_TEST_CASE(absent_parts_leave_no_heading) {
  schema::DiscussionState state{.discussion = discussion()};
  BOOST_TEST(prompt_text(state, {}) == "");
  state.rounds = {round_of(1, {"a", "b", "c"}, std::vector<std::string>{})};
  BOOST_TEST(prompt_text(state, {}) ==
             "## Round 1\n\n### Analyzer AI\n\na\n\n### Solver AI\n\nb\n\n### Moderator AI\n\nc\n");
}

BOOST_AUTO_TEST_CASE(an_open_round_shows_the_responses_it_has) {
  schema::DiscussionState const state{.discussion = discussion(), .rounds = {round_of(1, {"a"})}};
  BOOST_TEST(prompt_text(state, {}) == "## Round 1\n\n### Analyzer AI\n\na\n");
}

BOOST_AUTO_TEST_CASE(texts_are_kept_as_they_were_written) {
  schema::DiscussionState const state{.discussion = discussion(), .rounds = {round_of(1, {" a\n\n# b \n"})}};
  BOOST_TEST(prompt_text(state, {}) == "## Round 1\n\n### Analyzer AI\n\n a\n\n# b \n\n");
}

BOOST_AUTO_TEST_CASE(answers_and_files_are_shown_without_rounds_too) {
  schema::DiscussionState const state{.discussion = discussion()};
  std::vector<queries::PromptFile> const files{{"a", "1"}, {"b", "2"}};
  BOOST_TEST(prompt_text(state, files) == "## Files\n\n### a\n\n1\n\n### b\n\n2\n");
}

BOOST_AUTO_TEST_CASE(markdown_is_the_example_of_the_fine_print) {
  BOOST_TEST(markdown_text(example_discussion(), {}) == R"(# How to test

- user: user-1
- discussion: disc-1
- rounds: 1
- tokens: 256

## Round 1

### Analyzer AI

a

### Solver AI

b

### Moderator AI

c

### User answers

1. yes

## Summary (through round 1)

What round 1 said.
)");
}

BOOST_AUTO_TEST_CASE(markdown_has_no_title_without_a_topic_and_no_open_round) {
  schema::DiscussionState const state{.discussion = discussion(std::nullopt), .rounds = {round_of(1, {"a"})}};
  BOOST_TEST(markdown_text(state, {}) == "- user: user-1\n- discussion: disc-1\n- rounds: 0\n- tokens: 250\n");
}

BOOST_AUTO_TEST_CASE(markdown_shows_all_rounds_then_all_summaries) {
  schema::DiscussionState const state{
      .discussion = discussion(std::nullopt),
      .rounds = {round_of(1, {"a", "b", "c"}), round_of(2, {"d", "e", "f"}), round_of(3, {"g", "h", "i"})},
      .summaries = {summary_of(1, "one"), summary_of(2, "two")}};
  auto const text = markdown_text(state, {});
  BOOST_TEST(text.find("- rounds: 3\n- tokens: 329\n") != std::string::npos);
  BOOST_TEST(text.find("## Round 1\n") < text.find("## Round 3\n"));
  BOOST_TEST(text.ends_with("## Summary (through round 1)\n\none\n\n## Summary (through round 2)\n\ntwo\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
