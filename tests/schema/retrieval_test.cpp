// Retrieval records: every rule at its bound and one step over it, through the wire form.
#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/retrieval/citation.hpp"
#include "schema/wire/codec.hpp"
#include "tests/schema/json/wire.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

std::string const astral = "\U0001F600";  // one code point of four bytes
std::string const embedding = changed(embedding_without_vector, "/vector", list_of(384, "0.5"));
std::string const chunk_with_embedding = changed(chunk, "/embedding", list_of(384, "-0.25"));
std::string const chunk_of_model = changed(chunk, "/embedding_model", "\"m\"");
std::string const answer_with_message = changed(answer, "/message", "\"m\"");
std::string const answer_without_citations = changed(answer, "/citations", "[]");
std::string const answer_without_text = changed(answer_without_citations, "/answer", "null");

std::vector<Case> const document_cases = {
    {"good", source_document, "/title", "\"\"", ""},
    {"bare", R"({"$type$":"Document","document_name":"notes"})", "/title", "null", ""},
    {"name_missing", source_document, "-/document_name", "", "required /document_name"},
    {"name_empty", source_document, "/document_name", "\"\"", "id /document_name"},
    {"name_blank", source_document, "/document_name", "\" \"", "id /document_name"},
    {"name_255", source_document, "/document_name", quoted(255, astral), ""},
    {"name_256", source_document, "/document_name", quoted(256, astral), "id /document_name"},
    {"name_newline", source_document, "/document_name", R"("a\nb")", "id /document_name"},
    {"name_brackets", source_document, "/document_name", R"("a, [b]/c%")", ""},
    {"uri_any", source_document, "/uri", "\"no scheme\"", ""},
    {"sha256_upper_case", source_document, "/sha256", quoted(64, "A"), "hash /sha256"},
    {"sha256_64", source_document, "/sha256", quoted(64, "a"), ""},
    {"sha256_63", source_document, "/sha256", quoted(63, "a"), "hash /sha256"},
    {"sha256_65", source_document, "/sha256", quoted(65, "a"), "hash /sha256"},
    {"sha256_null", source_document, "/sha256", "null", ""},
    {"time_missing", source_document, "-/timestamp", "", ""},
    {"time_date_only", source_document, "/timestamp", "\"2025-10-09\"", "format /timestamp"},
    {"time_number", source_document, "/timestamp", "1728234567890", "type /timestamp"},
    {"time_after_latest", source_document, "/timestamp", "\"2025-10-09T16:15:05.000000001Z\"", "future /timestamp"},
    {"no_id", source_document, "/id", "\"d\"", "unknown_field /id"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_documents, data::make(document_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const chunk_cases = {
    {"good", chunk, "/content", "\"\"", ""},
    {"id_missing", chunk, "-/chunk_id", "", "required /chunk_id"},
    {"id_256_bytes", chunk, "/chunk_id", quoted(256), "id /chunk_id"},
    {"content_missing", chunk, "-/content", "", "required /content"},
    {"metadata_missing", chunk, "-/metadata", "", "required /metadata"},
    {"metadata_text", chunk, "/metadata", "\"d\"", "type /metadata"},
    {"metadata_unknown", chunk, "/metadata/page", "5", "unknown_field /metadata/page"},
    {"document_missing", chunk, "-/metadata/document_name", "", "required /metadata/document_name"},
    {"document_blank", chunk, "/metadata/document_name", "\"\"", "id /metadata/document_name"},
    {"index_missing", chunk, "-/metadata/chunk_index", "", "required /metadata/chunk_index"},
    {"index_negative", chunk, "/metadata/chunk_index", "-1", "range /metadata/chunk_index"},
    {"page_missing", chunk, "-/metadata/page_number", "", ""},
    {"page_0", chunk, "/metadata/page_number", "0", ""},
    {"page_negative", chunk, "/metadata/page_number", "-1", "range /metadata/page_number"},
    {"page_5.0", chunk, "/metadata/page_number", "5.0", ""},
    {"page_fraction", chunk, "/metadata/page_number", "5.5", "integer /metadata/page_number"},
    {"page_text", chunk, "/metadata/page_number", "\"5\"", "type /metadata/page_number"},
    {"page_2_to_53_less_1", chunk, "/metadata/page_number", "9007199254740991", ""},
    {"page_2_to_53", chunk, "/metadata/page_number", "9007199254740992", "integer /metadata/page_number"},
    {"section_null", chunk, "/metadata/section", "null", ""},
    {"section_empty", chunk, "/metadata/section", "\"\"", ""},
    {"embedding_384", chunk_with_embedding, "/content", "\"x\"", ""},
    {"embedding_383", chunk, "/embedding", list_of(383, "1"), "items /embedding"},
    {"embedding_8192_of_a_model", chunk_of_model, "/embedding", list_of(8192, "1"), ""},
    {"embedding_8193_of_a_model", chunk_of_model, "/embedding", list_of(8193, "1"), "items /embedding"},
    {"embedding_model_empty", chunk_with_embedding, "/embedding_model", "\"\"", "id /embedding_model"},
    {"embedding_model_blank", chunk_with_embedding, "/embedding_model", "\" \"", "id /embedding_model"},
    {"embedding_model_255", chunk_with_embedding, "/embedding_model", quoted(255), ""},
    {"embedding_model_256", chunk_with_embedding, "/embedding_model", quoted(256), "id /embedding_model"},
    {"embedding_model_255_of_two_bytes", chunk_with_embedding, "/embedding_model", quoted(255, "\u00e9"), ""},
    {"embedding_model_256_of_two_bytes", chunk_with_embedding, "/embedding_model", quoted(256, "\u00e9"),
     "id /embedding_model"},
    {"embedding_385", chunk, "/embedding", list_of(385, "1"), "items /embedding"},
    {"embedding_empty", chunk, "/embedding", "[]", "items /embedding"},
    {"embedding_zero", chunk, "/embedding", list_of(384, "0"), "zero_vector /embedding"},
    {"embedding_zero_but_one", chunk_with_embedding, "/embedding/383", "1e-45", ""},
    {"embedding_too_small_for_binary32", chunk, "/embedding", list_of(384, "1e-46"), "zero_vector /embedding"},
    {"embedding_largest", chunk_with_embedding, "/embedding/7", "-3.4028235e38", ""},
    {"embedding_beyond_binary32", chunk_with_embedding, "/embedding/7", "3.4028236e38", "range /embedding/7"},
    {"embedding_text", chunk_with_embedding, "/embedding/7", "\"1\"", "type /embedding/7"},
    {"embedding_null_number", chunk_with_embedding, "/embedding/7", "null", "type /embedding/7"},
    {"similarity_of_no_retrieval", chunk, "/similarity_score", "0.5", "request_id /similarity_score"},
    {"rank_of_no_retrieval", chunk, "/rank", "1", "request_id /rank"},
    {"retrieval", retrieval, "/rank", "1", ""},
    {"request_null", retrieval, "/request_id", "null", "request_id /rank; request_id /similarity_score"},
    {"request_empty", retrieval, "/request_id", "\"\"", "id /request_id"},
    {"similarity_missing", retrieval, "-/similarity_score", "", "required /similarity_score"},
    {"similarity_null", retrieval, "/similarity_score", "null", "required /similarity_score"},
    {"similarity_0", retrieval, "/similarity_score", "0", ""},
    {"similarity_1", retrieval, "/similarity_score", "1.0", ""},
    {"similarity_over", retrieval, "/similarity_score", "1.0000000000000002", "range /similarity_score"},
    {"similarity_under", retrieval, "/similarity_score", "-5e-324", "range /similarity_score"},
    {"similarity_text", retrieval, "/similarity_score", "\"0.5\"", "type /similarity_score"},
    {"rank_missing", retrieval, "-/rank", "", ""},
    {"rank_0", retrieval, "/rank", "0", "range /rank"},
    {"rank_int32_max", retrieval, "/rank", "2147483647", ""},
    {"rank_fraction", retrieval, "/rank", "1.5", "integer /rank"},
    {"retrieval_with_embedding", retrieval, "/embedding", list_of(384, "1"), ""},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_chunks, data::make(chunk_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const query_cases = {
    {"good", query, "/question", "\"why\"", ""},
    {"request_missing_is_made", query, "-/request_id", "", ""},
    {"request_empty", query, "/request_id", "\"\"", "id /request_id"},
    {"request_prefix_alone", query, "/request_id", "\"req_\"", "id /request_id"},
    {"request_needs_no_prefix", query, "/request_id", "\"mine\"", ""},
    {"question_missing", query, "-/question", "", "required /question"},
    {"question_2", query, "/question", "\"wh\"", "length /question"},
    {"question_3_emoji", query, "/question", quoted(3, astral), ""},
    {"question_2_of_many_bytes", query, "/question", quoted(2, astral), "length /question"},
    {"question_2_and_spaces", query, "/question", "\"   wh   \"", "length /question"},
    {"question_2_and_unicode_spaces", query, "/question", R"("\u3000\u0085wh\u001c")", "length /question"},
    {"question_2_and_zero_width", query, "/question", R"("wh\u200b")", ""},
    {"question_blank", query, "/question", "\"      \"", "length /question"},
    {"question_1000", query, "/question", quoted(1000, astral), ""},
    {"question_1001", query, "/question", quoted(1001), "length /question"},
    {"question_1000_and_spaces", query, "/question", "\"  " + quoted(1000).substr(1, 1000) + "\\n\"", ""},
    {"question_number", query, "/question", "123", "type /question"},
    {"filters_missing", query, "-/filters", "", ""},
    {"filters_empty", query, "/filters", "{}", ""},
    {"filters_array", query, "/filters", "[]", "type /filters"},
    {"filters_unknown", query, "/filters/sources", "[]", "unknown_field /filters/sources"},
    {"source_empty", query, "/filters/source", "\"\"", ""},
    {"source_list", query, "/filters/source", "[\"a\"]", "type /filters/source"},
    {"max_results_missing", query, "-/filters/max_results", "", ""},
    {"max_results_0", query, "/filters/max_results", "0", "range /filters/max_results"},
    {"max_results_1", query, "/filters/max_results", "1", ""},
    {"max_results_10", query, "/filters/max_results", "10.0", ""},
    {"max_results_11", query, "/filters/max_results", "11", "range /filters/max_results"},
    {"max_results_fraction", query, "/filters/max_results", "1.5", "integer /filters/max_results"},
    {"time_after_latest", query, "/timestamp", "\"2025-10-09T16:15:06Z\"", "future /timestamp"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_queries, data::make(query_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const embedding_cases = {
    {"good", embedding, "/dimension", "384.0", ""},
    {"request_missing", embedding, "-/request_id", "", "required /request_id"},
    {"vector_missing", embedding, "-/vector", "", "required /vector"},
    {"vector_383", embedding, "/vector", list_of(383, "1"), "items /vector"},
    {"vector_385", embedding, "/vector", list_of(385, "1"), "items /vector"},
    {"vector_zero", embedding, "/vector", list_of(384, "-0.0"), "zero_vector /vector"},
    {"vector_text", embedding, "/vector/0", "\"a\"", "type /vector/0"},
    {"vector_object", embedding, "/vector", "{}", "type /vector"},
    {"dimension_383", embedding, "/dimension", "383", "dimension /dimension"},
    {"dimension_385", embedding, "/dimension", "385", "dimension /dimension"},
    {"dimension_0", embedding, "/dimension", "0", "range /dimension"},
    {"dimension_8193", embedding, "/dimension", "8193", "range /dimension"},
    {"dimension_missing", embedding, "-/dimension", "", "required /dimension"},
    {"model_other", embedding, "/model_name", "\"all-minilm-l6-v2\"", ""},
    {"model_missing", embedding, "-/model_name", "", "required /model_name"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_embeddings, data::make(embedding_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const prompt_cases = {
    {"good", prompt, "/question", "\"\"", ""},
    {"request_missing", prompt, "-/request_id", "", "required /request_id"},
    {"question_missing", prompt, "-/question", "", "required /question"},
    {"system_prompt_empty", prompt, "/system_prompt", "\"\"", ""},
    {"system_prompt_missing", prompt, "-/system_prompt", "", "required /system_prompt"},
    {"formatted_missing", prompt, "-/formatted_context", "", "required /formatted_context"},
    {"chunks_missing", prompt, "-/retrieved_chunks", "", "required /retrieved_chunks"},
    {"chunks_empty", prompt, "/retrieved_chunks", "[]", ""},
    {"chunks_texts", prompt, "/retrieved_chunks", "[\"chunk_5\"]", "type /retrieved_chunks/0"},
    {"chunk_twice", prompt, "/retrieved_chunks/1/chunk_id", "\"chunk_5\"",
     "duplicate_chunk /retrieved_chunks/1/chunk_id"},
    {"chunk_without_id", prompt, "-/retrieved_chunks/1/chunk_id", "", "required /retrieved_chunks/1/chunk_id"},
    {"chunk_as_s4_says", prompt, "/retrieved_chunks/1",
     R"({"chunk_id":"c","content":"x","metadata":{"document_name":"d","chunk_index":0},"similarity_score":0.5})", ""},
    {"chunk_as_retrieved", prompt, "/retrieved_chunks/1", R"({"chunk_id":"c","rank":2,"similarity_score":1})", ""},
    {"chunk_similarity_over", prompt, "/retrieved_chunks/1/similarity_score", "1.5",
     "range /retrieved_chunks/1/similarity_score"},
    {"chunk_rank_0", prompt, "/retrieved_chunks/1/rank", "0", "range /retrieved_chunks/1/rank"},
    {"chunk_metadata_bad", prompt, "/retrieved_chunks/1/metadata", R"({"document_name":"d"})",
     "required /retrieved_chunks/1/metadata/chunk_index"},
    {"chunk_unknown", prompt, "/retrieved_chunks/1/score", "1", "unknown_field /retrieved_chunks/1/score"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_prompts, data::make(prompt_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const answer_cases = {
    {"good", answer, "/message", "null", ""},
    {"message_beside_text", answer, "/message", "\"m\"", ""},
    {"request_missing", answer, "-/request_id", "", "required /request_id"},
    {"text_number", answer, "/answer", "1", "type /answer"},
    {"text_missing_with_citations", answer_with_message, "-/answer", "", "citations /citations"},
    {"text_null_with_citations", answer_with_message, "/answer", "null", "citations /citations"},
    {"text_null_without_message", answer_without_citations, "/answer", "null", "required /message"},
    {"text_null_with_empty_message", answer_without_text, "/message", "\"\"", "required /message"},
    {"text_null_with_message", answer_without_text, "/message", "\"m\"", ""},
    {"citations_missing", answer, "-/citations", "", ""},
    {"citations_empty", answer, "/citations", "[]", ""},
    {"citations_object", answer, "/citations", "{}", "type /citations"},
    {"excerpt_200", answer, "/citations/0/excerpt", quoted(200, astral), ""},
    {"excerpt_201", answer, "/citations/0/excerpt", quoted(201), "length /citations/0/excerpt"},
    {"excerpt_empty", answer, "/citations/0/excerpt", "\"\"", ""},
    {"excerpt_missing", answer, "-/citations/0/excerpt", "", "required /citations/0/excerpt"},
    {"document_missing", answer, "-/citations/0/document_name", "", "required /citations/0/document_name"},
    {"chunk_missing", answer, "-/citations/0/chunk_id", "", ""},
    {"page_negative", answer, "/citations/0/page_number", "-1", "range /citations/0/page_number"},
    {"page_null", answer, "/citations/0/page_number", "null", ""},
    {"request_inside", answer, "/citations/0/request_id", "\"req_1\"", "unknown_field /citations/0/request_id"},
    {"unknown_inside", answer, "/citations/0/quote", "1", "unknown_field /citations/0/quote"},
    {"confidence_missing", answer, "-/confidence", "", "required /confidence"},
    {"confidence_0.5", answer, "/confidence", "0.5", ""},
    {"confidence_below", answer, "/confidence", "0.49999999", ""},
    {"confidence_0", answer, "/confidence", "0", ""},
    {"confidence_1", answer, "/confidence", "1", ""},
    {"confidence_over", answer, "/confidence", "1.0000000000000002", "range /confidence"},
    {"confidence_negative", answer, "/confidence", "-0.1", "range /confidence"},
    {"time_missing", answer, "-/processing_time_ms", "", ""},
    {"time_0", answer, "/processing_time_ms", "0", ""},
    {"time_negative", answer, "/processing_time_ms", "-1", "range /processing_time_ms"},
    {"time_fraction", answer, "/processing_time_ms", "0.5", "integer /processing_time_ms"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_answers, data::make(answer_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const citation_cases = {
    {"good", citation, "/page_number", "5", ""},
    {"request_missing", citation, "-/request_id", "", "required /request_id"},
    {"request_null", citation, "/request_id", "null", "required /request_id"},
    {"request_empty", citation, "/request_id", "\"\"", "id /request_id"},
    {"document_missing", citation, "-/document_name", "", "required /document_name"},
    {"excerpt_200", citation, "/excerpt", quoted(200, astral), ""},
    {"excerpt_201", citation, "/excerpt", quoted(201, astral), "length /excerpt"},
    {"only_what_must_be", R"({"$type$":"Citation","request_id":"r","document_name":"d","excerpt":""})", "/section",
     "null", ""},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_citations, data::make(citation_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

struct RetrievalForm {
  std::string name;
  std::string text;
};
std::ostream& operator<<(std::ostream& out, RetrievalForm const& each) {
  return out << each.name;
}

/// 384 numbers that binary32 holds in few digits.
std::string const numbers = "[0.023,-0.145,0.892," + list_of(381, "0.001").substr(1);

// Records as clients write them, one of each kind.
std::vector<RetrievalForm> const wire_forms = {
    {"document", R"({"$type$": "Document", "document_name": "safety_manual.pdf"})"},
    {"chunk",
     changed(
         R"({"$type$": "RetrievedChunk", "chunk_id": "chunk_safety_manual_p5_0", "content": "All personnel must wear protective eyewear and gloves when handling Class A chemicals...", "metadata": {"document_name": "safety_manual.pdf", "page_number": 5, "section": "Chemical Handling Procedures", "chunk_index": 0}})",
         "/embedding", numbers)},
    {"query",
     R"({"$type$": "Query", "request_id": "req_20260121_abc123", "question": "What are the safety protocols?", "filters": {"source": "safety_manual.pdf", "max_results": 5}})"},
    {"embedding",
     changed(
         R"({"$type$": "EmbeddingVector", "request_id": "req_20260121_abc123", "model_name": "all-MiniLM-L6-v2", "dimension": 384})",
         "/vector", numbers)},
    {"retrieval",
     R"({"$type$": "RetrievedChunk", "request_id": "req_20260121_abc123", "rank": 1, "chunk_id": "chunk_safety_manual_p5_0", "content": "All personnel must wear protective eyewear and gloves when handling Class A chemicals...", "metadata": {"document_name": "safety_manual.pdf", "page_number": 5, "section": "Chemical Handling Procedures", "chunk_index": 0}, "similarity_score": 0.87})"},
    {"prompt",
     R"({"$type$": "PromptContext", "request_id": "req_20260121_abc123", "question": "What are the safety protocols?", "retrieved_chunks": [{"chunk_id": "chunk_safety_manual_p5_0"}], "system_prompt": "Answer based ONLY on …", "formatted_context": "Context 1 [safety_manual.pdf, p.5]: All personnel …"})"},
    {"answer",
     R"({"$type$": "Answer", "request_id": "req_20260121_abc123", "answer": "… [safety_manual.pdf, page 5].", "citations": [{"document_name": "safety_manual.pdf", "excerpt": "All personnel must wear protective eyewear and gloves when handling Class A chemicals...", "page_number": 5, "section": "Chemical Handling Procedures", "chunk_id": "chunk_safety_manual_p5_0"}], "confidence": 0.87, "message": null, "processing_time_ms": 3420})"},
};
BOOST_DATA_TEST_CASE(gives_the_wire_forms_of_answers_back, data::make(wire_forms), each) {
  auto const incoming = validate(each.text);
  BOOST_TEST_REQUIRE(verdict(each.text) == "");
  BOOST_TEST(without_nulls(json::to_text(incoming.record)) == without_nulls(each.text));
  auto stored = incoming.record;
  if (auto* const retrieved = std::get_if<RetrievedChunk>(&stored)) {
    retrieved->request_id.reset();  // what only the graph keeps
    retrieved->rank.reset();
    retrieved->similarity_score.reset();
  }
  BOOST_TEST((stored_and_read(incoming.record) == stored));
}

BOOST_AUTO_TEST_CASE(keeps_questions_without_white_space_around_them) {
  auto const record = validate(changed(query, "/question", R"("\u2003 \u001f What\u00a0to  wear? \u0085\n")")).record;
  BOOST_TEST(std::get<Query>(record).question == "What\u00a0to  wear?");
}

BOOST_AUTO_TEST_CASE(takes_further_models_where_they_are_configured) {
  EmbeddingModels const models{.accepted = {{"all-MiniLM-L6-v2", 384}, {"other", 384}, {"small", 383}}};
  auto const rules_of = [&](std::string_view model) {
    auto incoming = validate(changed(embedding, "/model_name", "\"" + std::string(model) + "\""));
    BOOST_TEST(incoming.violations.empty());
    check(incoming, {.latest_time = latest, .embeddings = models});
    std::string rules;
    for (auto const& each : incoming.violations) rules += std::string(each.rule) + " " + each.path + ";";
    return rules;
  };
  BOOST_TEST(rules_of("other") == "");
  BOOST_TEST(rules_of("unknown") == "model_name /model_name;");
  BOOST_TEST(rules_of("small") == "items /vector;");
}

BOOST_AUTO_TEST_CASE(embeddings_that_name_no_model_are_of_the_default_one) {
  EmbeddingModels models{};
  BOOST_TEST(models.default_model() == "all-MiniLM-L6-v2");
  BOOST_TEST(!find_fault(models, "any", 1));
  BOOST_TEST(!find_fault(models, "any", 8192));
  BOOST_TEST((find_fault(models, "all-MiniLM-L6-v2", 383)->rule == "items"));
  RetrievedChunk chunk{.chunk_id = "c", .content = "text", .metadata = {"d"}, .embedding = std::vector<float>(384, 1)};
  IncomingRecord unnamed{.record = chunk};
  check(unnamed, {.latest_time = latest, .embeddings = models});
  BOOST_TEST((unnamed.violations.empty() && std::get<RetrievedChunk>(unnamed.record) == chunk));
  models.accepted = {{"first", 384}, {"second", 3}};
  IncomingRecord named{.record = chunk};
  check(named, {.latest_time = latest, .embeddings = models});
  BOOST_TEST(named.violations.empty());
  BOOST_TEST(std::get<RetrievedChunk>(named.record).embedding_model.value() == "first");
}

Answer validated_answer(std::string_view path, std::string_view value, std::string_view base = answer) {
  return std::get<Answer>(validate(changed(base, path, value)).record);
}

BOOST_AUTO_TEST_CASE(keeps_text_whatever_confidence_a_client_gives) {
  auto const kept = validated_answer("/confidence", "0");
  BOOST_TEST(kept.answer.has_value());
  BOOST_TEST(!kept.message.has_value());
}

BOOST_AUTO_TEST_CASE(folds_a_later_embedding_into_a_chunk_and_nothing_else) {
  Record whole = RetrievedChunk{.content = "x", .metadata = {.document_name = "d"}};
  fold(whole, RetrievedChunk{.embedding = std::vector{0.5F}});
  fold(whole, RetrievedChunk{});
  BOOST_TEST((whole == Record{RetrievedChunk{
                           .content = "x", .metadata = {.document_name = "d"}, .embedding = std::vector{0.5F}}}));
}

}  // namespace
}  // namespace whence::schema::test
