// Discussion records: every rule at its bound and one step over it, through the wire form; order, context and tokens of
// a discussion.
#include "schema/records/discussion/discussion.hpp"

#include "schema/json/json.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/wire/codec.hpp"
#include "tests/schema/json/wire.hpp"

#include <algorithm>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

std::string const astral_character = "\U0001F600";  // one code point of four bytes

std::vector<Case> const discussion_cases = {
    {"good", discussion, "/topic", "\"t\"", ""},
    {"topic_empty", discussion, "/topic", "\"\"", ""},
    {"topic_null", discussion, "/topic", "null", ""},
    {"topic_number", discussion, "/topic", "1", "type /topic"},
    {"user_missing", discussion, "-/userId", "", "required /userId"},
    {"user_empty", discussion, "/userId", "\"\"", "id /userId"},
    {"user_255_bytes", discussion, "/userId", quoted(255), ""},
    {"user_256_bytes", discussion, "/userId", quoted(256), "id /userId"},
    {"user_control", discussion, "/userId", R"("a\u0085")", "id /userId"},
    {"user_slash", discussion, "/userId", "\"a/b%\"", ""},
    {"discussion_missing", discussion, "-/discussionId", "", "required /discussionId"},
    {"discussion_bytes_not_characters", discussion, "/discussionId", quoted(64, astral_character), "id /discussionId"},
    {"created_missing", discussion, "-/createdAt", "", ""},
    {"created_at_latest", discussion, "/createdAt", "1760026505000", ""},
    {"created_after_latest", discussion, "/createdAt", "1760026505001", "future /createdAt"},
    {"created_negative", discussion, "/createdAt", "-1", "range /createdAt"},
    {"created_text", discussion, "/createdAt", "\"2025-10-09T16:15:00Z\"", "type /createdAt"},
    {"updated_missing", discussion, "-/updatedAt", "", ""},
    {"updated_at_latest", discussion, "/updatedAt", "1760026505000", ""},
    {"updated_after_latest", discussion, "/updatedAt", "1760026505001", "future /updatedAt"},
    {"updated_fraction", discussion, "/updatedAt", "0.5", "integer /updatedAt"},
    {"resolved", discussion, "/isResolved", "true", ""},
    {"resolved_text", discussion, "/isResolved", "\"true\"", "type /isResolved"},
    {"needs_input", discussion, "/needsUserInput", "false", ""},
    {"needs_input_number", discussion, "/needsUserInput", "0", "type /needsUserInput"},
    {"open_round_is_inside", discussion, "/openRound", "1", "unknown_field /openRound"},
    {"attributes", discussion, "/attributes", "[]", "type /attributes"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_discussions, data::make(discussion_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::string questions_of(std::size_t bytes) {
  return R"({"a":)" + quoted(bytes - 8) + "}";
}

std::vector<Case> const round_cases = {
    {"good", round, "/roundNumber", "2", ""},
    {"number_2.0_counts_as_2", round, "/roundNumber", "2.0", ""},
    {"number_0_checks_no_turns", round, "/roundNumber", "0", ""},
    {"number_negative_checks_no_turns", round, "/roundNumber", "-1", ""},
    {"number_fraction", round, "/roundNumber", "1.5", "integer /roundNumber"},
    {"number_text", round, "/roundNumber", "\"2\"", "type /roundNumber"},
    {"number_missing", round, "-/roundNumber", "", "required /roundNumber"},
    {"number_beyond_2_to_53", round, "/roundNumber", "9007199254740992", "integer /roundNumber"},
    {"number_of_other_turns", round, "/roundNumber", "3",
     "turn /analyzerResponse/turn; turn /moderatorResponse/turn; turn /solverResponse/turn"},
    {"response_at_latest", round, "/solverResponse/timestamp", "1760026505000", ""},
    {"response_after_latest", round, "/solverResponse/timestamp", "1760026505001", "future /solverResponse/timestamp"},
    {"persona_missing", round, "-/solverResponse/persona", "", ""},
    {"persona_null", round, "/solverResponse/persona", "null", ""},
    {"persona_of_another", round, "/solverResponse/persona", "\"Analyzer AI\"", "persona /solverResponse/persona"},
    {"persona_lower_case", round, "/analyzerResponse/persona", "\"analyzer ai\"", "persona /analyzerResponse/persona"},
    {"persona_with_space", round, "/moderatorResponse/persona", "\"Moderator AI \"",
     "persona /moderatorResponse/persona"},
    {"persona_empty", round, "/moderatorResponse/persona", "\"\"", "persona /moderatorResponse/persona"},
    {"persona_number", round, "/moderatorResponse/persona", "3", "type /moderatorResponse/persona"},
    {"turn_missing", round, "-/moderatorResponse/turn", "", ""},
    {"turn_null", round, "/moderatorResponse/turn", "null", ""},
    {"turn_6.0", round, "/moderatorResponse/turn", "6.0", ""},
    {"turn_one_before", round, "/moderatorResponse/turn", "5", "turn /moderatorResponse/turn"},
    {"turn_one_after", round, "/moderatorResponse/turn", "7", "turn /moderatorResponse/turn"},
    {"turn_text", round, "/moderatorResponse/turn", "\"6\"", "type /moderatorResponse/turn"},
    {"content_missing", round, "-/solverResponse/content", "", "required /solverResponse/content"},
    {"content_empty", round, "/solverResponse/content", "\"\"", "blank /solverResponse/content"},
    {"content_blank", round, "/solverResponse/content", R"(" \t\r\n")", "blank /solverResponse/content"},
    {"content_no_break_space", round, "/solverResponse/content", "\"\u00a0\"", ""},
    {"content_untrimmed", round, "/solverResponse/content", "\" x \"", ""},
    {"content_number", round, "/solverResponse/content", "1", "type /solverResponse/content"},
    {"response_missing", round, "-/moderatorResponse", "", "required /moderatorResponse"},
    {"response_null", round, "/analyzerResponse", "null", "required /analyzerResponse"},
    {"response_text", round, "/analyzerResponse", "\"A\"", "type /analyzerResponse"},
    {"response_unknown_member", round, "/analyzerResponse/mood", "1", "unknown_field /analyzerResponse/mood"},
    {"response_time_missing", round, "-/analyzerResponse/timestamp", "", ""},
    {"response_time_negative", round, "/analyzerResponse/timestamp", "-1", "range /analyzerResponse/timestamp"},
    {"time_missing", round, "-/timestamp", "", "required /timestamp"},
    {"time_at_latest", round, "/timestamp", "1760026505000", ""},
    {"time_after_latest", round, "/timestamp", "1760026505001", "future /timestamp"},
    {"questions_missing", round, "-/questions", "", ""},
    {"questions_null", round, "/questions", "null", ""},
    {"questions_empty", round, "/questions", "{}", ""},
    {"questions_array", round, "/questions", "[]", "type /questions"},
    {"questions_65536", round, "/questions", questions_of(65'536), ""},
    {"questions_65537", round, "/questions", questions_of(65'537), "size /questions"},
    {"answers_empty", round, "/userAnswers", "[]", ""},
    {"answers_blank", round, "/userAnswers", R"(["",""])", ""},
    {"answers_text", round, "/userAnswers", "\"yes\"", "type /userAnswers"},
    {"answers_number", round, "/userAnswers", R"(["yes",1])", "type /userAnswers/1"},
    {"user_missing", round, "-/userId", "", "required /userId"},
    {"discussion_empty", round, "/discussionId", "\"\"", "id /discussionId"},
    {"misspelt", round, "/round_number", "2", "unknown_field /round_number"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_rounds, data::make(round_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

BOOST_AUTO_TEST_CASE(takes_round_numbers_up_to_the_last_whose_turns_are_exact) {
  std::string text{round};
  for (auto const& each : speakers()) text = changed(text, "-/" + std::string(each.member) + "/turn", "");
  auto const last = changed(text, "/roundNumber", "3002399751580330");
  BOOST_TEST(verdict(last) == "");
  BOOST_TEST(verdict(json::to_text(validate(last).record)) == "");
  BOOST_TEST(verdict(changed(text, "/roundNumber", "3002399751580331")) == "range /roundNumber");
}

BOOST_AUTO_TEST_CASE(refuses_members_of_questions_that_stand_twice) {
  std::string text{round};
  text.replace(text.find(R"({"questions")"), 1, R"({"questions":1,)");
  BOOST_TEST(verdict(text) == "duplicate_member /questions/questions");
}

std::vector<Case> const summary_cases = {
    {"good", summary_entry, "/summary", "\"s\"", ""},
    {"summary_empty", summary_entry, "/summary", "\"\"", "length /summary"},
    {"summary_blank", summary_entry, "/summary", R"(" \n\t")", "blank /summary"},
    {"summary_missing", summary_entry, "-/summary", "", "required /summary"},
    {"replaces_the_last_only", summary_entry, "/replacesRounds", "[2]", ""},
    {"replaces_none", summary_entry, "/replacesRounds", "[]", "items /replacesRounds"},
    {"replaces_missing", summary_entry, "-/replacesRounds", "", "required /replacesRounds"},
    {"replaces_number", summary_entry, "/replacesRounds", "2", "type /replacesRounds"},
    {"replaces_descending", summary_entry, "/replacesRounds", "[2,1]", "rounds /replacesRounds/1"},
    {"replaces_twice", summary_entry, "/replacesRounds", "[1,2,2]", "rounds /replacesRounds/2"},
    {"replaces_twice_before", summary_entry, "/replacesRounds", "[1,1,2]", "rounds /replacesRounds/1"},
    {"replaces_beyond", summary_entry, "/replacesRounds", "[1,3]", "rounds /replacesRounds/1"},
    {"replaces_too_few", summary_entry, "/replacesRounds", "[1]", "rounds /replacesRounds/0"},
    {"replaces_0", summary_entry, "/replacesRounds", "[0,2]", "range /replacesRounds/0"},
    {"replaces_fraction", summary_entry, "/replacesRounds", "[1.5,2]", "integer /replacesRounds/0"},
    {"replaces_1.0", summary_entry, "/replacesRounds", "[1.0,2.0]", ""},
    {"round_0", summary_entry, "/roundNumber", "0", "rounds /replacesRounds/1"},
    {"round_missing", summary_entry, "-/roundNumber", "", "required /roundNumber"},
    {"before_missing", summary_entry, "-/tokenCountBefore", "", ""},
    {"before_0", summary_entry, "/tokenCountBefore", "0", ""},
    {"before_negative", summary_entry, "/tokenCountBefore", "-1", "range /tokenCountBefore"},
    {"after_missing", summary_entry, "-/tokenCountAfter", "", ""},
    {"after_fraction", summary_entry, "/tokenCountAfter", "1.5", "integer /tokenCountAfter"},
    {"created_missing", summary_entry, "-/createdAt", "", ""},
    {"created_after_latest", summary_entry, "/createdAt", "1760026505001", "future /createdAt"},
    {"no_topic_here", summary_entry, "/topic", "\"t\"", "unknown_field /topic"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_summary_entries, data::make(summary_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

struct DiscussionForm {
  std::string name;
  std::string text;
};
std::ostream& operator<<(std::ostream& out, DiscussionForm const& each) {
  return out << each.name;
}

// Records as clients write them, one of each kind.
std::vector<DiscussionForm> const wire_forms = {
    {"discussion",
     R"({"$type$": "Discussion", "userId": "user-1", "discussionId": "disc-1", "topic": "How to test", "createdAt": 1733000000000, "updatedAt": 1733000000000})"},
    {"round",
     R"({"$type$": "DiscussionRound", "userId": "user-1", "discussionId": "disc-1", "roundNumber": 1, "timestamp": 1733000000001, "analyzerResponse": {"persona": "Analyzer AI", "turn": 1, "content": "A", "timestamp": 1733000000001}, "solverResponse": {"persona": "Solver AI", "turn": 2, "content": "S", "timestamp": 1733000000001}, "moderatorResponse": {"persona": "Moderator AI", "turn": 3, "content": "M", "timestamp": 1733000000001}, "questions": {"questions": ["Which?"]}, "userAnswers": ["yes"]})"},
    {"summary",
     R"({"$type$": "SummaryEntry", "userId": "user-1", "discussionId": "disc-1", "roundNumber": 2, "summary": "In short.", "replacesRounds": [1, 2], "tokenCountBefore": 431, "tokenCountAfter": 253, "createdAt": 1733000000099})"},
};
BOOST_DATA_TEST_CASE(gives_the_wire_forms_of_discussions_back, data::make(wire_forms), each) {
  auto const incoming = validate(each.text);
  BOOST_TEST_REQUIRE(verdict(each.text) == "");
  BOOST_TEST(without_nulls(json::to_text(incoming.record)) == without_nulls(each.text));
  BOOST_TEST((stored_and_read(incoming.record) == incoming.record));
}

BOOST_AUTO_TEST_CASE(fills_in_who_spoke_and_when_their_turn_was) {
  std::string text{round};
  for (auto const& each : speakers()) {
    auto const response = "/" + std::string(each.member);
    text = changed(changed(text, "-" + response + "/persona", ""), "-" + response + "/turn", "");
  }
  BOOST_TEST((validate(text).record == validate(round).record));
}

/// The questions of a round as it keeps them.
QuestionSet questions_in(std::string const& questions) {
  return std::get<DiscussionRound>(validate(changed(round, "/questions", questions)).record).questions.value();
}

BOOST_AUTO_TEST_CASE(keeps_the_members_of_questions_in_order_and_compares_without_it) {
  auto const given = questions_in(R"({"z":[{"y":1,"x":2}],"a":null})");
  auto const sorted = questions_in(R"({"a":null,"z":[{"x":2,"y":1}]})");
  BOOST_TEST(given.json == R"({"z":[{"y":1,"x":2}],"a":null})");
  BOOST_TEST(sorted.sorted == "");
  BOOST_TEST((given == sorted));
  BOOST_TEST((sorted == given));
  BOOST_TEST((given == questions_in(R"({"z":[{"x":2.0,"y":1.0}],"a":null})")));
  BOOST_TEST(!(given == questions_in(R"({"z":[{"y":1,"x":2}]})")));
  BOOST_TEST(!(questions_in(R"({"a":[1,2]})") == questions_in(R"({"a":[2,1]})")));
}

BOOST_AUTO_TEST_CASE(knows_the_personas) {
  for (auto const& each : speakers()) {
    BOOST_TEST(&speaker(each.persona) == &each);
  }
}

BOOST_AUTO_TEST_CASE(numbers_the_turns_through_all_rounds) {
  BOOST_TEST(turn_of(1, Persona::analyzer) == 1);
  BOOST_TEST(turn_of(1, Persona::moderator) == 3);
  BOOST_TEST(turn_of(7, Persona::solver) == 20);
}

BOOST_AUTO_TEST_CASE(asks_the_personas_in_order) {
  DiscussionRound open;
  for (auto const& each : speakers()) {
    BOOST_TEST((next_speaker(open) == each.persona));
    BOOST_TEST(!is_complete(open));
    open.*each.response = ConversationMessage{.content = "x"};
  }
  BOOST_TEST(!next_speaker(open).has_value());
  BOOST_TEST(is_complete(open));
}

struct Tokens {
  std::string name;
  std::string text;
  std::int64_t count;
};
std::ostream& operator<<(std::ostream& out, Tokens const& each) {
  return out << each.name;
}

std::vector<Tokens> const token_counts = {
    {"none", "", 0},
    {"1", "x", 1},
    {"3", "xxx", 1},
    {"4", "xxxx", 2},
    {"7", "xxxxxxx", 2},
    {"8", "xxxxxxxx", 3},
    {"10", std::string(10, 'x'), 3},
    {"11", std::string(11, 'x'), 4},
    {"35", std::string(35, 'x'), 10},
    {"36", std::string(36, 'x'), 11},
    {"seven_emoji",
     astral_character + astral_character + astral_character + astral_character + astral_character + astral_character +
         astral_character,
     2},
    {"white_space", " \n\t ", 2},
    {"million", std::string(1'000'000, 'x'), 285'715},
};
BOOST_DATA_TEST_CASE(counts_tokens_of_code_points, data::make(token_counts), each) {
  BOOST_TEST(tokens_of(each.text) == each.count);
}

DiscussionRound round_of(std::int64_t number, std::vector<std::size_t> const& lengths) {
  DiscussionRound result{.round_number = number, .timestamp = EpochMs{1000 * number}};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    result.*speakers()[i].response = ConversationMessage{.content = std::string(lengths[i], 'x')};
  }
  return result;
}

/// Two complete rounds with contents of known lengths.
DiscussionState two_rounds() {
  return {.rounds = {round_of(1, {10, 11, 7}), round_of(2, {35, 36, 1})}};
}

BOOST_AUTO_TEST_CASE(counts_the_tokens_of_a_context) {
  auto const tokens = two_rounds().tokens({});
  BOOST_TEST((tokens == TokenCount{.responses = 31, .system = 250, .overhead = 150, .summary = 0, .rounds = 2}));
  BOOST_TEST(tokens.total() == 431);
  BOOST_TEST(DiscussionState{}.tokens({}).total() == 250);
}

BOOST_AUTO_TEST_CASE(counts_only_rounds_after_the_summary) {
  auto state = two_rounds();
  state.summaries.push_back({.round_number = 1, .summary = std::string(15, 's'), .replaces_rounds = {1}});
  auto const tokens = state.tokens({});
  BOOST_TEST((tokens == TokenCount{.responses = 22, .system = 250, .overhead = 75, .summary = 5, .rounds = 1}));
  BOOST_TEST(tokens.total() == 352);
}

BOOST_AUTO_TEST_CASE(counts_an_open_round_as_far_as_it_came) {
  auto state = two_rounds();
  state.rounds.push_back(round_of(3, {8}));
  BOOST_TEST(state.tokens({}).total() == 431 + 75 + 3);
}

BOOST_AUTO_TEST_CASE(counts_no_questions_and_no_answers) {
  auto state = two_rounds();
  state.rounds[0].questions = QuestionSet{.json = R"({"q":"long enough to count"})", .sorted = {}};
  state.rounds[0].user_answers = std::vector<std::string>{"an answer"};
  state.discussion.topic = "a topic";
  BOOST_TEST(state.tokens({}).total() == 431);
}

BOOST_AUTO_TEST_CASE(takes_the_largest_system_prompt) {
  BOOST_TEST(TokenRules{}.system() == 250);
  BOOST_TEST((TokenRules{.system_prompts = {1, 700, 30}}.system() == 700));
  BOOST_TEST((DiscussionState{}.tokens({.system_prompts = {0, 0, 9}}).total() == 9));
}

BOOST_AUTO_TEST_CASE(includes_what_no_summary_replaces) {
  auto state = two_rounds();
  BOOST_TEST(state.current_summary() == nullptr);
  BOOST_TEST(state.included_rounds().size() == 2U);
  state.summaries = {{.round_number = 1}, {.round_number = 2}};
  BOOST_TEST(state.current_summary() == &state.summaries[1]);
  BOOST_TEST(state.included_rounds().empty());
  state.rounds.push_back(round_of(3, {1}));
  BOOST_TEST_REQUIRE(state.included_rounds().size() == 1U);
  BOOST_TEST(state.included_rounds().front().round_number == 3);
}

BOOST_AUTO_TEST_CASE(tells_the_open_round_from_the_complete_ones) {
  auto state = two_rounds();
  BOOST_TEST(state.open_round() == nullptr);
  BOOST_TEST(state.complete_rounds().size() == 2U);
  state.rounds.push_back(round_of(3, {1, 1}));
  BOOST_TEST(state.open_round() == &state.rounds[2]);
  BOOST_TEST(state.complete_rounds().size() == 2U);
  BOOST_TEST(DiscussionState{}.open_round() == nullptr);
  BOOST_TEST(DiscussionState{}.complete_rounds().empty());
}

BOOST_AUTO_TEST_CASE(was_updated_when_its_latest_part_was) {
  auto state = two_rounds();
  BOOST_TEST(state.updated_at().value == 2000);
  state.summaries = {{.round_number = 1, .created_at = EpochMs{2001}}};
  BOOST_TEST(state.updated_at().value == 2001);
  state.discussion.updated_at = EpochMs{5000};
  BOOST_TEST(state.updated_at().value == 5000);
  BOOST_TEST(DiscussionState{}.updated_at().value == 0);
}

BOOST_AUTO_TEST_CASE(folds_responses_into_an_open_round) {
  Record whole = round_of(1, {3});
  fold(whole, DiscussionRound{.solver_response = ConversationMessage{.content = "later"}});
  auto const& folded = std::get<DiscussionRound>(whole);
  BOOST_TEST(folded.analyzer_response->content == "xxx");
  BOOST_TEST(folded.solver_response->content == "later");
  BOOST_TEST(!folded.moderator_response.has_value());
  BOOST_TEST(folded.timestamp.value == 1000);
}

BOOST_AUTO_TEST_CASE(folds_questions_and_answers_into_a_round) {
  Record whole = round_of(1, {3, 3, 3});
  fold(whole, DiscussionRound{.questions = QuestionSet{.json = R"({"a":1})", .sorted = {}}});
  fold(whole, DiscussionRound{.user_answers = std::vector<std::string>{"no"}});
  fold(whole, DiscussionRound{.user_answers = std::vector<std::string>{"yes"}});
  auto const& folded = std::get<DiscussionRound>(whole);
  BOOST_TEST(folded.questions->json == R"({"a":1})");
  BOOST_TEST((folded.user_answers == std::vector<std::string>{"yes"}));
  BOOST_TEST(says_the_same(folded, round_of(1, {3, 3, 3})));
  BOOST_TEST(!says_the_same(folded, round_of(1, {3, 3, 4})));
}

BOOST_AUTO_TEST_CASE(replaces_a_discussion_that_is_written_again) {
  Record whole = Discussion{.topic = "old", .is_resolved = true};
  fold(whole, Discussion{.topic = "new"});
  BOOST_TEST((whole == Record{Discussion{.topic = "new"}}));
}

}  // namespace
}  // namespace whence::schema::test
