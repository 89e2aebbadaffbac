// The references of retrieval records as edges.
#include "schema/records/retrieval/rules.hpp"
#include "schema/types/link.hpp"

#include <set>

namespace whence::schema {
namespace {

/// The edge between a record of a request and its query.
Link query_link(EdgeType type, std::string const& request_id, bool owner_is_from) {
  return {type, RecordType::query, request_id, owner_is_from, std::nullopt, {"request_id"}};
}

}  // namespace

std::vector<Link> links(RetrievedChunk const& chunk) {
  std::vector<Link> result{{EdgeType::part_of,
                            RecordType::document,
                            chunk.metadata.document_name,
                            true,
                            std::nullopt,
                            {"metadata", LinkPlace::no_item, "document_name"}}};
  if (!chunk.request_id) return result;
  result.push_back({EdgeType::retrieved_for,
                    RecordType::query,
                    *chunk.request_id,
                    true,
                    chunk.similarity_score,
                    {"request_id"},
                    true,
                    {},
                    static_cast<std::uint32_t>(chunk.rank.value_or(0))});
  return result;
}

std::vector<Link> links(EmbeddingVector const& embedding) {
  return {query_link(EdgeType::embeds, embedding.request_id, true),
          {EdgeType::included_in,
           RecordType::prompt_context,
           embedding.request_id,
           true,
           std::nullopt,
           {"request_id"},
           false}};
}

std::vector<Link> links(PromptContext const& prompt) {
  std::vector<Link> result{query_link(EdgeType::included_in, prompt.request_id, false),
                           {EdgeType::included_in,
                            RecordType::embedding_vector,
                            prompt.request_id,
                            false,
                            std::nullopt,
                            {"request_id"},
                            false}};
  for (std::size_t i = 0; i < prompt.retrieved_chunks.size(); ++i) {
    result.push_back({EdgeType::included_in,
                      RecordType::retrieved_chunk,
                      prompt.retrieved_chunks[i].chunk_id,
                      false,
                      static_cast<double>(i + 1),
                      {"retrieved_chunks", static_cast<std::uint32_t>(i), "chunk_id"},
                      false});  // reported as not retrieved
  }
  return result;
}

std::vector<Link> links(Answer const& answer) {
  std::vector<Link> result{{EdgeType::generated_from,
                            RecordType::prompt_context,
                            answer.request_id,
                            true,
                            std::nullopt,
                            {"request_id"},
                            false}};
  std::set<std::string_view> cited;  // one edge per chunk, however often it is cited
  for (std::size_t i = 0; i < answer.citations.size(); ++i) {
    auto const& chunk = answer.citations[i].chunk_id;
    if (!chunk || !cited.insert(*chunk).second) continue;
    result.push_back({EdgeType::cites,
                      RecordType::retrieved_chunk,
                      *chunk,
                      true,
                      std::nullopt,
                      {"citations", static_cast<std::uint32_t>(i), "chunk_id"},
                      false});  // reported as unsupported
  }
  return result;
}

}  // namespace whence::schema
