// Members of the answers about retrieval. Optional members are left out, but for `answer` and `message` of an answer.

#include "queries/render/retrieval.hpp"

#include "queries/render/lists.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace whence::queries {
namespace {

using schema::Retrieval;

void write_chunks(Writer& out, std::span<Retrieval const> chunks) {
  out.begin_array();
  for (auto const& chunk : chunks) write_chunk(out, chunk);
  out.end_array();
}

void write_flags(Writer& out, schema::Flags const& flags) {
  if (!flags) return;
  out.key("flags").begin_array();
  for (auto const& each : *flags) out.value(each);
  out.end_array();
}

void write_prompt(Writer& out, RecordedPrompt const& prompt) {
  auto const& record = prompt.record;
  out.begin_object().member("request_id", record.request_id).member("question", record.question);
  write_chunks(out.key("retrieved_chunks"), prompt.chunks);
  out.member("system_prompt", record.system_prompt).member("formatted_context", record.formatted_context);
  if (record.attributes) out.key("attributes").raw(record.attributes->json);
  write_flags(out, record.flags);
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

void write_citation(Writer& out, schema::Citation const& citation) {
  out.begin_object().member("document_name", citation.document_name).member("excerpt", citation.excerpt);
  if (citation.page_number) out.member("page_number", *citation.page_number);
  if (citation.section) out.member("section", *citation.section);
  if (citation.chunk_id) out.member("chunk_id", *citation.chunk_id);
  if (citation.attributes) out.key("attributes").raw(citation.attributes->json);
  write_flags(out, citation.flags);
  out.end_object();
}

void write_text_or_null(Writer& out, std::string_view name, std::optional<std::string> const& text) {
  write_or_null(out, name, text, [&](std::string const& value) { out.value(value); });
}

void write_request(Writer& out, RagRequest const& request) {
  auto const write_plain = [&](auto const& record) { write_without_type(out, schema::Record(record)); };
  out.member("request_id", request.query.request_id).key("query");
  write_plain(request.query);
  write_or_null(out, "embedding", request.embedding, write_plain);
  write_chunks(out.key("retrieved_chunks"), request.retrieved);
  write_or_null(out, "prompt_context", request.prompt,
                [&](RecordedPrompt const& prompt) { write_prompt(out, prompt); });
  write_or_null(out, "answer", request.answer, [&](schema::Answer const& answer) { write_answer(out, answer); });
}

}  // namespace

void write_chunk(Writer& out, Retrieval const& chunk) {
  auto const& metadata = chunk.metadata;
  out.begin_object().member("chunk_id", chunk.chunk_id).member("content", chunk.content);
  out.key("metadata").begin_object().member("document_name", metadata.document_name);
  if (metadata.page_number) out.member("page_number", *metadata.page_number);
  if (metadata.section) out.member("section", *metadata.section);
  out.member("chunk_index", metadata.chunk_index).end_object();
  out.member("similarity_score", chunk.similarity);
  if (chunk.rank != 0) out.member("rank", chunk.rank);
  out.end_object();
}

void write_answer(Writer& out, schema::Answer const& answer) {
  out.begin_object();
  write_text_or_null(out, "answer", answer.answer);
  out.key("citations").begin_array();
  for (auto const& citation : answer.citations) write_citation(out, citation);
  out.end_array().member("confidence", answer.confidence);
  write_text_or_null(out, "message", answer.message);
  out.member("request_id", answer.request_id).member("processing_time_ms", answer.processing_time_ms);
  if (answer.attributes) out.key("attributes").raw(answer.attributes->json);
  write_flags(out, answer.flags);
  out.end_object();
}

PageSource render(View const& /*view*/, RetrievedChunks&& chunks, RagRetrieveParams const& /*params*/) {
  auto const found = std::make_shared<RetrievedChunks const>(std::move(chunks));
  return {.lists = {list_of_each("chunks", found, found->chunks, write_chunk)}};
}

PageSource render(View const& /*view*/, RagRequest&& request, RagGetParams const& /*params*/) {
  auto const found = std::make_shared<RagRequest const>(std::move(request));
  return {.write_members = [found](Writer& out) { write_request(out, *found); }};
}

}  // namespace whence::queries
