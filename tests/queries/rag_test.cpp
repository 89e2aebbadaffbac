// Everything recorded for a request, in one answer.

#include "queries/render/retrieval.hpp"
#include "schema/json/json.hpp"
#include "tests/queries/fixture.hpp"
#include "tests/queries/requests.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// Request `r`: 1 the query, 2 three retrievals (two of one rank), 3 embedding, prompt of two of them, answer.
struct RequestWorld {
  RecordWorld world;

  RequestWorld() {
    auto const first = chunk("c1", "a.pdf", vector_of(1));
    auto const second = chunk("c2", "a.pdf", vector_of(1, 1));
    auto const third = chunk("c0", "b.pdf", vector_of(0, 1));
    world.commit({document("a.pdf"), document("b.pdf"), first, second, third, query("r"), query("other")});
    world.commit({retrieval(second, "r", 2, 0.5), retrieval(third, "r", 2, 0.5), retrieval(first, "r", 1, 1),
                  retrieval(first, "other", 7, 0.25)});
    world.commit({embedding("r", vector_of(1)), prompt("r", {"c2", "c1"}), answer("r", "Some [a.pdf].", {"c1"})});
  }

  [[nodiscard]] boost::json::object get(queries::View const& view, std::string id = "r") const {
    return json_of(ask(queries::rag_get, view, {.request_id = std::move(id)}, unlimited()));
  }
};

std::string chunks_of(boost::json::value const& list) {
  std::string text;
  for (auto const& each : list.as_array()) text += std::string(each.at("chunk_id").as_string()) + " ";
  return text;
}

BOOST_FIXTURE_TEST_SUITE(rag, RequestWorld)

BOOST_AUTO_TEST_CASE(parts_that_were_not_recorded_are_null) {
  BOOST_TEST(text(get(world.view(1))) ==
             R"({"request_id":"r","query":{"request_id":"r","question":"Which gloves?"},"embedding":null,)"
             R"("retrieved_chunks":[],"prompt_context":null,"answer":null})");
}

BOOST_AUTO_TEST_CASE(entities_are_shown_without_their_types) {
  auto const found = get(world.view());
  BOOST_TEST(found.at("embedding").at("vector").as_array().size() == 384U);
  BOOST_TEST(!found.at("embedding").as_object().contains("$type$"));
  BOOST_TEST(text(found.at("answer")) ==
             R"({"answer":"Some [a.pdf].","citations":[{"document_name":"a.pdf","excerpt":"content","chunk_id":"c1"}],)"
             R"("confidence":0.75,"message":null,"request_id":"r"})");
}

BOOST_AUTO_TEST_CASE(retrieved_chunks_come_by_rank_then_by_id_without_embedding) {
  auto const found = get(world.view());
  BOOST_TEST(chunks_of(found.at("retrieved_chunks")) == "c1 c0 c2 ");
  BOOST_TEST(text(found.at("retrieved_chunks").at(1)) ==
             R"({"chunk_id":"c0","content":"content of c0","metadata":{"document_name":"b.pdf","page_number":5,)"
             R"("chunk_index":0},"similarity_score":0.5,"rank":2})");
  BOOST_TEST(text(get(world.view(), "other").at("retrieved_chunks").at(0).at("rank")) == "7");
}

BOOST_AUTO_TEST_CASE(a_prompt_holds_whole_chunks_in_its_own_order) {
  auto const prompt = get(world.view()).at("prompt_context");
  BOOST_TEST(chunks_of(prompt.at("retrieved_chunks")) == "c2 c1 ");
  BOOST_TEST(text(prompt.at("retrieved_chunks").at(0)) ==
             R"({"chunk_id":"c2","content":"content of c2","metadata":{"document_name":"a.pdf","page_number":5,)"
             R"("chunk_index":0},"similarity_score":0.5})");
  BOOST_TEST(prompt.at("system_prompt").as_string() == "Be exact.");
}

BOOST_AUTO_TEST_CASE(a_deleted_chunk_is_no_longer_retrieved_but_the_prompt_still_shows_it) {
  world.remove({"RetrievedChunk:c1"});
  auto const found = get(world.view());
  BOOST_TEST(chunks_of(found.at("retrieved_chunks")) == "c0 c2 ");
  BOOST_TEST(chunks_of(found.at("prompt_context").at("retrieved_chunks")) == "c2 c1 ");
  BOOST_TEST(chunks_of(get(world.view(3)).at("retrieved_chunks")) == "c1 c0 c2 ");
}

BOOST_AUTO_TEST_CASE(an_unknown_request_is_not_found) {
  auto const error = queries::rag_get(world.view(), {.request_id = "none"}, unlimited()).error();
  BOOST_CHECK(error.code == Errc::not_found);
  BOOST_TEST(error.violations.at(0).path == "/request_id");
  BOOST_TEST(error.violations.at(0).seen == "\"Query:none\"");
}

BOOST_AUTO_TEST_CASE(an_answer_that_found_nothing_is_null) {
  std::string written;
  schema::json::Writer out(written);
  queries::write_answer(out, {.request_id = "r", .confidence = 0.25, .message = "Nothing."});
  BOOST_TEST(written == R"({"answer":null,"citations":[],"confidence":0.25,"message":"Nothing.","request_id":"r"})");
}

BOOST_AUTO_TEST_CASE(find_knows_the_plain_members_of_the_records) {
  using Op = queries::Condition::Op;
  auto const found = [&](schema::RecordType type, queries::Condition condition) {
    return refs_of(json_of(ask(queries::node_find, world.view(),
                               {.type = type, .where = {std::move(condition)}, .order = {}}, unlimited())));
  };
  BOOST_TEST(found(schema::RecordType::answer, {"confidence", Op::gte, {"0.75"}}) == "Answer:r");
  BOOST_TEST(found(schema::RecordType::query, {"question", Op::prefix, {"\"Which\""}}) == "Query:other Query:r");
  BOOST_TEST(found(schema::RecordType::document, {"document_name", Op::eq, {"\"a.pdf\""}}) == "Document:a.pdf");
  BOOST_TEST(found(schema::RecordType::retrieved_chunk, {"content", Op::eq, {"\"content of c0\""}}) ==
             "RetrievedChunk:c0");
  BOOST_TEST(found(schema::RecordType::embedding_vector, {"model_name", Op::prefix, {"\"all\""}}) ==
             "EmbeddingVector:r");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
