// Writes whose records the writer makes: opened rounds and their responses, answers of texts, recorded retrievals, and
// discussions that are restored from their files.

#include "graph/snapshot/discussion.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using engine::WriteBatch;
using schema::DiscussionState;
using schema::Persona;
using schema::TxId;

struct StepFixture : HistoryFixture {
  /// All that is known of discussion "d", as a comparison with its file would see it.
  DiscussionState stored() {
    auto const now = engine->snapshot();
    auto const vertex = now.find(schema::RecordType::discussion, "u/d").value();
    DiscussionState state{.discussion = record_of<schema::Discussion>(*engine, "Discussion:u/d")};
    for (auto const& each : graph::rounds_of(now, vertex)) {
      state.rounds.push_back(record_of<schema::DiscussionRound>(*engine, ref_of(now, each.vertex)));
    }
    for (auto const& each : graph::summaries_of(now, vertex)) {
      state.summaries.push_back(record_of<schema::SummaryEntry>(*engine, ref_of(now, each.vertex)));
    }
    return state;
  }

  /// As a file would hold it.
  DiscussionState filed() {
    auto state = stored();
    auto const complete = state.complete_rounds().size();
    state.rounds.resize(complete);
    return state;
  }

  static WriteBatch restoring(DiscussionState wanted, DiscussionState before) {
    return step_batch(engine::DiscussionRestoring{.state = std::move(wanted), .before = std::move(before)});
  }

  Result<engine::WriteAnswer> restore(DiscussionState wanted) {
    return write_batch(restoring(std::move(wanted), stored()));
  }

  std::vector<std::string> edges() { return edge_lines(engine->snapshot()); }

  graph::VertexId vertex_of(std::string_view text) {
    auto const ref = schema::parse_ref(text).value();
    return engine->snapshot().find(ref.type, ref.id).value();
  }

  void begin(std::int64_t rounds) {
    auto given = ensured({});
    for (std::int64_t i = 1; i <= rounds; ++i) given.records.push_back({.record = whole_round(i)});
    write_batch(std::move(given)).value();
  }
};

schema::DiscussionRound named(schema::DiscussionRound round) {
  schema::name_speakers(round);
  return round;
}

bool says_the_same(DiscussionState const& a, DiscussionState const& b) {
  return a.discussion == b.discussion && a.rounds == b.rounds && a.summaries == b.summaries;
}

BOOST_FIXTURE_TEST_SUITE(steps, StepFixture)

BOOST_AUTO_TEST_CASE(a_round_grows_by_responses_and_earlier_moments_see_fewer) {
  write_batch(opening()).value();
  for (auto const persona : {Persona::analyzer, Persona::solver, Persona::moderator}) {
    auto const answer = write_batch(responding(1, persona)).value();
    BOOST_TEST(answer.refs.front() == "DiscussionRound:u/d/1");
  }
  BOOST_TEST(engine->snapshot().tx() == TxId{4});
  auto const responses = [&](std::uint64_t tx) {
    auto const round = std::get<schema::DiscussionRound>(
        record_at(*engine, engine->snapshot().as_of(TxId{tx}), "DiscussionRound:u/d/1"));
    return int{round.analyzer_response.has_value()} + int{round.solver_response.has_value()} +
           int{round.moderator_response.has_value()};
  };
  for (int pass = 0; pass < 2; ++pass) {
    BOOST_TEST(responses(2) == 1);
    BOOST_TEST(responses(3) == 2);
    BOOST_TEST(responses(4) == 3);
    BOOST_TEST(!engine->snapshot().as_of(TxId{1}).find(schema::RecordType::discussion_round, "u/d/1").has_value());
    reopen();
  }
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(refuses_responses_out_of_turn) {
  BOOST_TEST(outcome(write_batch(responding(1, Persona::analyzer))) == "- /discussionId not_found unknown_reference");
  BOOST_TEST(outcome(write_batch(opening("d", 2))) == "- /roundNumber precondition round_number");
  write_batch(opening("d", 1)).value();
  BOOST_TEST(outcome(write_batch(opening())) == "- /roundNumber precondition round_open");
  BOOST_TEST(outcome(write_batch(responding(2, Persona::analyzer))) == "- /roundNumber precondition round_number");
  BOOST_TEST(outcome(write_batch(responding(1, Persona::solver))) == "- /persona precondition persona_order");
  BOOST_TEST(outcome(write_batch(responding(1, Persona::analyzer, " "))) == "- /content invalid_record blank");
  BOOST_TEST(outcome(write({whole_round(1)})) == "0 /roundNumber precondition round_open");
  BOOST_TEST(engine->snapshot().tx() == TxId{1});
  write_batch(removing({"Discussion:u/d"})).value();
  BOOST_TEST(outcome(write_batch(responding(1, Persona::analyzer))) == "- /discussionId not_found deleted");
}

BOOST_AUTO_TEST_CASE(dry_steps_answer_as_usual_and_write_nothing) {
  begin(1);
  write({query("r"), retrieved("r", chunk("c"), 0.9)}).value();
  auto const before = everything(*engine);
  auto changed = filed();
  changed.rounds[0] = named(whole_round(1, "file"));
  std::vector<WriteBatch> const steps = {
      opening(), opening("e"), restoring(changed, stored()),
      step_batch(engine::AnswerText{.request_id = "r", .answer = "Gloves [manual]."}),
      step_batch(engine::RetrievalRecording{.query = query(""), .embedding = embedding("", 0)})};
  for (auto const& each : steps) BOOST_TEST(outcome(write_batch(dry(each))) == "ok 2");
  auto unexpected = opening();
  unexpected.expect_tx = TxId{1};
  BOOST_TEST(outcome(write_batch(unexpected)) == "- /expect_tx precondition expect_tx");
  BOOST_TEST(everything(*engine) == before, boost::test_tools::per_element());
  BOOST_TEST(outcome(write_batch(opening())) == "ok 3");
}

BOOST_AUTO_TEST_CASE(an_answer_text_is_composed_with_its_retrievals) {
  write({query("r"), retrieved("r", chunk("c1"), 0.9), retrieved("r", chunk("c2", "notes"), 0.7)}).value();
  auto const text = step_batch(
      engine::AnswerText{.request_id = "r", .answer = "Gloves [manual, page 1].", .system_prompt = "Be brief."});
  auto const made = write_batch(text).value();
  auto const found = std::get<schema::Answer>(*made.made);
  BOOST_TEST(found.confidence.value() == (0.9 + 0.7) / 2);
  BOOST_TEST(found.citations.size() == 1U);
  BOOST_TEST(found.citations[0].chunk_id.value() == "c1");
  BOOST_TEST(record_of<schema::PromptContext>(*engine, "PromptContext:r").system_prompt == "Be brief.");
  BOOST_TEST(outcome(write_batch(text)) == "unchanged 2");
  auto const other = step_batch(engine::AnswerText{.request_id = "r", .answer = "None [notes]."});
  BOOST_TEST(outcome(write_batch(other)) == "- /request_id conflict conflict");
}

BOOST_AUTO_TEST_CASE(an_answer_to_an_unknown_request_is_not_found) {
  auto const text = step_batch(engine::AnswerText{.request_id = "r", .answer = "Yes [manual]."});
  BOOST_TEST(outcome(write_batch(text)) == "- /request_id not_found unknown_reference");
  write({query("r")}).value();
  auto const withheld = write_batch(text).value();
  auto const found = std::get<schema::Answer>(*withheld.made);
  BOOST_TEST(!found.answer.has_value());
  BOOST_TEST(found.message.value() == schema::not_found_message);
  BOOST_TEST(outcome(write_batch(text)) == "unchanged 2");
  write_batch(removing({"Query:r"})).value();
  BOOST_TEST(outcome(write_batch(text)) == "- /request_id not_found deleted");
}

BOOST_AUTO_TEST_CASE(a_retrieval_is_recorded_under_an_id_of_its_own) {
  write({embedded(chunk("c1"), 0), embedded(chunk("c2"), 1)}).value();
  auto const recording = step_batch(
      engine::RetrievalRecording{.query = query(""),
                                 .embedding = embedding("", 0),
                                 .chunks = {retrieved("", chunk("c1"), 1.0, 1), retrieved("", chunk("c2"), 0.0, 2)}});
  auto const first = write_batch(recording).value();
  auto const second = write_batch(recording).value();
  BOOST_TEST(first.refs.front() != second.refs.front());
  BOOST_TEST(first.refs.front().starts_with("Query:req_20251009_"));
  BOOST_TEST(engine->snapshot().edge_count(schema::EdgeType::retrieved_for) == 4U);
  auto const before = every_moment(*engine);
  reopen();
  BOOST_TEST(every_moment(*engine) == before);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(restoring, StepFixture)

BOOST_AUTO_TEST_CASE(equal_records_change_nothing) {
  begin(2);
  write({summary_of(1)}).value();
  BOOST_TEST(outcome(restore(filed())) == "unchanged 2");
  write_batch(opening()).value();
  write_batch(responding(3, Persona::analyzer)).value();
  BOOST_TEST(outcome(restore(filed())) == "unchanged 4");
}

BOOST_AUTO_TEST_CASE(a_replaced_round_gets_edges_to_its_kept_neighbours) {
  begin(3);
  write({summary_of(2)}).value();
  auto const edges_before = edges();
  auto const everything_before = everything(*engine);
  auto const first = vertex_of("DiscussionRound:u/d/1");
  auto const third = vertex_of("DiscussionRound:u/d/3");
  auto const kept = vertex_of("SummaryEntry:u/d/2");
  auto const old = vertex_of("DiscussionRound:u/d/2");
  auto wanted = filed();
  wanted.rounds[1] = named(whole_round(2, "file"));
  BOOST_TEST(outcome(restore(wanted)) == "ok 3");
  for (int pass = 0; pass < 2; ++pass) {
    BOOST_TEST(edges() == edges_before, boost::test_tools::per_element());
    BOOST_CHECK(vertex_of("DiscussionRound:u/d/1") == first);
    BOOST_CHECK(vertex_of("DiscussionRound:u/d/3") == third);
    BOOST_CHECK(vertex_of("SummaryEntry:u/d/2") == kept);
    BOOST_CHECK(vertex_of("DiscussionRound:u/d/2") != old);
    BOOST_CHECK(engine->snapshot().is_deleted(old));
    BOOST_TEST(everything(*engine, engine->snapshot().as_of(TxId{2})) == everything_before,
               boost::test_tools::per_element());
    BOOST_CHECK(says_the_same(stored(), wanted));
    reopen();
  }
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_file_with_less_drops_and_one_with_more_adds) {
  begin(3);
  write({summary_of(1), summary_of(3, "All.")}).value();
  auto const whole = filed();
  auto less = whole;
  less.rounds.pop_back();
  less.summaries.pop_back();
  BOOST_TEST(outcome(restore(less)) == "ok 3");
  BOOST_CHECK(says_the_same(stored(), less));
  BOOST_TEST(outcome(restore(whole)) == "ok 4");
  BOOST_CHECK(says_the_same(stored(), whole));
  BOOST_TEST(edges() == edge_lines(engine->snapshot().as_of(TxId{2})), boost::test_tools::per_element());
  auto more = whole;
  more.rounds.push_back(named(whole_round(4)));
  more.rounds.push_back(named(whole_round(5)));
  BOOST_TEST(outcome(restore(more)) == "ok 5");
  BOOST_TEST(outcome(write({whole_round(6)})) == "ok 6");
  BOOST_TEST(std::ranges::count(edges(), "DiscussionRound:u/d/6 FOLLOWS DiscussionRound:u/d/5") == 1);
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_changed_summary_is_replaced_and_its_rounds_stay) {
  begin(2);
  write({summary_of(2)}).value();
  auto const round = vertex_of("DiscussionRound:u/d/2");
  auto wanted = filed();
  wanted.summaries[0].summary = "As the file says.";
  wanted.discussion.topic = "filed";
  auto const lines = edges();
  BOOST_TEST(outcome(restore(wanted)) == "ok 3");
  BOOST_CHECK(vertex_of("DiscussionRound:u/d/2") == round);
  BOOST_CHECK(says_the_same(stored(), wanted));
  BOOST_TEST(edges() == lines, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(everything_may_be_replaced) {
  begin(3);
  write({summary_of(2)}).value();
  auto const lines = edges();
  auto wanted = filed();
  for (auto& each : wanted.rounds) each = named(whole_round(each.round_number, "file"));
  wanted.summaries[0].summary = "File.";
  BOOST_TEST(outcome(restore(wanted)) == "ok 3");
  BOOST_CHECK(says_the_same(stored(), wanted));
  BOOST_TEST(edges() == lines, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(other_answers_in_a_file_revise_the_round) {
  begin(2);
  auto wanted = filed();
  wanted.rounds[0].user_answers = std::vector<std::string>{"by hand"};
  auto const vertex = vertex_of("DiscussionRound:u/d/1");
  restore(wanted).value();
  BOOST_TEST((vertex_of("DiscussionRound:u/d/1") == vertex));
  BOOST_TEST(says_the_same(filed(), wanted));
  wanted.rounds[0].user_answers.reset();
  restore(wanted).value();
  BOOST_TEST(says_the_same(filed(), wanted));
  reopen();
  BOOST_TEST(says_the_same(filed(), wanted));
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(an_answer_names_the_discussions_whose_files_are_behind) {
  auto const named = [&](Result<engine::WriteAnswer> const& answer) {
    std::string text;
    for (auto const& each : answer.value().discussions) text += each.user_id + "/" + each.discussion_id + " ";
    return text;
  };
  BOOST_TEST(named(write_batch(opening())) == "");
  BOOST_TEST(named(write_batch(responding(1, Persona::analyzer))) == "");
  BOOST_TEST(named(write_batch(responding(1, Persona::solver))) == "");
  BOOST_TEST(named(write_batch(responding(1, Persona::moderator))) == "u/d ");
  BOOST_TEST(named(write_batch(answering(1, {"a"}))) == "u/d ");
  BOOST_TEST(named(write_batch(answering(1, {"a"}))) == "");
  BOOST_TEST(named(write_batch(dry(answering(1, {"b"})))) == "");
  BOOST_TEST(named(write_batch(ensured({whole_round(1, "t", "e"), whole_round(2), summary_of(1)}))) == "u/d u/e ");
  BOOST_TEST(named(write_batch(removing({"DiscussionRound:u/d/2"}))) == "u/d ");
}

BOOST_AUTO_TEST_CASE(an_open_round_stays_where_it_is_the_next) {
  begin(2);
  write_batch(opening()).value();
  write_batch(responding(3, Persona::analyzer)).value();
  auto const lines = edges();
  auto wanted = filed();
  wanted.rounds[1] = named(whole_round(2, "file"));
  BOOST_TEST(outcome(restore(wanted)) == "ok 4");
  BOOST_TEST(edges() == lines, boost::test_tools::per_element());
  reopen();
  BOOST_TEST(outcome(write_batch(responding(3, Persona::solver))) == "ok 5");
}

BOOST_AUTO_TEST_CASE(an_open_round_stays_where_it_is_not_the_next) {
  begin(2);
  write_batch(opening()).value();
  write_batch(responding(3, Persona::analyzer)).value();
  auto wanted = filed();
  wanted.rounds.resize(1);
  BOOST_TEST(outcome(restore(wanted)) == "ok 4");
  BOOST_TEST(stored().rounds.size() == 2);
  BOOST_TEST(stored().rounds.back().round_number == 3);
  BOOST_TEST(outcome(write_batch(responding(3, Persona::solver))) == "ok 5");
}

BOOST_AUTO_TEST_CASE(an_open_round_that_the_file_has_is_replaced_and_closed) {
  begin(2);
  write_batch(opening()).value();
  write_batch(responding(3, Persona::analyzer)).value();
  auto wanted = filed();
  wanted.rounds.resize(1);
  for (std::int64_t i = 2; i <= 3; ++i) wanted.rounds.push_back(named(whole_round(i, "file")));
  BOOST_TEST(outcome(restore(wanted)) == "ok 4");
  BOOST_CHECK(stored().rounds == wanted.rounds);
  BOOST_TEST(outcome(write({whole_round(4, "next")})) == "ok 5");
}

BOOST_AUTO_TEST_CASE(a_round_that_was_opened_and_finished_is_not_open_again_once_dropped) {
  begin(1);
  write_batch(opening()).value();
  for (auto const persona : {Persona::analyzer, Persona::solver, Persona::moderator}) {
    write_batch(responding(2, persona)).value();
  }
  auto wanted = filed();
  wanted.rounds.pop_back();
  restore(wanted).value();
  BOOST_TEST(outcome(write({whole_round(2, "next")})) == "ok 7");
}

BOOST_AUTO_TEST_CASE(an_opening_without_a_response_stays_where_it_is_the_next) {
  begin(2);
  write_batch(opening()).value();
  auto wanted = filed();
  wanted.rounds[0] = named(whole_round(1, "file"));
  restore(wanted).value();
  BOOST_TEST(outcome(write_batch(opening())) == "- /roundNumber precondition round_open");
  BOOST_TEST(outcome(write_batch(responding(3, Persona::analyzer))) == "ok 4");
}

BOOST_AUTO_TEST_CASE(a_discussion_that_moved_on_is_left_alone) {
  begin(1);
  auto wanted = filed();
  wanted.rounds[0] = named(whole_round(1, "file"));
  auto const before = stored();
  write({whole_round(2)}).value();
  BOOST_TEST(outcome(write_batch(restoring(wanted, before))) == "- /discussionId precondition changed");
  auto const with_two = stored();
  write({summary_of(1)}).value();
  BOOST_TEST(outcome(write_batch(restoring(wanted, with_two))) == "- /discussionId precondition changed");
  auto const with_summary = stored();
  write_batch(opening()).value();
  BOOST_TEST(outcome(write_batch(restoring(wanted, with_summary))) == "- /discussionId precondition changed");
  auto const opened = stored();
  write_batch(removing({"DiscussionRound:u/d/2"})).value();
  BOOST_TEST(outcome(write_batch(restoring(wanted, opened))) == "- /discussionId precondition changed");
  write_batch(removing({"Discussion:u/d"})).value();
  BOOST_TEST(outcome(write_batch(restoring(wanted, opened))) == "- /discussionId not_found deleted");
}

BOOST_AUTO_TEST_CASE(records_of_an_open_group_are_compared_too) {
  begin(2);
  auto const before = stored();
  auto wanted = filed();
  wanted.rounds[1] = named(whole_round(2, "file"));
  auto const history =
      std::vector{restoring(wanted, before), restoring(wanted, before), batch({whole_round(3)}), opening()};
  auto const outcomes = play(history, Way::grouped);
  BOOST_TEST(outcomes[1].starts_with("ok 3"));
  BOOST_TEST(outcomes[2] == "- /discussionId precondition changed");
  BOOST_TEST(outcomes[3].starts_with("ok 4"));
  BOOST_TEST(std::ranges::count(edges(), "DiscussionRound:u/d/3 FOLLOWS DiscussionRound:u/d/2") == 1);
  auto const now = everything(*engine);
  reopen();
  BOOST_TEST(everything(*engine) == now, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
