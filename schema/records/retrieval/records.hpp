#pragma once
// Retrieval records: what a retrieval-augmented answer was made from. A request's records share its `request_id`;
// documents and chunks exist before any request. The rules for clients are in schema/records/README.md.

#include "schema/base/digest.hpp"
#include "schema/base/free_json.hpp"
#include "schema/base/time.hpp"
#include "schema/types/flags.hpp"
#include "schema/types/record_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::schema {

/// A source of chunks. Made by itself where a chunk or a citation names one that is not known.
struct Document {
  std::string document_name = {};
  std::optional<std::string> title = {};
  std::optional<std::string> uri = {};
  std::optional<std::string> sha256 = {};  ///< 64 lower-case hex digits, of the document's bytes
  std::optional<Time> timestamp = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::document;
  static constexpr auto id_member = &Document::document_name;
  friend bool operator==(Document const&, Document const&) = default;
};

/// Where in its document a chunk is.
struct ChunkMetadata {
  std::string document_name = {};
  std::optional<std::int64_t> page_number = {};
  std::optional<std::string> section = {};
  std::int64_t chunk_index = 0;

  friend bool operator==(ChunkMetadata const&, ChunkMetadata const&) = default;
};

/// A chunk of a document, or, with `request_id`, that it was retrieved for a request. What is stored as the record is
/// the chunk itself: a retrieval is an edge.
struct RetrievedChunk {
  std::optional<std::string> request_id = {};
  std::optional<std::int64_t> rank = {};  ///< of a retrieval, from 1; the next of its request where left out
  std::string chunk_id = {};
  std::string content = {};
  ChunkMetadata metadata = {};
  std::optional<double> similarity_score = {};       ///< of a retrieval, 0..1; absent where nobody said it
  std::optional<std::vector<float>> embedding = {};  ///< of the chunk; may be given once, also later
  std::optional<std::string> embedding_model = {};   ///< that made the embedding; the default one where left out
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::retrieved_chunk;
  static constexpr auto id_member = &RetrievedChunk::chunk_id;
  friend bool operator==(RetrievedChunk const&, RetrievedChunk const&) = default;
};

/// The limits of a retrieval.
struct QueryFilters {
  std::optional<std::string> source = {};        ///< a document's name
  std::optional<std::int64_t> max_results = {};  ///< 1..10, 5 where left out

  friend bool operator==(QueryFilters const&, QueryFilters const&) = default;
};

/// The id made for a chunk that comes without one: `chunk_` and the first 32 hex digits of HMAC-SHA-256 over the JSON
/// `[document_name, page_number or null, content]`, with the store's key.
[[nodiscard]] std::string chunk_id_of(SecretKey const& key, RetrievedChunk const& chunk);

/// A user's question.
struct Query {
  std::string request_id = {};  ///< empty: the server makes one
  std::string question = {};    ///< stored without white space around it
  std::optional<QueryFilters> filters = {};
  std::optional<Time> timestamp = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::query;
  static constexpr auto id_member = &Query::request_id;
  friend bool operator==(Query const&, Query const&) = default;
};

/// The question as numbers.
struct EmbeddingVector {
  std::string request_id = {};
  std::vector<float> vector = {};
  std::string model_name = {};
  std::int64_t dimension = 0;
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::embedding_vector;
  static constexpr auto id_member = &EmbeddingVector::request_id;
  friend bool operator==(EmbeddingVector const&, EmbeddingVector const&) = default;
};

/// A chunk of a prompt: its id, and on input its other members, which must agree with what is known.
struct IncludedChunk {
  std::string chunk_id = {};
  std::optional<std::string> content = {};      ///< input only
  std::optional<ChunkMetadata> metadata = {};   ///< input only
  std::optional<double> similarity_score = {};  ///< input only
  std::optional<std::int64_t> rank = {};        ///< input only

  friend bool operator==(IncludedChunk const&, IncludedChunk const&) = default;
};

/// The input that the model was given.
struct PromptContext {
  std::string request_id = {};
  std::string question = {};
  std::vector<IncludedChunk> retrieved_chunks = {};  ///< in the order of the prompt, each once
  std::string system_prompt = {};
  std::string formatted_context = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::prompt_context;
  static constexpr auto id_member = &PromptContext::request_id;
  friend bool operator==(PromptContext const&, PromptContext const&) = default;
};

/// A source that an answer names. As a record of its own it comes in the batch of its answer, whose list it joins.
struct Citation {
  std::optional<std::string> request_id = {};  ///< of the record only
  std::string document_name = {};
  std::string excerpt = {};
  std::optional<std::int64_t> page_number = {};
  std::optional<std::string> section = {};
  std::optional<std::string> chunk_id = {};  ///< found where left out
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::citation;
  static constexpr auto id_member = &Citation::request_id;
  friend bool operator==(Citation const&, Citation const&) = default;
};

/// The answer to a request. Without text it says that nothing was found.
struct Answer {
  std::string request_id = {};
  std::optional<std::string> answer = {};
  std::vector<Citation> citations = {};
  std::optional<double> confidence = {};  ///< mean similarity of the chunks retrieved; absent where nobody said one
  std::optional<std::string> message = {};
  std::optional<std::int64_t> processing_time_ms = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::answer;
  static constexpr auto id_member = &Answer::request_id;
  friend bool operator==(Answer const&, Answer const&) = default;
};

}  // namespace whence::schema
