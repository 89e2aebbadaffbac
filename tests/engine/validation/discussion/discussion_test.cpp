// Rounds and summaries: the same however they are written, refused as a whole, gone and written again.
//
// A response of whole_round has 3, 3 and 4 tokens, so a round counts 10 and 75; 250 are always there; "In short." is 3.

#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"
#include "tests/support/noise.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using engine::WriteBatch;
using schema::Persona;
using schema::TxId;

/// Whole rounds, rounds in pieces, summaries, repeats, refusals, a discussion written again, deletions.
std::vector<WriteBatch> long_history() {
  auto resolved = discussion();
  resolved.is_resolved = true;
  resolved.topic = "topic";
  auto counted = summary_of(3, "Later.");
  counted.token_count_before = 7;
  return {ensured({whole_round(2), whole_round(1)}),
          batch({whole_round(2), whole_round(3, "other"), whole_round(2)}),
          batch({whole_round(3, "another")}),
          batch({summary_of(2)}),
          batch({summary_of(2)}),
          opening("d"),
          opening("d"),
          batch({whole_round(4)}),
          responding(4, Persona::analyzer),
          responding(4, Persona::moderator),
          batch({resolved}),
          responding(4, Persona::solver),
          batch({counted}),
          responding(4, Persona::moderator),
          batch({whole_round(5), whole_round(4)}),
          batch({summary_of(5, "All."), whole_round(5)}),
          batch({summary_of(4, "Too late.")}),
          opening("e", 2),
          opening("e", 1),
          responding(1, Persona::analyzer, "first", "e"),
          removing({"DiscussionRound:u/d/5"}),
          batch({whole_round(5, "again")}),
          batch({summary_of(5, "Known by its number.")}),
          removing({"Discussion:u/d"}),
          batch({whole_round(1)}),
          ensured({whole_round(1, "new")}),
          batch({summary_of(1)}),
          responding(1, Persona::solver, "second", "e"),
          answering(1, {"yes"}),
          answering(1, {"yes"}),
          batch({answered(whole_round(1, "new"), {"no"})}),
          answering(2, {"never"}),
          dry(batch({whole_round(2, "new")})),
          batch({whole_round(2, "new")}),
          answering(1, {"too late"}),
          batch({answered(whole_round(2, "new"), {"a"}), whole_round(3, "new")}),
          opening("d"),
          answering(3, {"too late"}),
          batch({answered(whole_round(3, "new"), {"too late"})})};
}

/// Questions of one round, in its client's order.
schema::QuestionSet questions(std::string json) {
  return {.json = std::move(json), .sorted = {}};
}

BOOST_FIXTURE_TEST_SUITE(discussions, HistoryFixture)

BOOST_AUTO_TEST_CASE(a_history_gives_the_same_one_by_one_in_a_group_and_with_restarts) {
  auto const apart = check_in_every_way(long_history());
  BOOST_TEST(apart.outcomes.back() == "0 /roundNumber precondition round_open");
}

BOOST_AUTO_TEST_CASE(one_batch_in_any_order_is_many_batches_in_theirs) {
  HistoryFixture other;
  BOOST_TEST(outcome(other.write({discussion()})) == "ok 1");
  BOOST_TEST(outcome(other.write({whole_round(1)})) == "ok 2");
  BOOST_TEST(outcome(other.write({whole_round(2)})) == "ok 3");
  BOOST_TEST(outcome(other.write({summary_of(2)})) == "ok 4");
  BOOST_TEST(outcome(other.write({whole_round(3)})) == "ok 5");
  BOOST_TEST(outcome(write({summary_of(2), whole_round(3), whole_round(2), discussion(), whole_round(1)})) == "ok 1");
  BOOST_TEST(everything(*engine) == everything(*other.engine), boost::test_tools::per_element());
  auto const summary = record_of<schema::SummaryEntry>(*engine, "SummaryEntry:u/d/2");
  BOOST_TEST(summary.token_count_before.value() == 420);
  BOOST_TEST(summary.token_count_after.value() == 253);
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(summaries_of_one_batch_follow_each_other_by_their_rounds) {
  auto given = ensured({summary_of(3, "All."), whole_round(1), summary_of(1), whole_round(2), whole_round(3)});
  BOOST_TEST(outcome(write_batch(given)) == "ok 1");
  auto const first = record_of<schema::SummaryEntry>(*engine, "SummaryEntry:u/d/1");
  BOOST_TEST(first.token_count_before.value() == 335);
  BOOST_TEST(first.token_count_after.value() == 253);
  auto const second = record_of<schema::SummaryEntry>(*engine, "SummaryEntry:u/d/3");
  BOOST_TEST(second.token_count_before.value() == 423);
  BOOST_TEST(second.token_count_after.value() == 252);
}

BOOST_AUTO_TEST_CASE(the_last_complete_round_takes_answers_as_a_revision) {
  write_batch(ensured({whole_round(1), whole_round(2)})).value();
  BOOST_TEST(outcome(write_batch(answering(2, {"no"}))) == "ok 2");
  BOOST_TEST(outcome(write({answered(whole_round(2), {"yes"})})) == "ok 3");
  auto asked = whole_round(2);
  asked.questions = questions(R"({"q":1})");
  BOOST_TEST(outcome(write({asked})) == "ok 4");
  BOOST_TEST(outcome(write({whole_round(2)})) == "unchanged 4");
  BOOST_TEST(outcome(write_batch(answering(2, {"yes"}))) == "unchanged 4");
  auto const answers_at = [&](std::uint64_t tx) {
    auto const moment = engine->snapshot().as_of(TxId{tx});
    auto const round = std::get<schema::DiscussionRound>(record_at(*engine, moment, "DiscussionRound:u/d/2"));
    return (round.user_answers ? round.user_answers->front() : "") + (round.questions ? round.questions->json : "");
  };
  for (int pass = 0; pass < 2; ++pass) {
    BOOST_TEST(answers_at(1) == "");
    BOOST_TEST(answers_at(2) == "no");
    BOOST_TEST(answers_at(3) == "yes");
    BOOST_TEST(answers_at(4) == R"(yes{"q":1})");
    reopen();
  }
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(answers_come_to_the_last_complete_round_until_the_next_opens) {
  BOOST_TEST(outcome(write_batch(answering(1, {"a"}))) == "- /discussionId not_found unknown_reference");
  write({discussion()}).value();
  BOOST_TEST(outcome(write_batch(answering(1, {"a"}))) == "- /roundNumber precondition round_number");
  write({whole_round(1), whole_round(2)}).value();
  auto const early = write_batch(answering(1, {"a"}));
  BOOST_TEST(outcome(early) == "- /roundNumber precondition round_number");
  BOOST_TEST(early.error().violations.front().expected.value() == 2);
  BOOST_TEST(outcome(write({answered(whole_round(1), {"a"})})) == "0 /roundNumber precondition round_number");
  BOOST_TEST(outcome(write({answered(whole_round(2, "other"), {"a"})})) == "0 /roundNumber precondition round_number");
  write_batch(opening()).value();
  BOOST_TEST(outcome(write_batch(answering(2, {"a"}))) == "- /roundNumber precondition round_open");
  BOOST_TEST(outcome(write_batch(answering(3, {"a"}))) == "- /roundNumber precondition round_number");
  BOOST_TEST(outcome(write({answered(whole_round(2), {"a"})})) == "0 /roundNumber precondition round_open");
  BOOST_TEST(outcome(write({whole_round(2)})) == "unchanged 3");
  for (auto const persona : {Persona::analyzer, Persona::solver, Persona::moderator}) {
    write_batch(responding(3, persona)).value();
  }
  BOOST_TEST(outcome(write_batch(answering(3, {"a"}))) == "ok 7");
}

BOOST_AUTO_TEST_CASE(the_last_answers_of_a_batch_count) {
  auto asked = whole_round(1);
  asked.questions = questions(R"({"q":1})");
  auto given = ensured({whole_round(1), answered(whole_round(1), {"a"}), asked, answered(whole_round(1), {"b"})});
  BOOST_TEST(outcome(write_batch(given)) == "ok 1");
  auto const stored = [&] { return record_of<schema::DiscussionRound>(*engine, "DiscussionRound:u/d/1"); };
  BOOST_TEST((stored().user_answers == std::vector<std::string>{"b"}));
  BOOST_TEST(stored().questions->json == R"({"q":1})");
  auto again = asked;
  again.questions = questions(R"({"q":2})");
  BOOST_TEST(outcome(write({answered(whole_round(1), {"c"}), again, whole_round(2)})) == "ok 2");
  BOOST_TEST((stored().user_answers == std::vector<std::string>{"c"}));
  BOOST_TEST(stored().questions->json == R"({"q":2})");
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(questions_of_an_opening_move_to_the_round) {
  auto const asking = [](std::string json) {
    return step_batch(
        engine::RoundOpening{.discussion = discussion(), .round_number = {}, .questions = questions(std::move(json))});
  };
  write_batch(asking(R"({"q":1})")).value();
  reopen();
  write_batch(responding(1, Persona::analyzer)).value();
  auto const stored = [&](char const* ref) { return record_of<schema::DiscussionRound>(*engine, ref); };
  BOOST_TEST(stored("DiscussionRound:u/d/1").questions->json == R"({"q":1})");
  for (auto const persona : {Persona::solver, Persona::moderator}) write_batch(responding(1, persona)).value();
  BOOST_TEST(stored("DiscussionRound:u/d/1").questions->json == R"({"q":1})");
  write_batch(opening()).value();
  write_batch(responding(2, Persona::analyzer)).value();
  BOOST_TEST(!stored("DiscussionRound:u/d/2").questions.has_value());
  BOOST_TEST(outcome(write_batch(asking("{\"q\":\"" + std::string(70'000, 'x') + "\"}"))) ==
             "- /questions invalid_record size");
}

BOOST_AUTO_TEST_CASE(ensuring_makes_a_discussion_once_for_many_rounds) {
  BOOST_TEST(outcome(write({whole_round(1)})) == "0 /discussionId invalid_record unknown_reference");
  write_batch(ensured({whole_round(2), whole_round(1), whole_round(1, "t", "e"), summary_of(1)})).value();
  auto const now = engine->snapshot();
  BOOST_TEST(now.vertex_count(schema::RecordType::discussion) == 2U);
  BOOST_TEST(now.vertex_count(schema::RecordType::discussion_round) == 3U);
}

BOOST_AUTO_TEST_CASE(all_violations_are_reported_at_once) {
  write_batch(ensured({whole_round(1)})).value();
  auto gap = summary_of(2);
  gap.replaces_rounds = {1, 7, 2};
  auto unknown = summary_of(1, "s", "nobody");
  auto blank = whole_round(2, "t", "e");
  blank.solver_response->content = " \n";
  BOOST_TEST(outcome(write({whole_round(1, "other"), whole_round(4), summary_of(9), gap, unknown, blank,
                            whole_round(1, "t", "nobody")})) ==
             "0 /roundNumber precondition round_number\n"
             "1 /roundNumber precondition round_number\n"
             "2 /roundNumber precondition round_number\n"
             "3 /replacesRounds/2 invalid_record rounds\n"
             "4 /discussionId invalid_record unknown_reference\n"
             "5 /discussionId invalid_record unknown_reference\n"
             "5 /solverResponse/content invalid_record blank\n"
             "6 /discussionId invalid_record unknown_reference");
  BOOST_TEST(engine->snapshot().tx() == TxId{1});
}

BOOST_AUTO_TEST_CASE(a_wrong_number_names_the_one_expected) {
  write_batch(ensured({whole_round(1)})).value();
  auto const expected = [&](std::vector<schema::Record> records) {
    auto const refused = write(std::move(records));
    auto const error = refused.error();
    return error.violations.back().expected.value();
  };
  BOOST_TEST(expected({whole_round(1, "other")}) == 2);
  BOOST_TEST(expected({whole_round(3)}) == 2);
  BOOST_TEST(expected({whole_round(2), whole_round(4)}) == 3);
  BOOST_TEST(expected({whole_round(2), whole_round(2, "other")}) == 3);
  write_batch(opening()).value();
  BOOST_TEST(expected({whole_round(2)}) == 2);
}

BOOST_AUTO_TEST_CASE(a_batch_too_large_for_the_store_is_forgotten) {
  config.directory = directory.path() / "small";
  config.store_map_bytes = 1U << 20U;
  reopen();
  write_batch(ensured({whole_round(1)})).value();
  auto const before = everything(*engine);
  auto large = whole_round(1, "t", "e");
  large.solver_response->content = whence::test::noise(2U << 20U);
  auto const outcomes =
      play({batch({whole_round(2, "lost"), summary_of(2)}), opening(), ensured({large})}, Way::grouped);
  BOOST_TEST(outcomes[1] == "storage_full");
  BOOST_TEST(outcomes[2] == "storage_full");
  BOOST_TEST(outcomes[3] == "storage_full");
  BOOST_TEST(everything(*engine, engine->snapshot().as_of(TxId{1})) == before, boost::test_tools::per_element());
  // Neither the round nor the opening is remembered.
  BOOST_TEST(outcome(write({whole_round(2, "kept"), summary_of(2)})) == "ok 3");
  BOOST_TEST(text_of(*engine, "DiscussionRound:u/d/2").find("kept") != std::string::npos);
  reopen();
  BOOST_TEST(text_of(*engine, "DiscussionRound:u/d/2").find("kept") != std::string::npos);
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_repeat_under_its_key_answers_the_same) {
  auto given = ensured({whole_round(2), whole_round(1), summary_of(1)});
  given.idempotency_key = "key";
  auto const first = text_of_answer(write_batch(given));
  write({whole_round(3)}).value();
  BOOST_TEST(text_of_answer(write_batch(given)) == first);
  reopen();
  BOOST_TEST(text_of_answer(write_batch(given)) == first);
  given.records[0].record = whole_round(2, "other");
  BOOST_TEST(outcome(write_batch(given)) == "- /idempotency_key conflict idempotency_key");
}

BOOST_AUTO_TEST_CASE(a_deleted_discussion_takes_all_along_and_begins_anew) {
  write_batch(ensured({whole_round(1), whole_round(2), summary_of(2), whole_round(1, "t", "e")})).value();
  auto const before = everything(*engine);
  auto const removed = write_batch(removing({"Discussion:u/d"})).value();
  std::vector<std::string> const gone = {"Discussion:u/d", "DiscussionRound:u/d/1", "DiscussionRound:u/d/2",
                                         "SummaryEntry:u/d/2"};
  BOOST_TEST(removed.removal.deleted == gone, boost::test_tools::per_element());
  BOOST_TEST(outcome(write({whole_round(1)})) == "0 /discussionId invalid_record unknown_reference");
  BOOST_TEST(outcome(write({summary_of(2)})) == "0 /discussionId invalid_record unknown_reference");
  BOOST_TEST(outcome(write({discussion()})) == "ok 3");
  BOOST_TEST(outcome(write({summary_of(2)})) == "0 /roundNumber precondition round_number");
  BOOST_TEST(outcome(write({whole_round(1, "new"), summary_of(1)})) == "ok 4");
  BOOST_TEST(everything(*engine, engine->snapshot().as_of(TxId{1})) == before, boost::test_tools::per_element());
  auto const lines = edge_lines(engine->snapshot());
  std::vector<std::string> const edges = {"DiscussionRound:u/d/1 PART_OF Discussion:u/d",
                                          "DiscussionRound:u/e/1 PART_OF Discussion:u/e",
                                          "SummaryEntry:u/d/1 SUMMARIZES DiscussionRound:u/d/1"};
  BOOST_TEST(lines == edges, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_deleted_last_round_makes_room_and_one_within_does_not) {
  write_batch(ensured({whole_round(1), whole_round(2), whole_round(3)})).value();
  write_batch(removing({"DiscussionRound:u/d/2"})).value();
  BOOST_TEST(outcome(write({whole_round(2)})) == "0 /roundNumber precondition round_number");
  BOOST_TEST(outcome(write({summary_of(3)})) == "0 /replacesRounds/1 invalid_record unknown_reference");
  write_batch(removing({"DiscussionRound:u/d/3"})).value();
  BOOST_TEST(outcome(write({whole_round(2, "new"), whole_round(3, "new")})) == "ok 4");
  auto const lines = edge_lines(engine->snapshot());
  BOOST_TEST(std::ranges::count(lines, "DiscussionRound:u/d/2 FOLLOWS DiscussionRound:u/d/1") == 1);
  BOOST_TEST(std::ranges::count(lines, "DiscussionRound:u/d/3 FOLLOWS DiscussionRound:u/d/2") == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
