// A discussion's JSON file: written byte for byte, read as what anybody may have edited.

#include "schema/wire/discussion_file.hpp"

#include "schema/json/json.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::DiscussionState;
using schema::json::discussion_file_text;
using schema::json::DiscussionFile;

constexpr schema::json::DiscussionName name{"user-1", "disc-1"};
schema::CheckContext const clock{.latest_time = {4'000'000'000, 0}};

/// The layout that discussion_file.hpp describes.
std::string const example = R"({
  "userId": "user-1",
  "discussionId": "disc-1",
  "topic": "How to test",
  "createdAt": 0,
  "updatedAt": 3,
  "tokenCount": 256,
  "rounds": [
    {
      "roundNumber": 1,
      "timestamp": 1,
      "analyzerResponse": {
        "persona": "Analyzer AI",
        "turn": 1,
        "content": "a",
        "timestamp": 1
      },
      "solverResponse": {
        "persona": "Solver AI",
        "turn": 2,
        "content": "b",
        "timestamp": 1
      },
      "moderatorResponse": {
        "persona": "Moderator AI",
        "turn": 3,
        "content": "c",
        "timestamp": 1
      },
      "userAnswers": [
        "yes"
      ]
    }
  ],
  "summaries": [
    {
      "roundNumber": 1,
      "summary": "What round 1 said.",
      "replacesRounds": [
        1
      ],
      "tokenCountBefore": 328,
      "tokenCountAfter": 256,
      "createdAt": 3
    }
  ],
  "currentSummary": {
    "roundNumber": 1,
    "summary": "What round 1 said.",
    "replacesRounds": [
      1
    ],
    "tokenCountBefore": 328,
    "tokenCountAfter": 256,
    "createdAt": 3
  },
  "summary": "What round 1 said."
}
)";

Result<DiscussionFile> parse(std::string const& text) {
  return schema::json::parse_discussion_file(text, clock, name);
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// "rule path" of each violation, in order.
std::string wrong_with(std::string const& text) {
  auto const parsed = parse(text);
  if (parsed) return "";
  auto const error = parsed.error();
  BOOST_CHECK(error.code == Errc::invalid_record);
  std::string all;
  for (auto const& each : error.violations) all.append(all.empty() ? "" : ", ").append(each.rule + " " + each.path);
  return all;
}

schema::ConversationMessage said(std::string content) {
  return {.content = std::move(content)};
}

DiscussionState awkward_state() {
  DiscussionState state{.discussion = {.user_id = "u/\"", .discussion_id = "d", .is_resolved = false}};
  state.discussion.attributes = schema::Attributes{R"({"a":{},"b":[]})"};
  state.rounds.push_back(
      {.user_id = "u/\"",
       .discussion_id = "d",
       .round_number = 1,
       .timestamp = schema::EpochMs{5},
       .analyzer_response = said("{\"[,:]\\\""),
       .solver_response = said("\u00fc\n\t\x01"),
       .moderator_response = said("\xF0\x9F\x98\x80"),
       .questions = schema::QuestionSet{R"({"z":[],"a":{"y":1.5,"b":null}})", R"({"a":{"b":null,"y":1.5},"z":[]})"},
       .user_answers = std::vector<std::string>{}});
  schema::name_speakers(state.rounds[0]);
  return state;
}

BOOST_AUTO_TEST_SUITE(discussion_file)

BOOST_AUTO_TEST_CASE(what_is_read_is_written_again_byte_for_byte) {
  auto const file = parse(example).value();
  BOOST_TEST(discussion_file_text(file.state, {}) == example);
  BOOST_TEST(*file.token_count == 256);
  BOOST_TEST(file.current_summary->summary == "What round 1 said.");
  BOOST_TEST(*file.summary == "What round 1 said.");
  BOOST_TEST(file.state.rounds.at(0).user_id == "user-1");
}

BOOST_AUTO_TEST_CASE(an_empty_discussion_has_empty_lists) {
  DiscussionState const state{.discussion = {.user_id = "u", .discussion_id = "d", .updated_at = schema::EpochMs{7}}};
  BOOST_TEST(discussion_file_text(state, {}) == R"({
  "userId": "u",
  "discussionId": "d",
  "updatedAt": 7,
  "tokenCount": 250,
  "rounds": [],
  "summaries": []
}
)");
}

BOOST_AUTO_TEST_CASE(awkward_texts_and_free_objects_come_back_as_they_were) {
  auto state = awkward_state();
  auto const text = discussion_file_text(state, {});
  auto const back = schema::json::parse_discussion_file(text, clock, {"u/\"", "d"}).value();
  BOOST_TEST(discussion_file_text(back.state, {}) == text);
  BOOST_TEST((back.state.rounds == state.rounds));
  BOOST_TEST(text.find("\"questions\": {\n        \"z\": [],\n        \"a\": {\n") != std::string::npos);
  BOOST_TEST(text.find("\"attributes\": {\n    \"a\": {},\n    \"b\": []\n  }") != std::string::npos);
  BOOST_TEST(text.find("\"userAnswers\": []") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_time_of_change_is_the_latest_of_all) {
  auto state = awkward_state();
  BOOST_TEST(discussion_file_text(state, {}).find("\"updatedAt\": 5,") != std::string::npos);
  state.discussion.updated_at = schema::EpochMs{9};
  BOOST_TEST(discussion_file_text(state, {}).find("\"updatedAt\": 9,") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_records_may_leave_out_files_may_too) {
  auto text = replaced(example, "        \"persona\": \"Solver AI\",\n        \"turn\": 2,\n", "");
  text = replaced(text, "\n  \"tokenCount\": 256,", "");
  text = replaced(text, "  \"updatedAt\": 3,", "  \"updatedAt\": null,");
  auto const file = parse(text).value();
  BOOST_TEST(*file.state.rounds.at(0).solver_response->persona == "Solver AI");
  BOOST_TEST(*file.state.rounds.at(0).solver_response->turn == 2);
  BOOST_TEST(!file.token_count.has_value());
  BOOST_TEST(!file.state.discussion.updated_at.has_value());
}

struct Edit {
  char const* name;
  std::string from;
  std::string to;
  std::string expected;
};
std::ostream& operator<<(std::ostream& out, Edit const& each) {
  return out << each.name;
}

std::string const round_rest = "\"timestamp\": 1,\n      \"analyzerResponse\"";

std::vector<Edit> const edits = {
    {"another_user", "\"user-1\"", "\"user-2\"", "identity /userId"},
    {"another_discussion", "\"disc-1\"", "\"../disc-1\"", "identity /discussionId"},
    {"unknown_member", "\"topic\"", "\"topics\"", "unknown_field /topics"},
    {"type_given", "\"topic\":", "\"$type$\": \"Discussion\", \"topic\":", "unknown_field /$type$"},
    {"topic_no_text", "\"How to test\"", "7", "type /topic"},
    {"future", "\"createdAt\": 0", "\"createdAt\": 9007199254740991", "future /createdAt"},
    {"member_twice", "\"topic\":", "\"userId\": \"user-1\", \"topic\":", "duplicate_member /userId"},
    {"token_count_negative", "\"tokenCount\": 256", "\"tokenCount\": -1", "range /tokenCount"},
    {"token_count_text", "\"tokenCount\": 256", "\"tokenCount\": \"256\"", "type /tokenCount"},
    {"token_count_fraction", "\"tokenCount\": 256", "\"tokenCount\": 256.5", "integer /tokenCount"},
    {"round_number", "\"roundNumber\": 1,\n      \"timestamp\"", "\"roundNumber\": 2,\n      \"timestamp\"",
     "turn /rounds/0/analyzerResponse/turn, turn /rounds/0/moderatorResponse/turn, turn /rounds/0/solverResponse/turn"},
    {"round_number_0", "\"roundNumber\": 1", "\"roundNumber\": 0",
     "round_number /rounds/0/roundNumber, round_number /summaries/0/roundNumber"},
    {"round_with_ids", round_rest, "\"userId\": \"user-1\", " + round_rest, "unknown_field /rounds/0/userId"},
    {"round_with_type", round_rest, "\"$type$\": \"DiscussionRound\", " + round_rest, "unknown_field /rounds/0/$type$"},
    {"round_unknown_member", round_rest, "\"mood\": 1, " + round_rest, "unknown_field /rounds/0/mood"},
    {"persona", "\"Solver AI\"", "\"Analyzer AI\"", "persona /rounds/0/solverResponse/persona"},
    {"turn", "\"turn\": 3", "\"turn\": 4", "turn /rounds/0/moderatorResponse/turn"},
    {"blank", "\"content\": \"b\"", "\"content\": \" \\n\"", "blank /rounds/0/solverResponse/content"},
    {"response_missing", "\"solverResponse\": {", "\"solverResponse\": null, \"x\": {",
     "required /rounds/0/solverResponse, unknown_field /rounds/0/x"},
    {"answers_no_list", "[\n        \"yes\"\n      ]", "\"yes\"", "type /rounds/0/userAnswers"},
    {"summary_of_no_round", "\"roundNumber\": 1,\n      \"summary\"", "\"roundNumber\": 2,\n      \"summary\"",
     "rounds /summaries/0/replacesRounds/0"},
    {"summary_empty", "\"summary\": \"What round 1 said.\"", "\"summary\": \"\"", "length /summaries/0/summary"},
    {"legacy_summary_no_text", "\n  \"summary\": \"What round 1 said.\"", "\n  \"summary\": []", "type /summary"},
    {"current_summary_no_object", "\"currentSummary\": {", "\"currentSummary\": 1, \"y\": {",
     "type /currentSummary, unknown_field /y"},
};

BOOST_DATA_TEST_CASE(a_broken_rule_is_reported_at_its_place, boost::unit_test::data::make(edits), sample) {
  BOOST_TEST(wrong_with(replaced(example, sample.from, sample.to)) == sample.expected);
}

/// A file with what is given between `"rounds": [` and its end.
std::string with_rounds(std::string const& rounds, std::string const& summaries = "") {
  return R"({"userId":"user-1","discussionId":"disc-1","rounds":[)" + rounds + R"(],"summaries":[)" + summaries + "]}";
}

std::string round(int number) {
  std::string const message = R"({"content":"x"})";
  return R"({"roundNumber":)" + std::to_string(number) + R"(,"timestamp":1,"analyzerResponse":)" + message +
         R"(,"solverResponse":)" + message + R"(,"moderatorResponse":)" + message + "}";
}

std::string summary(int number, std::string const& replaced_rounds) {
  return R"({"roundNumber":)" + std::to_string(number) + R"(,"summary":"s","replacesRounds":[)" + replaced_rounds +
         "]}";
}

BOOST_AUTO_TEST_CASE(rounds_are_sorted_and_there_once_and_some_may_be_gone) {
  BOOST_TEST(wrong_with(with_rounds(round(1) + "," + round(2))) == "");
  BOOST_TEST(wrong_with(with_rounds(round(2) + "," + round(1))) == "");
  auto const sorted = parse(with_rounds(round(3) + "," + round(1) + "," + round(2))).value().state;
  for (std::int64_t number = 1; number <= 3; ++number) {
    BOOST_TEST(sorted.rounds.at(static_cast<std::size_t>(number - 1)).round_number == number);
  }
  BOOST_TEST(wrong_with(with_rounds(round(3) + "," + round(1))) == "");
  BOOST_TEST(wrong_with(with_rounds(round(2) + "," + round(4))) == "");
  BOOST_TEST(wrong_with(with_rounds(round(1) + "," + round(1))) == "round_number /rounds/1/roundNumber");
  auto const error = parse(with_rounds(round(3) + "," + round(3))).error();
  BOOST_TEST(error.violations.at(0).expected.value() == 4);
}

BOOST_AUTO_TEST_CASE(summaries_are_sorted_and_name_rounds_of_the_file) {
  auto const rounds = round(1) + "," + round(2);
  BOOST_TEST(wrong_with(with_rounds(rounds, summary(1, "1") + "," + summary(2, "1,2"))) == "");
  BOOST_TEST(wrong_with(with_rounds(rounds, summary(2, "1,2") + "," + summary(1, "1"))) == "");
  BOOST_TEST(wrong_with(with_rounds(rounds, summary(1, "1") + "," + summary(1, "1"))) ==
             "round_number /summaries/1/roundNumber");
  BOOST_TEST(wrong_with(with_rounds(rounds, summary(3, "1,2,3"))) == "round_number /summaries/0/roundNumber");
  BOOST_TEST(wrong_with(with_rounds(rounds, summary(2, "2,1,2"))) == "rounds /summaries/0/replacesRounds/1");
}

/// A file of another system, read so that nothing is lost.
Result<schema::json::DiscussionFile> keep(std::string const& text) {
  return schema::json::parse_discussion_file(text, clock, name, schema::json::FileReading::keeping);
}

std::string paths_of(schema::json::DiscussionFile const& file) {
  std::string text;
  for (auto const& each : file.kept) text += (text.empty() ? "" : " ") + each.path;
  return text;
}

BOOST_AUTO_TEST_CASE(unknown_members_become_attributes) {
  auto const message = [](std::string const& more) { return R"({"content":"x")" + more + "}"; };
  std::string const text = R"({"mood":"calm","rounds":[{"roundNumber":1,"timestamp":1,"analyzerResponse":)" +
                           message(R"(,"model":"m","cost":{"a":1})") + R"(,"solverResponse":)" + message("") +
                           R"(,"moderatorResponse":)" + message(R"(,"model":"n")") +
                           R"(,"userId":"user-1","took":3,"attributes":{"own":1}}],"summaries":[)" +
                           R"({"roundNumber":1,"summary":"s","replacesRounds":[1],"by":"b"}]})";
  auto const file = keep(text).value();
  BOOST_TEST(paths_of(file) ==
             "/mood /rounds/0/analyzerResponse/model /rounds/0/analyzerResponse/cost "
             "/rounds/0/moderatorResponse/model /rounds/0/took /summaries/0/by");
  BOOST_TEST(file.state.discussion.user_id == "user-1");
  BOOST_TEST(file.state.discussion.attributes->json == R"({"mood":"calm"})");
  BOOST_TEST(file.state.rounds.at(0).attributes->json ==
             R"({"analyzerResponse":{"cost":{"a":1},"model":"m"},"moderatorResponse":{"model":"n"},"own":1,"took":3})");
  BOOST_TEST(file.state.summaries.at(0).attributes->json == R"({"by":"b"})");
  BOOST_TEST(schema::json::has_kept_members(file.state, file));
  auto stored = file.state;
  stored.rounds[0].attributes.reset();
  BOOST_TEST(!schema::json::has_kept_members(stored, file));
  auto const strict = parse(text);
  BOOST_TEST_REQUIRE(strict.has_error());
  BOOST_TEST(strict.error().violations.at(0).rule == "required");
}

BOOST_AUTO_TEST_CASE(summaries_of_other_systems_are_kept) {
  auto const rest = with_rounds(round(1) + "," + round(2));
  auto const with = [&](std::string const& members) { return "{" + members + "," + rest.substr(1); };
  auto const current = keep(with(R"("currentSummary":)" + summary(2, "1,2"))).value();
  BOOST_TEST_REQUIRE(current.state.summaries.size() == 1U);
  BOOST_TEST(current.state.summaries[0].round_number == 2);
  BOOST_TEST(current.kept.empty());
  auto const too_late = keep(with(R"("currentSummary":)" + summary(3, "1,2,3")));
  BOOST_TEST_REQUIRE(too_late.has_error());
  BOOST_TEST(too_late.error().violations.at(0).path == "/currentSummary/roundNumber");
  std::string const old = R"({"summary":"Of what?","rounds":[)" + round(1) + "]}";
  BOOST_TEST(paths_of(keep(old).value()) == "/summary");
  BOOST_TEST(keep(old).value().state.discussion.attributes->json == R"({"summary":"Of what?"})");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_kept_is_refused) {
  auto const wrong = [](std::string const& members) {
    auto const read = keep("{" + members + R"("rounds":[]})");
    if (read) return std::string{};
    return read.error().violations.at(0).rule + " " + read.error().violations.at(0).path;
  };
  BOOST_TEST(wrong(R"("mood":1,"attributes":{"mood":1},)") == "");
  BOOST_TEST(wrong(R"("mood":1,"attributes":{"mood":2},)") == "unknown_field /attributes/mood");
  BOOST_TEST(wrong(R"("mood":1,"attributes":[],)") == "type /attributes");
  BOOST_TEST(wrong(R"("mood":")" + std::string(17'000, 'x') + "\",") == "size /attributes");
  BOOST_TEST(wrong(R"("userId":"other",)") == "identity /userId");
  BOOST_TEST(wrong(R"("userId":7,)") == "type /userId");
}

BOOST_AUTO_TEST_CASE(a_file_of_no_discussion_is_reported_as_that) {
  BOOST_TEST(wrong_with("") == "json ");
  BOOST_TEST(wrong_with("[]") == "type ");
  BOOST_TEST(wrong_with("{}") == "required /discussionId, required /rounds, required /userId");
  BOOST_TEST(wrong_with(with_rounds("7")) == "type /rounds/0");
  BOOST_TEST(wrong_with(R"({"userId":"user-1","discussionId":"disc-1","rounds":{}})") == "type /rounds");
  BOOST_TEST(wrong_with(std::string(100, '[') + std::string(100, ']')) == "json ");
  BOOST_TEST(wrong_with("{\"userId\":\"\xff\"}") == "json ");
}

BOOST_AUTO_TEST_CASE(a_thousand_broken_rounds_are_reported_up_to_the_limit) {
  std::string rounds = "1";
  for (int i = 0; i < 1000; ++i) rounds += ",1";
  BOOST_TEST(parse(with_rounds(rounds)).error().violations.size() == schema::limits::violations_max);
}

BOOST_AUTO_TEST_CASE(every_prefix_of_a_file_is_refused) {
  for (std::size_t size = 0; size + 2 < example.size(); ++size) BOOST_CHECK(!parse(example.substr(0, size)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
