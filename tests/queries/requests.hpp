#pragma once
// Records of retrieval requests for the tests of reads of them.

#include "schema/base/limits.hpp"
#include "schema/records/retrieval/records.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace whence::test {

/// A vector that points along two axes.
inline std::vector<float> vector_of(float first, float second = 0) {
  std::vector<float> numbers(schema::default_embedding_dimension, 0);
  numbers[0] = first;
  numbers[1] = second;
  return numbers;
}

inline schema::Document document(std::string name) {
  return {.document_name = std::move(name)};
}

inline schema::RetrievedChunk chunk(std::string id, std::string document_name, std::vector<float> embedding) {
  return {.chunk_id = id,
          .content = "content of " + id,
          .metadata = {.document_name = std::move(document_name), .page_number = 5, .chunk_index = 0},
          .embedding = std::move(embedding)};
}

/// The retrieval of a chunk for `request_id`.
inline schema::RetrievedChunk retrieval(schema::RetrievedChunk of, std::string request_id, std::int64_t rank,
                                        double similarity) {
  of.request_id = std::move(request_id);
  of.rank = rank;
  of.similarity_score = similarity;
  of.embedding.reset();
  return of;
}

inline schema::Query query(std::string request_id) {
  return {.request_id = std::move(request_id), .question = "Which gloves?"};
}

inline schema::EmbeddingVector embedding(std::string request_id, std::vector<float> numbers) {
  return {.request_id = std::move(request_id),
          .vector = std::move(numbers),
          .model_name = "all-MiniLM-L6-v2",
          .dimension = static_cast<std::int64_t>(schema::default_embedding_dimension)};
}

inline schema::PromptContext prompt(std::string request_id, std::vector<std::string> chunk_ids) {
  schema::PromptContext made{.request_id = std::move(request_id),
                             .question = "Which gloves?",
                             .system_prompt = "Be exact.",
                             .formatted_context = "Context 1 ..."};
  for (auto& id : chunk_ids) made.retrieved_chunks.push_back({.chunk_id = std::move(id)});
  return made;
}

inline schema::Answer answer(std::string request_id, std::string text, std::vector<std::string> cited) {
  schema::Answer made{.request_id = std::move(request_id), .answer = std::move(text), .confidence = 0.75};
  for (auto& id : cited) made.citations.push_back({.document_name = "a.pdf", .excerpt = "content", .chunk_id = id});
  return made;
}

}  // namespace whence::test
