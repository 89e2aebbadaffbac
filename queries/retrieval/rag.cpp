// Evaluating rag.get.

#include "queries/retrieval/rag.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/retrieval/retrieval.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/whole.hpp"
#include "schema/records/records.hpp"

#include <map>
#include <string>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::RecordType;

/// The record of a request of one type; nothing where it was not recorded, or is deleted.
Result<std::optional<graph::Said>> find_said(View const& view, RecordType type, std::string const& request_id) {
  auto const vertex = view.snapshot.find(type, request_id);
  if (!vertex) return std::optional<graph::Said>{};
  auto record = read_one(view, *vertex);
  if (!record) return record.error();
  return std::optional(std::move(*record));
}

/// How similar each chunk that was ever retrieved for a query is, as far as somebody said it.
std::map<VertexId, std::optional<double>> similarities_of(Snapshot const& snapshot, VertexId query) {
  std::map<VertexId, std::optional<double>> similarities;
  auto const causes = snapshot.causes_ever(query);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != EdgeType::retrieved_for) continue;
    similarities[causes.vertices[i]] = snapshot.value(causes.edges[i]);
  }
  return similarities;
}

/// The chunks of a prompt, in its order. Deleted ones too: a prompt never changes.
std::vector<VertexId> included_chunks(Snapshot const& snapshot, VertexId prompt) {
  std::map<double, VertexId> by_rank;
  auto const causes = snapshot.causes_ever(prompt);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    bool const is_chunk = snapshot.type(causes.vertices[i]) == RecordType::retrieved_chunk;
    if (is_chunk) by_rank.emplace(snapshot.value(causes.edges[i]).value_or(0), causes.vertices[i]);
  }
  std::vector<VertexId> chunks;
  chunks.reserve(by_rank.size());
  for (auto const& [rank, vertex] : by_rank) chunks.push_back(vertex);
  return chunks;
}

Result<std::optional<RecordedPrompt>> find_prompt(View const& view, std::string const& request_id, VertexId query) {
  auto said = find_said(view, RecordType::prompt_context, request_id);
  if (!said) return said.error();
  if (!*said) return std::optional<RecordedPrompt>{};
  RecordedPrompt prompt{std::move(**said), {}};
  auto const vertex = *view.snapshot.find(RecordType::prompt_context, request_id);
  auto const chunks = included_chunks(view.snapshot, vertex);
  auto const similarities = similarities_of(view.snapshot, query);
  auto const read =
      graph::read_records(view.snapshot, *view.records, chunks, [&](std::size_t i, graph::Said&& said_of) {
        auto const similarity = similarities.find(chunks[i]);
        prompt.chunks.push_back(retrieval_of(view.snapshot, chunks[i], std::move(said_of)));
        if (similarity != similarities.end()) prompt.chunks.back().similarity = similarity->second;
        return true;
      });
  if (!read) return read.error();
  return std::optional(std::move(prompt));
}

}  // namespace

Result<RagRequest> rag_get(View const& view, RagGetParams const& params, Budget const& /*budget*/) {
  auto const& request_id = params.request_id;
  auto const query = resolve(view.snapshot, {RecordType::query, request_id}, "/request_id");
  if (!query) return query.error();
  auto record = read_one(view, *query);
  if (!record) return record.error();
  auto embedding = find_said(view, RecordType::embedding_vector, request_id);
  if (!embedding) return embedding.error();
  auto retrieved = retrievals_of(view, *query);
  if (!retrieved) return retrieved.error();
  auto prompt = find_prompt(view, request_id, *query);
  if (!prompt) return prompt.error();
  auto answer = find_said(view, RecordType::answer, request_id);
  if (!answer) return answer.error();
  return RagRequest{.request_id = request_id,
                    .query = std::move(*record),
                    .embedding = std::move(*embedding),
                    .retrieved = std::move(*retrieved),
                    .prompt = std::move(*prompt),
                    .answer = std::move(*answer)};
}

}  // namespace whence::queries
