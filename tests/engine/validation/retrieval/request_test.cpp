// Retrieval requests: chunks and their embeddings, retrievals and ranks, prompts, answers and citations. The same
// however they are written, refused as a whole, found by the moments that had them.

#include "tests/engine/batches.hpp"
#include "tests/engine/histories.hpp"
#include "tests/support/noise.hpp"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using engine::WriteBatch;
using schema::TxId;

schema::Citation citation(std::string request, std::string document, std::string excerpt) {
  return {.request_id = std::move(request), .document_name = std::move(document), .excerpt = std::move(excerpt)};
}

WriteBatch answering(std::string request, std::string text) {
  return step_batch(engine::AnswerText{.request_id = std::move(request), .answer = std::move(text)});
}

/// Embeddings given at once, later, twice and otherwise; ranks left out; answers with and without prompts; deletions.
std::vector<WriteBatch> long_request_history() {
  auto keyed = batch({query("", "Who is asking?")});
  keyed.idempotency_key = "key";
  auto tagged = chunk("c1");
  tagged.attributes = schema::Attributes{R"({"a":1})"};
  return {
      batch({chunk("c1"), embedded(chunk("c2", "manual", 2), 0)}),
      batch({query("r1"), retrieved("r1", chunk("c2", "manual", 2), 0.5), retrieved("r1", chunk("c1"), 0.9, 7)}),
      batch({retrieved("r1", chunk("c3", "notes"), 0.8), retrieved("r1", chunk("c1"), 0.9)}),
      batch({embedded(chunk("c1"), 1)}),
      batch({embedded(chunk("c1"), 0)}),
      batch({tagged}),
      batch({retrieved("r1", chunk("c1"), 0.4)}),
      batch({prompt("r1", {"c2", "c9"})}),
      batch({prompt("r1", {"c2", "c1"}), embedding("r1", 0)}),
      answering("r1", "Gloves [manual, page 2] and [notes]."),
      answering("r1", "Gloves [manual, page 2] and [notes]."),
      answering("r1", "Nothing [manual]."),
      batch({query("r2"), retrieved("r2", chunk("c1"), 0.6), retrieved("r2", embedded(chunk("c4", "notes"), 1), 0.7)}),
      answering("r2", "Hats [maps]."),
      answering("r2", "Hats [notes]."),
      batch({embedding("r2", 1)}),
      batch({answer("r2", "Hats [notes].", 0.65)}),
      keyed,
      keyed,
      batch({query("r3"), embedding("r3", 1), retrieved("r3", embedded(chunk("c3", "notes"), 1), 0.1),
             answer("r3", "Too little [notes].", 0.1)}),
      removing({"RetrievedChunk:c1"}),
      batch({retrieved("r1", chunk("c1", "other"), 0.3)}),
      batch({retrieved("r2", embedded(chunk("c1", "other"), 0), 0.3)}),
      removing({"Document:notes"}),
      batch({query("r4"), retrieved("r4", chunk("c3", "notes"), 0.9)}),
      batch({embedded(chunk("c3", "notes"), 0)}),
      answering("r4", "Again [notes, page 1]."),
      removing({"Query:r4"}),
      answering("r4", "Again [notes, page 1].")};
}

BOOST_FIXTURE_TEST_SUITE(requests, HistoryFixture)

BOOST_AUTO_TEST_CASE(a_history_gives_the_same_one_by_one_in_a_group_and_with_restarts) {
  auto const apart = check_in_every_way(long_request_history());
  BOOST_TEST(apart.outcomes.back() == "- /request_id not_found deleted");
}

/// A request in the order in which it happens; the last needs all before.
std::vector<schema::Record> whole_request() {
  return {chunk("c1"),
          chunk("c2", "notes"),
          query("r"),
          embedding("r", 1),
          retrieved("r", chunk("c1"), 0.9),
          retrieved("r", chunk("c2", "notes"), 0.6),
          embedded(chunk("c1"), 0),
          prompt("r", {"c2", "c1"}),
          answer("r", "Gloves [notes] and [manual, page 1].")};
}

BOOST_AUTO_TEST_CASE(one_batch_in_order_or_reversed_is_many_batches_in_order) {
  HistoryFixture apart;
  for (auto const& record : whole_request()) BOOST_TEST(outcome(apart.write({record})).starts_with("ok "));
  auto reversed = whole_request();
  // Ranks follow the order of writing: said, so that they do not differ.
  for (std::size_t i : {4U, 5U}) std::get<schema::RetrievedChunk>(reversed[i]).rank = static_cast<std::int64_t>(i) - 3;
  std::ranges::reverse(reversed);
  for (auto const& records : {whole_request(), reversed}) {
    HistoryFixture together;
    BOOST_TEST(outcome(together.write(records)) == "ok 1");
    BOOST_TEST(everything(*together.engine) == everything(*apart.engine), boost::test_tools::per_element());
    BOOST_TEST(together.engine->verify().value().is_ok);
    together.reopen();
    BOOST_TEST(everything(*together.engine) == everything(*apart.engine), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(any_order_of_one_batch_is_taken) {
  auto records = whole_request();
  std::vector<std::size_t> order(records.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    std::rotate(order.begin(), order.begin() + 1, order.end());  // std::ranges::rotate needs a newer clang than 14
    std::vector<schema::Record> turned;
    turned.reserve(order.size());
    for (auto const i : order) turned.push_back(records[i]);
    HistoryFixture fixture;
    BOOST_TEST_CONTEXT("first: " << order[0]) {
      BOOST_TEST(outcome(fixture.write(turned)) == "ok 1");
      BOOST_TEST(fixture.engine->vectors().size() == 1U);
      BOOST_TEST(fixture.engine->snapshot().edge_count() == 12U);
      BOOST_TEST(outcome(fixture.write(turned)) == "unchanged 1");
    }
  }
}

BOOST_AUTO_TEST_CASE(ranks_left_out_go_on_after_the_highest_ever_given) {
  write({query("r"), retrieved("r", chunk("c1"), 0.5), retrieved("r", chunk("c2"), 0.5, 5),
         retrieved("r", chunk("c3"), 0.5)})
      .value();
  write_batch(removing({"RetrievedChunk:c3"})).value();
  write({retrieved("r", chunk("c4"), 0.5), retrieved("r", chunk("c1"), 0.5)}).value();
  auto const now = engine->snapshot();
  auto const request = now.find(schema::RecordType::query, "r").value();
  auto const causes = now.causes(request);
  std::vector<std::string> ranks;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    ranks.push_back(std::string(now.id(causes.vertices[i])) + ' ' + std::to_string(now.rank(causes.edges[i])));
  }
  std::vector<std::string> const expected = {"c1 1", "c2 5", "c4 7"};
  BOOST_TEST(ranks == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(embeddings_of_several_models_are_kept_apart) {
  auto large = chunk("large");
  large.embedding = std::vector<float>(1536, 1);
  large.embedding_model = "text-embedding-3-small";
  write({embedded(chunk("c1"), 0), large}).value();
  auto again = large;
  again.embedding_model = "another";
  BOOST_TEST(outcome(write({again})) == "0 /embedding_model conflict conflict");
  BOOST_TEST(outcome(write({large})) == "unchanged 1");
  auto named = embedded(chunk("c1"), 0);
  named.embedding_model = schema::default_embedding_model;
  BOOST_TEST(outcome(write({named})) == "unchanged 1");
  auto bare = chunk("c2");
  bare.embedding_model = "m";
  BOOST_TEST(outcome(write({bare})) == "0 /embedding_model invalid_record embedding");
  std::vector<float> const asked(1536, 2);
  for (int pass = 0; pass < 2; ++pass) {
    auto const now = engine->snapshot();
    auto const found = engine->vectors().nearest(
        {.snapshot = now, .vector = asked, .count = 9, .model = "text-embedding-3-small"}, schema::NoInterrupt{});
    BOOST_TEST_REQUIRE(found.value().size() == 1U);
    BOOST_TEST(now.id(found.value()[0].vertex) == "large");
    BOOST_TEST(found.value()[0].similarity == 1);
    reopen();
  }
}

BOOST_AUTO_TEST_CASE(an_embedding_is_found_from_its_transaction_until_its_deletion) {
  write({chunk("c1"), embedded(chunk("c2"), 1)}).value();
  write({embedded(chunk("c1"), 0)}).value();
  write_batch(removing({"RetrievedChunk:c1"})).value();
  write({embedded(chunk("c1", "other"), 1)}).value();
  auto const asked = along(0);
  auto const best = [&](std::uint64_t tx) {
    auto const then = engine->snapshot().as_of(TxId{tx});
    auto const found = engine->vectors().nearest(
        {.snapshot = then, .vector = asked, .count = 9, .model = schema::default_embedding_model},
        schema::NoInterrupt{});
    std::string text;
    for (auto const& each : found.value()) {
      text += std::string(then.id(each.vertex)) + (each.similarity == 1 ? "! " : " ");
    }
    return text;
  };
  for (int pass = 0; pass < 2; ++pass) {
    BOOST_TEST(best(0) == "");
    BOOST_TEST(best(1) == "c2 ");
    BOOST_TEST(best(2) == "c1! c2 ");
    BOOST_TEST(best(3) == "c2 ");
    BOOST_TEST(best(4) == "c1 c2 ");
    BOOST_TEST(engine->vectors().size() == 3U);
    reopen();
  }
}

BOOST_AUTO_TEST_CASE(a_group_too_large_for_the_store_leaves_no_trace) {
  config.directory = directory.path() / "small";
  config.store_map_bytes = 1U << 20U;
  reopen();
  write({embedded(chunk("c1"), 0), chunk("c2"), query("r")}).value();
  auto const before = everything(*engine);
  auto large = chunk("c9");
  large.content = whence::test::noise(2U << 20U);
  auto const outcomes = play({batch({embedded(chunk("c2"), 1), embedded(chunk("c3"), 1)}),
                              batch({retrieved("r", chunk("c2"), 0.9)}), batch({large})},
                             Way::grouped);
  for (std::size_t i = 1; i < outcomes.size(); ++i) BOOST_TEST(outcomes[i] == "storage_full");
  BOOST_TEST(engine->vectors().size() == 1U);
  write_batch(removing({"Topic:held"})).value();
  BOOST_TEST(everything(*engine) == before, boost::test_tools::per_element());
  // Their numbers and their places are free: other chunks, another embedding, another similarity.
  BOOST_TEST(outcome(write({embedded(chunk("c4"), 1), embedded(chunk("c2"), 0), retrieved("r", chunk("c2"), 0.1)})) ==
             "ok 4");
  BOOST_TEST(engine->vectors().size() == 3U);
  auto const now = everything(*engine);
  reopen();
  BOOST_TEST(everything(*engine) == now, boost::test_tools::per_element());
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_dry_run_of_all_does_nothing) {
  write({chunk("c1")}).value();
  auto const before = everything(*engine);
  auto given = dry(batch(whole_request()));
  given.expect_tx = TxId{1};
  auto const said = write_batch(given);
  BOOST_TEST(outcome(said) == "ok 1");
  BOOST_TEST(said->refs.back() == "Answer:r");
  BOOST_TEST(everything(*engine) == before, boost::test_tools::per_element());
  BOOST_TEST(engine->vectors().size() == 0U);
  given.dry_run = false;
  given.expect_tx = TxId{0};
  BOOST_TEST(outcome(write_batch(given)) == "- /expect_tx precondition expect_tx");
  given.expect_tx = TxId{1};
  BOOST_TEST(outcome(write_batch(given)) == "ok 2");
}

BOOST_AUTO_TEST_CASE(a_repeat_under_its_key_answers_the_same_made_ids) {
  auto given = batch({query("", "First question"), query("", "Second question"), chunk("c1")});
  given.idempotency_key = "key";
  auto const first = write_batch(given).value();
  BOOST_TEST(first.refs[0].starts_with("Query:req_20251009_"));
  BOOST_TEST(first.refs[0] != first.refs[1]);
  for (int pass = 0; pass < 2; ++pass) {
    auto const again = write_batch(given).value();
    BOOST_TEST(again.refs == first.refs, boost::test_tools::per_element());
    BOOST_TEST(again.tx == TxId{1});
    reopen();
  }
}

/// Makes every id twice.
class TwiceIds final : public engine::IdSource {
 public:
  [[nodiscard]] std::string uuid() override {
    if (is_second_ = !is_second_; is_second_) last_ = ids_.uuid();
    return last_;
  }

 private:
  CountingIds ids_;
  std::string last_;
  bool is_second_ = false;
};

BOOST_AUTO_TEST_CASE(made_request_ids_differ_within_a_batch_and_from_those_known) {
  engine.reset();
  TwiceIds twice;
  auto const opened = engine::Engine::open(config, clock, twice);
  BOOST_REQUIRE(opened.has_value());
  auto& other = *opened;
  for (std::uint32_t count = 2; count <= 6; count += 2) {
    BOOST_TEST(other->write(batch({query("", "One question"), query("", "Another")})).has_value());
    BOOST_TEST(other->snapshot().vertex_count() == count);
  }
}

BOOST_AUTO_TEST_CASE(all_violations_are_reported_at_once) {
  write({embedded(chunk("c1"), 0), query("r"), retrieved("r", chunk("c1"), 0.9)}).value();
  auto other = chunk("c1");
  other.content = "Other";
  auto short_vector = embedding("r", 0);
  short_vector.vector.pop_back();
  auto unlike = prompt("r", {"c1"});
  unlike.retrieved_chunks[0].rank = 2;
  unlike.retrieved_chunks.push_back({.chunk_id = "c9"});
  BOOST_TEST(
      outcome(write({other, embedded(chunk("c1"), 1), retrieved("r", chunk("c1"), 0.8, 3),
                     retrieved("nobody", chunk("c1"), 0.5), retrieved("nobody", chunk("c5"), 0.5), short_vector,
                     embedding("nobody", 0), unlike, prompt("nobody", {"c1"}), answer("r", "See [sic]."),
                     answer("nobody", "See [manual]."), citation("lost", "manual", ""), query("r", "Other?")})) ==
      "0 /content conflict conflict\n"
      "1 /embedding conflict conflict\n"
      "2 /rank conflict conflict\n"
      "2 /similarity_score conflict conflict\n"
      "3 /request_id invalid_record unknown_reference\n"
      "4 /request_id invalid_record unknown_reference\n"
      "5 /vector invalid_record items\n"
      "6 /request_id invalid_record unknown_reference\n"
      "7 /retrieved_chunks/0/rank conflict conflict\n"
      "7 /retrieved_chunks/1/chunk_id invalid_record not_retrieved\n"
      "8 /request_id invalid_record unknown_reference\n"
      "9 /answer invalid_record unsupported_citation\n"
      "10 /request_id invalid_record unknown_reference\n"
      "11 /request_id invalid_record unknown_reference\n"
      "12 /request_id conflict conflict");
  BOOST_TEST(engine->snapshot().tx() == TxId{1});
  BOOST_TEST(engine->vectors().size() == 1U);
}

BOOST_AUTO_TEST_CASE(two_embeddings_of_one_chunk_in_one_batch_conflict) {
  BOOST_TEST(outcome(write({embedded(chunk("c1"), 0), embedded(chunk("c1"), 1)})) == "1 /embedding conflict conflict");
  BOOST_TEST(outcome(write({chunk("c1"), embedded(chunk("c1"), 0), chunk("c1"), embedded(chunk("c1"), 1)})) ==
             "3 /embedding conflict conflict");
  BOOST_TEST(outcome(write({chunk("c1"), embedded(chunk("c1"), 0), embedded(chunk("c1"), 0)})) == "ok 1");
  BOOST_TEST(engine->vectors().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_chunk_may_come_with_its_embedding_and_as_a_retrieval_in_one_batch) {
  auto const orders = {
      std::vector<schema::Record>{query("r"), embedded(chunk("c1"), 0), retrieved("r", chunk("c1"), 0.9)},
      std::vector<schema::Record>{retrieved("r", chunk("c1"), 0.9), embedded(chunk("c1"), 0), query("r")},
      std::vector<schema::Record>{retrieved("r", embedded(chunk("c1"), 0), 0.9), chunk("c1"), query("r")}};
  std::vector<std::vector<std::string>> found;
  for (auto const& records : orders) {
    HistoryFixture fixture;
    BOOST_TEST(outcome(fixture.write(records)) == "ok 1");
    found.push_back(everything(*fixture.engine));
    fixture.reopen();
    BOOST_TEST(everything(*fixture.engine) == found.front(), boost::test_tools::per_element());
  }
  BOOST_TEST(found[0] == found[1], boost::test_tools::per_element());
  BOOST_TEST(found[0] == found[2], boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_citation_joins_its_answer_from_either_side) {
  std::vector<schema::Record> const records = {
      citation("r", "notes", "Content  of..."), answer("r", "Gloves [manual]."),
      citation("r", "manual", "of c1"),         query("r"),
      retrieved("r", chunk("c1"), 0.9),         retrieved("r", chunk("c2", "notes"), 0.6)};
  auto const written = write(records).value();
  BOOST_TEST(written.refs[0] == "Answer:r");
  BOOST_TEST(written.refs[2] == "Answer:r");
  auto const citations = record_of<schema::Answer>(*engine, "Answer:r").citations;
  BOOST_REQUIRE(citations.size() == 2U);
  BOOST_TEST(citations[0].chunk_id.value() == "c2");
  BOOST_TEST(citations[1].excerpt == "of c1");
  BOOST_TEST(outcome(write(records)) == "unchanged 1");
  BOOST_TEST(outcome(write({citation("r", "notes", "Content  of...")})) ==
             "0 /request_id invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(what_a_citation_says_of_its_chunk_must_be_so) {
  write({query("r"), retrieved("r", chunk("c1"), 0.9), retrieved("r", chunk("c2", "manual", 2), 0.8)}).value();
  auto const cited = [](schema::Citation const& citation) {
    auto given = answer("r", "Gloves [manual].");
    given.citations = {citation};
    return given;
  };
  auto const outcome_of = [&](schema::Citation const& citation) {
    return outcome(write_batch(dry(batch({cited(citation)}))));
  };
  BOOST_TEST(outcome_of({.document_name = "manual", .excerpt = "Content\tof c2 ...", .page_number = 2}) == "ok 1");
  BOOST_TEST(outcome_of({.document_name = "manual", .excerpt = "of c2"}) == "ok 1");
  BOOST_TEST(outcome_of({.document_name = "manual", .excerpt = "made up"}) ==
             "0 /citations/0/excerpt invalid_record excerpt");
  BOOST_TEST(outcome_of({.document_name = "manual", .excerpt = "of c2", .page_number = 1}) ==
             "0 /citations/0/excerpt invalid_record excerpt");
  BOOST_TEST(
      outcome_of(
          {.document_name = "manual", .excerpt = "of c1", .page_number = 3, .section = "none", .chunk_id = "c1"}) ==
      "0 /citations/0/page_number invalid_record page_number\n"
      "0 /citations/0/section invalid_record section");
  BOOST_TEST(outcome_of({.document_name = "manual", .excerpt = "of c1", .page_number = 3}) ==
             "0 /citations/0 invalid_record unsupported_citation");
  BOOST_TEST(outcome(write({answer("r", "Gloves [manual]."), citation("r", "manual", "made up")})) ==
             "1 /excerpt invalid_record excerpt");
}

BOOST_AUTO_TEST_CASE(the_confidence_is_the_mean_whatever_is_given) {
  write({query("r"), retrieved("r", chunk("c1"), 0.9), query("low"), retrieved("low", chunk("c1"), 0.4)}).value();
  auto const kept = write({answer("r", "Gloves [manual].", 0.1)});
  BOOST_TEST(warnings(kept) == "0 /confidence confidence");
  auto const stored = record_of<schema::Answer>(*engine, "Answer:r");
  BOOST_TEST(stored.confidence.value() == 0.9);
  BOOST_TEST(stored.answer.value() == "Gloves [manual].");
  BOOST_TEST(outcome(write({answer("r", "Gloves [manual].", 0.2)})) == "unchanged 2");
  auto const withheld = write({answer("low", "Gloves [manual].", 1)});
  BOOST_TEST(warnings(withheld) == "0 /confidence confidence\n0 /answer withheld");
  BOOST_TEST(withheld->warnings[1].message == "the mean of what was retrieved is 0.4, below 0.5; the best is 0.4");
  BOOST_TEST(record_of<schema::Answer>(*engine, "Answer:low").confidence.value() == 0.4);
  BOOST_TEST(!record_of<schema::Answer>(*engine, "Answer:low").answer.has_value());
}

BOOST_AUTO_TEST_CASE(a_retrieval_after_the_answer_corrects_its_confidence) {
  write({query("r"), retrieved("r", chunk("c1"), 0.75), answer("r", "Gloves [manual].", 0.75)}).value();
  auto const confidence_at = [&](std::uint64_t tx) {
    auto const now = engine->snapshot().as_of(TxId{tx});
    auto const vertex = now.find(schema::RecordType::answer, "r").value();
    return now.revisions(vertex).size();
  };
  BOOST_TEST(outcome(write({retrieved("r", chunk("c2", "notes"), 0.5)})) == "ok 2");
  auto later = record_of<schema::Answer>(*engine, "Answer:r");
  BOOST_TEST(later.confidence.value() == 0.625);
  BOOST_TEST(!later.flags.has_value());
  BOOST_TEST(later.answer.value() == "Gloves [manual].");
  BOOST_TEST(confidence_at(1) == 0U);
  BOOST_TEST(confidence_at(2) == 1U);
  BOOST_TEST(outcome(write({retrieved("r", chunk("c3", "maps"), 0.0)})) == "ok 3");
  later = record_of<schema::Answer>(*engine, "Answer:r");
  BOOST_TEST(later.confidence.value() == 1.25 / 3);
  BOOST_TEST((later.flags == std::vector{std::string(schema::flag::low_confidence)}));
  BOOST_TEST(later.answer.value() == "Gloves [manual].");  // it was given when it was good enough
  BOOST_TEST(outcome(write({retrieved("r", chunk("c3", "maps"), 0.0)})) == "unchanged 3");
  reopen();
  BOOST_TEST(record_of<schema::Answer>(*engine, "Answer:r").confidence.value() == 1.25 / 3);
  BOOST_TEST(outcome(write({retrieved("r", chunk("c4", "rules"), 0.95)})) == "ok 4");
  later = record_of<schema::Answer>(*engine, "Answer:r");
  BOOST_TEST(later.confidence.value() == (1.25 + 0.95) / 4);
  BOOST_TEST(!later.flags.has_value());
}

BOOST_AUTO_TEST_CASE(a_retrieval_after_a_withheld_answer_corrects_its_confidence_and_gives_no_text) {
  write({query("low"), retrieved("low", chunk("c1"), 0.25), answer("low", "Gloves [manual].", 0.25)}).value();
  BOOST_TEST(record_of<schema::Answer>(*engine, "Answer:low").confidence.value() == 0.25);
  write({retrieved("low", chunk("c2", "notes"), 1)}).value();
  auto const later = record_of<schema::Answer>(*engine, "Answer:low");
  BOOST_TEST(later.confidence.value() == 0.625);
  BOOST_TEST(!later.answer.has_value());
  BOOST_TEST(!later.flags.has_value());
  write({retrieved("low", chunk("c3", "maps"), 0)}).value();
  BOOST_TEST(record_of<schema::Answer>(*engine, "Answer:low").confidence.value() == 1.25 / 3);
  BOOST_TEST(!record_of<schema::Answer>(*engine, "Answer:low").flags.has_value());
}

BOOST_AUTO_TEST_CASE(a_text_that_is_withheld_says_how_similar_its_chunks_are) {
  write({query("r"), retrieved("r", chunk("c1"), 0.25), retrieved("r", chunk("c2", "notes"), 0.5)}).value();
  auto const given = write_batch(answering("r", "Gloves [manual].")).value();
  BOOST_TEST(given.withheld.value().mean == 0.375);
  BOOST_TEST(given.withheld.value().best == 0.5);
  BOOST_TEST(given.warnings.at(0).rule == "withheld");
}

BOOST_AUTO_TEST_CASE(a_deleted_document_takes_its_chunks_along_and_both_may_come_again) {
  write(whole_request()).value();
  auto const before = everything(*engine);
  auto const removed = write_batch(removing({"Document:manual"})).value();
  std::vector<std::string> const gone = {"Document:manual", "RetrievedChunk:c1"};
  BOOST_TEST(removed.removal.deleted == gone, boost::test_tools::per_element());
  BOOST_TEST(outcome(write({prompt("r", {"c2", "c1"})})) ==
             "0 /retrieved_chunks/1/chunk_id invalid_record not_retrieved");
  BOOST_TEST(outcome(write({answer("r", "Gloves [notes] and [manual, page 1].")})) == "unchanged 2");
  write({retrieved("r", embedded(chunk("c1"), 1), 0.4)}).value();
  BOOST_TEST(everything(*engine, engine->snapshot().as_of(TxId{1})) == before, boost::test_tools::per_element());
  // The answer cites the chunk that was, not the new one.
  auto const lines = edge_lines(engine->snapshot());
  BOOST_TEST(std::ranges::count(lines, "Answer:r CITES RetrievedChunk:c1") == 0);
  BOOST_TEST(std::ranges::count(lines, "RetrievedChunk:c1 RETRIEVED_FOR Query:r 0.400000 #3") == 1);
  BOOST_TEST(engine->verify().value().is_ok);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
