// Answers, citations and retrievals in capture mode: what strict mode withholds or refuses is kept and flagged.

#include "schema/types/flags.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::Answer;
using schema::Mode;

struct CapturedFixture : HistoryFixture {
  Result<engine::WriteAnswer> capture(engine::WriteBatch given) {
    given.mode = Mode::capture;
    return engine->write(std::move(given));
  }
  Result<engine::WriteAnswer> capture(std::vector<schema::Record> records) {
    return capture(batch(std::move(records)));
  }

  Answer told() { return record_of<Answer>(*engine, "Answer:r"); }

  /// "flag flag: text", and of each citation " | flags chunk".
  std::string summary() {
    auto const record = told();
    auto text = flags_in(record.flags) + ": " + record.answer.value_or("-");
    for (auto const& each : record.citations) text += " | " + flags_in(each.flags) + each.chunk_id.value_or("none");
    return text;
  }

  std::size_t cited() {
    auto const now = engine->snapshot();
    auto const causes = now.causes(now.find(schema::RecordType::answer, "r").value());
    std::size_t count = 0;
    for (auto const edge : causes.edges) count += now.type(edge) == schema::EdgeType::cites ? 1 : 0;
    return count;
  }

 private:
  static std::string flags_in(schema::Flags const& flags) {
    std::string text;
    for (auto const& each : flags.value_or(std::vector<std::string>{})) text += each + ' ';
    return text;
  }
};

engine::WriteBatch said(std::string text) {
  return step_batch(engine::AnswerText{.request_id = "r", .answer = std::move(text)});
}

BOOST_FIXTURE_TEST_SUITE(captured_answers, CapturedFixture)

BOOST_AUTO_TEST_CASE(a_text_of_low_confidence_is_kept) {
  write({query("r"), retrieved("r", chunk("c1"), 0.2)}).value();
  BOOST_TEST(outcome(capture(said("Gloves [manual]."))) == "ok 2");
  BOOST_TEST(summary() == "low_confidence : Gloves [manual]. | c1");
  BOOST_TEST(told().confidence.value() == 0.2);
  BOOST_TEST(cited() == 1U);
  // What was captured may be repeated, in either mode and in either form.
  BOOST_TEST(outcome(capture(said("Gloves [manual]."))) == "unchanged 2");
  BOOST_TEST(outcome(write_batch(said("Gloves [manual]."))) == "unchanged 2");
  BOOST_TEST(outcome(write({answer("r", "Gloves [manual].", 0.2)})) == "unchanged 2");
  BOOST_TEST(outcome(capture({answer("r", "Gloves [manual].", 0.2)})) == "unchanged 2");
  BOOST_TEST(outcome(capture(said("Hats [manual]."))) == "- /request_id conflict conflict");
}

BOOST_AUTO_TEST_CASE(the_text_of_an_answer_record_is_kept_too) {
  capture({query("r"), retrieved("r", chunk("c1"), 0.2), answer("r", "Gloves [manual].", 0.9)}).value();
  BOOST_TEST(summary() == "low_confidence : Gloves [manual]. | c1");
}

BOOST_AUTO_TEST_CASE(a_confidence_that_is_left_out_is_computed_without_a_warning) {
  write({query("r"), retrieved("r", chunk("c1"), 0.75)}).value();
  auto given = answer("r", "Gloves [manual].");
  given.confidence.reset();
  BOOST_TEST(outcome(write({given})) == "0 /confidence invalid_record required");
  BOOST_TEST(warnings(capture({given})) == "");
  BOOST_TEST(told().confidence.value() == 0.75);
}

BOOST_AUTO_TEST_CASE(nothing_retrieved_and_nothing_cited_is_an_answer) {
  capture({query("r"), answer("r", "I think so.", 0)}).value();
  BOOST_TEST(told().confidence.value() == 0);
  BOOST_TEST(summary() == "low_confidence no_citations : I think so.");
}

BOOST_AUTO_TEST_CASE(brackets_that_mean_nothing_flag_the_answer) {
  write({query("r"), retrieved("r", chunk("c1"), 0.9)}).value();
  BOOST_TEST(outcome(write_batch(said("Gloves [1], [manual], [99]."))) ==
             "- /answer invalid_record unsupported_citation");
  capture(said("Gloves [1], [manual], [99].")).value();
  BOOST_TEST(summary() == "unsupported : Gloves [1], [manual], [99]. | c1");
}

BOOST_AUTO_TEST_CASE(citations_that_do_not_hold_are_flagged) {
  write({query("r"), retrieved("r", chunk("c1"), 0.9), chunk("c7", "other")}).value();
  auto given = answer("r", "Gloves.", 0.9);
  given.citations = {{.document_name = "manual", .excerpt = "not in its text"},
                     {.document_name = "manual", .excerpt = "", .page_number = 77, .chunk_id = "c1"},
                     {.document_name = "manual", .excerpt = ""},
                     {.document_name = "unknown", .excerpt = "whatever"},
                     {.document_name = "unknown", .excerpt = "", .chunk_id = "c9"},
                     {.document_name = "other", .excerpt = "", .chunk_id = "c7"}};
  BOOST_TEST(!write({given}));
  capture({given}).value();
  BOOST_TEST(summary() ==
             "unsupported : Gloves. | unsupported c1 | unsupported c1 | c1 | unsupported none | unsupported c9 | "
             "unsupported c7");
  BOOST_TEST(cited() == 2U);  // c1, and c7 which is known
  BOOST_TEST(outcome(capture({given})) == "unchanged 2");
  write({chunk("c9", "unknown")}).value();
  BOOST_TEST(engine->verify().value().is_ok);
  auto const before = everything(*engine);
  reopen();
  BOOST_TEST(everything(*engine) == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_citation_record_that_matches_nothing_joins_its_answer) {
  capture({query("r"), retrieved("r", chunk("c1"), 0.9), answer("r", "Gloves [manual].", 0.9),
           schema::Citation{.request_id = "r", .document_name = "rumour", .excerpt = "They say."}})
      .value();
  BOOST_TEST(summary() == "unsupported : Gloves [manual]. | unsupported none");
}

BOOST_AUTO_TEST_CASE(a_chunk_without_an_id_is_named_by_its_passage) {
  auto const first = capture({query("r"), retrieved("r", chunk(""), 0.9)}).value();
  auto const key = engine->check_context({}).id_key;
  BOOST_TEST(first.refs[1] == "RetrievedChunk:" + schema::chunk_id_of(key, chunk("")));
  BOOST_TEST(outcome(capture({retrieved("r", chunk(""), 0.9)})) == "unchanged 1");
  BOOST_TEST(schema::chunk_id_of(key, chunk("", "manual", 2)) != schema::chunk_id_of(key, chunk("", "manual", 3)));
  BOOST_TEST(outcome(write({chunk("")})) == "0 /chunk_id invalid_record id");
}

BOOST_AUTO_TEST_CASE(a_retrieval_may_not_say_how_similar) {
  auto given = retrieved("r", chunk("c1"), 0);
  given.similarity_score.reset();
  BOOST_TEST(outcome(write({query("r"), given})) == "1 /similarity_score invalid_record required");
  capture({query("r"), given}).value();
  auto const known = engine->snapshot();
  auto const causes = known.causes(known.find(schema::RecordType::query, "r").value());
  BOOST_TEST_REQUIRE(causes.size() == 1);
  BOOST_TEST(!known.value(causes.edges[0]).has_value());
  BOOST_TEST(known.rank(causes.edges[0]) == 1);
  BOOST_TEST(!record_of<schema::RetrievedChunk>(*engine, "RetrievedChunk:c1").flags);
  BOOST_TEST(outcome(capture({given})) == "unchanged 1");
  BOOST_TEST(outcome(capture({retrieved("r", chunk("c1"), 0)})) == "0 /similarity_score conflict conflict");
  capture(said("Gloves [manual].")).value();
  BOOST_TEST(summary() == ": Gloves [manual]. | c1");
}

BOOST_AUTO_TEST_CASE(no_similarity_is_no_confidence) {
  auto const unlike = [](std::string id) {
    auto given = retrieved("r", chunk(std::move(id)), 0);
    given.similarity_score.reset();
    return given;
  };
  capture({query("r"), unlike("c1")}).value();
  auto given = answer("r", "Gloves [manual].", 0.9);
  BOOST_TEST(warnings(capture({given})) == "0 /confidence confidence");
  BOOST_TEST(!told().confidence.has_value());
  BOOST_TEST(summary() == ": Gloves [manual]. | c1");
  given.confidence.reset();
  BOOST_TEST(outcome(capture({given})) == "unchanged 2");
  BOOST_TEST(outcome(write_batch(said("Gloves [manual]."))) == "unchanged 2");
  capture({unlike("c2")}).value();
  BOOST_TEST(!told().confidence.has_value());
  capture({retrieved("r", chunk("c3"), 0.25)}).value();  // what is known now, is all that is
  BOOST_TEST(told().confidence.value() == 0.25);
  BOOST_TEST(summary() == "low_confidence : Gloves [manual]. | c1");
  reopen();
  BOOST_TEST(told().confidence.value() == 0.25);
}

BOOST_AUTO_TEST_CASE(a_text_of_no_confidence_is_not_withheld) {
  auto given = retrieved("r", chunk("c1"), 0);
  given.similarity_score.reset();
  capture({query("r"), given}).value();
  BOOST_TEST(warnings(write_batch(said("Gloves [manual]."))) == "");
  BOOST_TEST(summary() == ": Gloves [manual]. | c1");
  BOOST_TEST(!told().confidence.has_value());
  reopen();
  BOOST_TEST(!told().confidence.has_value());
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_chunk_keeps_its_first_attributes_where_it_is_retrieved_again) {
  auto given = retrieved("r", chunk("c1"), 0.9);
  given.attributes = schema::Attributes{R"({"score":1})"};
  capture({query("r"), query("r2"), given}).value();
  given.request_id = "r2";
  given.attributes = schema::Attributes{R"({"score":2})"};
  BOOST_TEST(outcome(write({given})) == "0 /attributes conflict conflict");
  BOOST_TEST(outcome(capture({given})) == "ok 2");
  BOOST_TEST(record_of<schema::RetrievedChunk>(*engine, "RetrievedChunk:c1").attributes.value().json ==
             R"({"score":1})");
}

BOOST_AUTO_TEST_CASE(flags_of_answers_and_of_their_citations_are_counted) {
  capture({query("r"), retrieved("r", chunk("c1"), 0.2), answer("r", "Gloves [1].", 0.2),
           schema::Citation{.request_id = "r", .document_name = "rumour", .excerpt = "They say."}})
      .value();
  auto const& counts = engine->metrics().flags.by_flag;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto const name = schema::all_flags[i];
    auto const expected = name == schema::flag::low_confidence ? 1U : name == schema::flag::unsupported ? 2U : 0U;
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(counts[i] == expected);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
