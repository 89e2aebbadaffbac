#pragma once
// The field tables of the retrieval records.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/retrieval/records.hpp"

namespace whence::schema {

inline constexpr Rule score_rule = rules::number(0, 1);
inline constexpr Rule embedding_rule = rules::items(1, limits::embedding_dimension_max);
inline constexpr Rule page_rule = rules::number(0, limits::integer_max);
inline constexpr Rule rank_rule = rules::number(1, limits::int32_max);
inline constexpr Rule question_rule = rules::text(limits::question_min, limits::question_max);

template <>
struct Describe<Document> {
  using T = Document;
  static constexpr auto fields = std::tuple{
      field("document_name", &T::document_name, Presence::required, rules::term(), "Identity."),
      field("title", &T::title, Presence::optional, rules::any(), "For people."),
      field("uri", &T::uri, Presence::optional, rules::any(), "Where it is."),
      field("sha256", &T::sha256, Presence::optional, rules::any(), "64 hex digits: the digest of its bytes."),
      field("timestamp", &T::timestamp, Presence::optional, rules::any(), "When it was made."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<ChunkMetadata> {
  using T = ChunkMetadata;
  static constexpr auto fields = std::tuple{
      field("document_name", &T::document_name, Presence::required, rules::term(), "The document it is part of."),
      field("page_number", &T::page_number, Presence::optional, page_rule, "The page it is on."),
      field("section", &T::section, Presence::optional, rules::any(), "The section it is in."),
      field("chunk_index", &T::chunk_index, Presence::required, page_rule, "Its place in the document."),
  };
};

template <>
struct Describe<RetrievedChunk> {
  using T = RetrievedChunk;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::optional, rules::id(),
            "The query it was retrieved for; without it the record is the chunk itself."),
      field("rank", &T::rank, Presence::optional, rank_rule,
            "Of a retrieval, from 1; the next of its request where left out."),
      field("chunk_id", &T::chunk_id, Presence::required, rules::id(), "Identity."),
      field("content", &T::content, Presence::required, rules::any(), "Its text."),
      field("metadata", &T::metadata, Presence::required, rules::any(), "Its place in its document."),
      field("similarity_score", &T::similarity_score, Presence::optional, score_rule,
            "Of a retrieval, and required there but in capture mode: how close it is to the question."),
      field("embedding", &T::embedding, Presence::optional, embedding_rule,
            "What it is found by, 1 to 8,192 numbers, not all of them 0; may be given once, also later."),
      field("embedding_model", &T::embedding_model, Presence::optional, rules::term(),
            "The model that made the embedding; the server's default one where left out."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<QueryFilters> {
  using T = QueryFilters;
  static constexpr auto fields = std::tuple{
      field("source", &T::source, Presence::optional, rules::any(), "Only chunks of the document of this name."),
      field("max_results", &T::max_results, Presence::optional, rules::number(1, limits::max_results_max),
            "How many chunks at most, 5 where left out."),
  };
};

template <>
struct Describe<Query> {
  using T = Query;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::made, rules::free_id("req_"),
            "Identity of all that belongs to it; `req_`, the date and six characters when the server makes it."),
      field("question", &T::question, Presence::required, question_rule,
            "What was asked; stored without white space around it."),
      field("filters", &T::filters, Presence::optional, rules::any(), "What the retrieval was limited to."),
      field("timestamp", &T::timestamp, Presence::optional, rules::any(), "When it was asked."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<EmbeddingVector> {
  using T = EmbeddingVector;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::required, rules::id(), "The query; must exist."),
      field("vector", &T::vector, Presence::required, embedding_rule, "The question as numbers, not all of them 0."),
      field("model_name", &T::model_name, Presence::required, rules::term(), "The model that made it."),
      field("dimension", &T::dimension, Presence::required, rules::number(1, limits::embedding_dimension_max),
            "How many numbers it has."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<IncludedChunk> {
  using T = IncludedChunk;
  static constexpr auto fields = std::tuple{
      field("chunk_id", &T::chunk_id, Presence::required, rules::id(), "A chunk retrieved for the request."),
      field("content", &T::content, Presence::optional, rules::any(), "Input only: must agree with the chunk's."),
      field("metadata", &T::metadata, Presence::optional, rules::any(), "Input only: must agree with the chunk's."),
      field("similarity_score", &T::similarity_score, Presence::optional, score_rule,
            "Input only: must agree with the retrieval's."),
      field("rank", &T::rank, Presence::optional, rank_rule, "Input only: must agree with the retrieval's."),
  };
};

template <>
struct Describe<PromptContext> {
  using T = PromptContext;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::required, rules::id(), "The query; must exist."),
      field("question", &T::question, Presence::required, rules::any(), "The question as the model saw it."),
      field("retrieved_chunks", &T::retrieved_chunks, Presence::required, rules::any(),
            "The chunks in the prompt, in its order, each once."),
      field("system_prompt", &T::system_prompt, Presence::required, rules::any(),
            "The instructions that the model was given."),
      field("formatted_context", &T::formatted_context, Presence::required, rules::any(),
            "The chunks as the model saw them."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<Citation> {
  using T = Citation;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::optional, rules::id(),
            "Of a record of its own, and required there: the answer it belongs to."),
      field("document_name", &T::document_name, Presence::required, rules::term(), "The document."),
      field("excerpt", &T::excerpt, Presence::required, rules::text(0, limits::excerpt_max), "What it rests on."),
      field("page_number", &T::page_number, Presence::optional, page_rule, "The page."),
      field("section", &T::section, Presence::optional, rules::any(), "The section."),
      field("chunk_id", &T::chunk_id, Presence::optional, rules::id(), "The chunk; found where left out."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

template <>
struct Describe<Answer> {
  using T = Answer;
  static constexpr auto fields = std::tuple{
      field("request_id", &T::request_id, Presence::required, rules::id(), "The query; must exist."),
      field("answer", &T::answer, Presence::optional, rules::any(), "The text; absent where nothing was found."),
      field("citations", &T::citations, Presence::optional, rules::any(),
            "Its sources; read from the text where left out."),
      field("confidence", &T::confidence, Presence::optional, score_rule,
            "Mean similarity of the chunks retrieved, required but in capture mode; too low withholds the text, and "
            "absent where nothing says how similar they are."),
      field("message", &T::message, Presence::optional, rules::any(), "Why there is no text."),
      field("processing_time_ms", &T::processing_time_ms, Presence::optional, rules::number(0, limits::integer_max),
            "How long it took."),
      field("attributes", &T::attributes, Presence::optional, rules::any(), "Free data of the client."),
      field("flags", &T::flags, Presence::copied, flags_rule, flags_doc),
  };
};

}  // namespace whence::schema
