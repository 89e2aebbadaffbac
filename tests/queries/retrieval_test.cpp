// The chunks that are most similar to a vector.

#include "queries/retrieval/retrieval.hpp"

#include "tests/queries/fixture.hpp"
#include "tests/queries/requests.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// Six chunks of `a.pdf`, the more similar to (1, 0) the higher their number, and one of `b.pdf` as far as can be.
struct RetrievalWorld {
  RecordWorld world;

  RetrievalWorld() {
    std::vector<schema::Record> records{document("a.pdf"), document("b.pdf"), chunk("z", "b.pdf", vector_of(-1))};
    for (int i = 1; i <= 6; ++i) {
      records.emplace_back(chunk("a" + std::to_string(i), "a.pdf", vector_of(static_cast<float>(i), 1)));
    }
    records.emplace_back(chunk("y", "b.pdf", vector_of(0, 1)));
    world.commit(records);
  }

  /// The chunks retrieved for (1, 0), by rank.
  [[nodiscard]] std::string retrieved(schema::QueryFilters const& filters = {}) const {
    std::string text;
    for (auto const& each :
         queries::retrieve(world.view(), {.vector = vector_of(1), .filters = filters}, never_).value()) {
      text.append(text.empty() ? "" : " ").append(each.chunk_id);
    }
    return text;
  }

 private:
  schema::NoInterrupt never_;
};

std::string rule_of(queries::View const& view, queries::RagRetrieveParams const& params) {
  auto const checked = queries::check_retrieve(view, params);
  if (checked) return "";
  auto const error = checked.error();
  return error.violations.at(0).rule + " " + error.violations.at(0).path;
}

BOOST_FIXTURE_TEST_SUITE(retrieval_queries, RetrievalWorld)

BOOST_AUTO_TEST_CASE(the_most_similar_come_first_five_of_them) {
  BOOST_TEST(retrieved() == "a6 a5 a4 a3 a2");
  BOOST_TEST(retrieved({.max_results = 2}) == "a6 a5");
}

BOOST_AUTO_TEST_CASE(an_opposite_vector_has_similarity_0_and_ties_are_by_id) {
  BOOST_TEST(retrieved({.max_results = 10}) == "a6 a5 a4 a3 a2 a1 y z");
  auto const found =
      queries::retrieve(world.view(), {.vector = vector_of(1), .filters = {{.max_results = 10}}}, schema::NoInterrupt{})
          .value();
  BOOST_TEST(found.back().similarity.value() == 0);
  BOOST_TEST(found.back().rank == 8U);
  BOOST_TEST(found.front().rank == 1U);
}

BOOST_AUTO_TEST_CASE(a_source_is_the_exact_name_of_a_document) {
  BOOST_TEST(retrieved({.source = "b.pdf"}) == "y z");
  BOOST_TEST(retrieved({.source = "a.pdf", .max_results = 1}) == "a6");
  BOOST_TEST(retrieved({.source = "A.pdf"}) == "");
}

BOOST_AUTO_TEST_CASE(deleted_chunks_are_not_retrieved) {
  world.remove({"RetrievedChunk:a6"});
  BOOST_TEST(retrieved({.max_results = 1}) == "a5");
  BOOST_TEST(retrieved({.source = "a.pdf", .max_results = 1}) == "a5");
  auto const before =
      queries::retrieve(world.view(1), {.vector = vector_of(1), .filters = {{.max_results = 1}}}, schema::NoInterrupt{})
          .value();
  BOOST_TEST(before.at(0).chunk_id == "a6");
}

BOOST_AUTO_TEST_CASE(a_later_chunk_is_not_seen_before_it_was_there) {
  world.commit({chunk("new", "a.pdf", vector_of(1))});
  BOOST_TEST(retrieved({.max_results = 1}) == "new");
  auto const before =
      queries::retrieve(world.view(1), {.vector = vector_of(1), .filters = {{.max_results = 1}}}, schema::NoInterrupt{})
          .value();
  BOOST_TEST(before.at(0).chunk_id == "a6");
}

BOOST_AUTO_TEST_CASE(the_method_answers_chunks_with_similarity_and_rank) {
  queries::RagRetrieveParams const asked{.vector = vector_of(0, 1), .filters = {{.source = "b.pdf", .max_results = 1}}};
  BOOST_TEST(text_of(ask(queries::rag_retrieve, world.view(), asked, unlimited())) ==
             R"({"chunks":[{"chunk_id":"y","content":"content of y","metadata":{"document_name":"b.pdf",)"
             R"("page_number":5,"chunk_index":0},"similarity_score":1,"rank":1}]})");
}

BOOST_AUTO_TEST_CASE(params_that_cannot_be_asked_are_refused) {
  BOOST_TEST(rule_of(world.view(), {.vector = vector_of(0)}) == "zero_vector /vector");
  BOOST_TEST(rule_of(world.view(), {.vector = vector_of(1), .question = " ab "}) == "length /question");
  BOOST_TEST(rule_of(world.view(), {.vector = vector_of(1), .question = " abc "}) == "");
  BOOST_TEST(rule_of(world.view(), {.vector = vector_of(1), .question = std::string(1001, 'x')}) == "length /question");
  BOOST_TEST(rule_of(world.view(), {.vector = vector_of(1), .record = true}) == "required /question");
  BOOST_TEST(rule_of(world.view(), {.vector = vector_of(1), .question = "What?", .record = true}) == "");
}

BOOST_AUTO_TEST_CASE(only_embeddings_of_the_models_own_are_compared) {
  auto small = chunk("small", "a.pdf", {3, 4});
  small.embedding_model = "small";
  world.commit({small});
  auto const retrieved_with = [&](std::string const& model, std::vector<float> const& vector) -> std::string {
    auto const found = queries::retrieve(world.view(), {.vector = vector, .model = model}, schema::NoInterrupt{});
    if (!found) return found.error().violations.at(0).rule + " " + found.error().violations.at(0).path;
    std::string ids;
    for (auto const& each : *found) ids += each.chunk_id + " ";
    return ids;
  };
  BOOST_TEST(retrieved_with("small", {1, 2}) == "small ");
  BOOST_TEST(retrieved_with("small", {1, 2, 3}) == "dimension /vector");
  BOOST_TEST(retrieved_with("unknown", {1, 2, 3}) == "");
  BOOST_TEST(retrieved({.max_results = 1}) == "a6");
}

BOOST_AUTO_TEST_CASE(models_that_are_not_configured_are_refused) {
  schema::EmbeddingModels const models{.accepted = {{"small", 2}}};
  auto view = world.view();
  view.embeddings = &models;
  BOOST_TEST(rule_of(view, {.vector = {1, 2}}) == "");
  BOOST_TEST(rule_of(view, {.vector = {1, 2, 3}}) == "items /vector");
  BOOST_TEST(rule_of(view, {.vector = vector_of(1), .model = "all-MiniLM-L6-v2"}) == "model_name /model");
}

BOOST_AUTO_TEST_CASE(a_read_records_nothing) {
  queries::RagRetrieveParams const asked{.vector = vector_of(1), .question = "What?", .record = true};
  BOOST_CHECK(queries::rag_retrieve(world.view(), asked, unlimited()).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
