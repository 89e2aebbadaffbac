// rag.get: everything recorded for a request.

#include "graph/snapshot/records.hpp"
#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"
#include "queries/retrieval/retrieval.hpp"
#include "schema/records/records.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::PromptContext;
using schema::RecordType;
using schema::Retrieval;
using schema::RetrievedChunk;

/// A prompt with its chunks as they were when it was made.
struct Prompt {
  PromptContext record;
  std::vector<Retrieval> chunks;
};

/// What is answered.
struct Request {
  schema::Record query;
  std::optional<schema::Record> embedding;
  std::vector<Retrieval> retrieved;
  std::optional<Prompt> prompt;
  std::optional<schema::Answer> answer;
};

/// The record of a request of one type; nothing where it was not recorded, or is deleted.
Result<std::optional<schema::Record>> find_record(View const& view, RecordType type, std::string const& request_id) {
  auto const vertex = view.snapshot.find(type, request_id);
  if (!vertex) return std::optional<schema::Record>{};
  auto record = read_one(view, *vertex);
  if (!record) return record.error();
  return std::optional(std::move(*record));
}

/// How similar each chunk that was ever retrieved for a query is.
std::map<VertexId, double> similarities_of(Snapshot const& snapshot, VertexId query) {
  std::map<VertexId, double> similarities;
  auto const causes = snapshot.causes_ever(query);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (snapshot.type(causes.edges[i]) != EdgeType::retrieved_for) continue;
    similarities[causes.vertices[i]] = snapshot.value(causes.edges[i]).value_or(0);
  }
  return similarities;
}

/// The chunks that stand in a prompt, in its order. Deleted ones too: what a prompt says never changes.
std::vector<VertexId> included_chunks(Snapshot const& snapshot, VertexId prompt) {
  std::map<double, VertexId> by_rank;
  auto const causes = snapshot.causes_ever(prompt);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    bool const is_chunk = snapshot.type(causes.vertices[i]) == RecordType::retrieved_chunk;
    if (is_chunk) by_rank.emplace(snapshot.value(causes.edges[i]).value_or(0), causes.vertices[i]);
  }
  std::vector<VertexId> chunks;
  for (auto const& [rank, vertex] : by_rank) chunks.push_back(vertex);
  return chunks;
}

Result<std::optional<Prompt>> find_prompt(View const& view, std::string const& request_id, VertexId query) {
  auto record = find_record(view, RecordType::prompt_context, request_id);
  if (!record) return record.error();
  if (!*record) return std::optional<Prompt>{};
  Prompt prompt{std::get<PromptContext>(std::move(**record)), {}};
  auto const vertex = *view.snapshot.find(RecordType::prompt_context, request_id);
  auto const chunks = included_chunks(view.snapshot, vertex);
  auto const similarities = similarities_of(view.snapshot, query);
  auto const read =
      graph::read_records(view.snapshot, *view.records, chunks, [&](std::size_t i, schema::Record&& each) {
        auto& chunk = std::get<RetrievedChunk>(each);
        auto const similarity = similarities.find(chunks[i]);
        prompt.chunks.push_back({std::move(chunk.chunk_id), std::move(chunk.content), std::move(chunk.metadata),
                                 similarity == similarities.end() ? 0 : similarity->second, 0});
        return true;
      });
  if (!read) return read.error();
  return std::optional(std::move(prompt));
}

Result<Request> load_request(View const& view, std::string const& request_id) {
  auto const query = resolve(view.snapshot, {RecordType::query, request_id}, "/request_id");
  if (!query) return query.error();
  auto record = read_one(view, *query);
  if (!record) return record.error();
  auto embedding = find_record(view, RecordType::embedding_vector, request_id);
  if (!embedding) return embedding.error();
  auto retrieved = retrievals_of(view, *query);
  if (!retrieved) return retrieved.error();
  auto prompt = find_prompt(view, request_id, *query);
  if (!prompt) return prompt.error();
  auto answer = find_record(view, RecordType::answer, request_id);
  if (!answer) return answer.error();
  Request request{std::move(*record), std::move(*embedding), std::move(*retrieved), std::move(*prompt), {}};
  if (*answer) request.answer = std::get<schema::Answer>(std::move(**answer));
  return request;
}

void write_chunks(Writer& out, std::span<Retrieval const> chunks) {
  out.begin_array();
  for (auto const& chunk : chunks) write_chunk(out, chunk);
  out.end_array();
}

void write_prompt(Writer& out, Prompt const& prompt) {
  auto const& record = prompt.record;
  out.begin_object().member("request_id", record.request_id).member("question", record.question);
  write_chunks(out.key("retrieved_chunks"), prompt.chunks);
  out.member("system_prompt", record.system_prompt).member("formatted_context", record.formatted_context);
  if (record.attributes) out.key("attributes").raw(record.attributes->json);
  out.end_object();
}

/// Writes what there is as `write` does, else null.
template <class Part, class Write>
void write_or_null(Writer& out, std::string_view name, std::optional<Part> const& part, Write const& write) {
  out.key(name);
  if (part) {
    write(*part);
  } else {
    out.null();
  }
}

void write_request(Writer& out, Request const& request) {
  auto const write_plain = [&](schema::Record const& record) { write_without_type(out, record); };
  out.member("request_id", schema::node_id_of(request.query)).key("query");
  write_plain(request.query);
  write_or_null(out, "embedding", request.embedding, write_plain);
  write_chunks(out.key("retrieved_chunks"), request.retrieved);
  write_or_null(out, "prompt_context", request.prompt, [&](Prompt const& prompt) { write_prompt(out, prompt); });
  write_or_null(out, "answer", request.answer, [&](schema::Answer const& answer) { write_answer(out, answer); });
}

void write_citation(Writer& out, schema::Citation const& citation) {
  out.begin_object().member("document_name", citation.document_name).member("excerpt", citation.excerpt);
  if (citation.page_number) out.member("page_number", *citation.page_number);
  if (citation.section) out.member("section", *citation.section);
  if (citation.chunk_id) out.member("chunk_id", *citation.chunk_id);
  if (citation.attributes) out.key("attributes").raw(citation.attributes->json);
  out.end_object();
}

void write_text_or_null(Writer& out, std::string_view name, std::optional<std::string> const& text) {
  write_or_null(out, name, text, [&](std::string const& value) { out.value(value); });
}

}  // namespace

void write_answer(Writer& out, schema::Answer const& answer) {
  out.begin_object();
  write_text_or_null(out, "answer", answer.answer);
  out.key("citations").begin_array();
  for (auto const& citation : answer.citations) write_citation(out, citation);
  out.end_array().member("confidence", answer.confidence);
  write_text_or_null(out, "message", answer.message);
  out.member("request_id", answer.request_id).member("processing_time_ms", answer.processing_time_ms);
  if (answer.attributes) out.key("attributes").raw(answer.attributes->json);
  out.end_object();
}

Result<PageSource> rag_get(View const& view, RagGetParams const& params, Budget const& /*budget*/) {
  auto request = load_request(view, params.request_id);
  if (!request) return request.error();
  auto const shared = std::make_shared<Request const>(std::move(*request));
  PageSource answer;
  answer.write_members = [shared](Writer& out) { write_request(out, *shared); };
  return answer;
}

}  // namespace whence::queries
