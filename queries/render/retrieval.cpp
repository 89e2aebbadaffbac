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

void write_prompt(Writer& out, std::string const& request_id, RecordedPrompt const& prompt) {
  auto const* const said = prompt.record.find();
  out.begin_object().member("request_id", request_id);
  if (said == nullptr) {
    write_gone(out, *prompt.record.gone());
    write_chunks(out.key("retrieved_chunks"), prompt.chunks);
    out.end_object();
    return;
  }
  auto const& record = std::get<schema::PromptContext>(*said);
  out.member("question", record.question);
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

void write_citation(Writer& out, schema::Citation const& citation, Snapshot const* snapshot) {
  out.begin_object().member("document_name", citation.document_name);
  if (snapshot != nullptr && lost_excerpt(citation, *snapshot)) {
    out.member("purged", true);
  } else {
    out.member("excerpt", citation.excerpt);
  }
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

/// Writes a record of a request as `write` does; of one that is gone its request and that.
template <class Write>
void write_said(Writer& out, std::string const& request_id, graph::Said const& said, Write const& write) {
  if (auto const* const record = said.find()) return write(*record);
  out.begin_object().member("request_id", request_id);
  write_gone(out, *said.gone());
  out.end_object();
}

void write_request(Writer& out, RagRequest const& request, Snapshot const& snapshot) {
  auto const& id = request.request_id;
  auto const write_plain = [&](graph::Said const& said) {
    write_said(out, id, said, [&](schema::Record const& record) { write_without_type(out, record); });
  };
  out.member("request_id", id).key("query");
  write_plain(request.query);
  write_or_null(out, "embedding", request.embedding, write_plain);
  write_chunks(out.key("retrieved_chunks"), request.retrieved);
  write_or_null(out, "prompt_context", request.prompt,
                [&](RecordedPrompt const& prompt) { write_prompt(out, id, prompt); });
  write_or_null(out, "answer", request.answer, [&](graph::Said const& said) {
    write_said(out, id, said,
               [&](schema::Record const& record) { write_answer(out, std::get<schema::Answer>(record), &snapshot); });
  });
}

void write_text_and_place(Writer& out, Retrieval const& chunk) {
  auto const& metadata = chunk.metadata;
  out.member("content", chunk.content);
  out.key("metadata").begin_object().member("document_name", metadata.document_name);
  if (metadata.page_number) out.member("page_number", *metadata.page_number);
  if (metadata.section) out.member("section", *metadata.section);
  out.member("chunk_index", metadata.chunk_index).end_object();
}

}  // namespace

void write_chunk(Writer& out, Retrieval const& chunk) {
  out.begin_object().member("chunk_id", chunk.chunk_id);
  if (chunk.is_expired) {
    write_gone(out, chunk.is_purged ? graph::GoneWhy::purged : graph::GoneWhy::expired);
  } else {
    write_text_and_place(out, chunk);
  }
  if (chunk.similarity) out.member("similarity_score", *chunk.similarity);
  if (chunk.rank != 0) out.member("rank", chunk.rank);
  out.end_object();
}

void write_answer(Writer& out, schema::Answer const& answer, Snapshot const* snapshot) {
  out.begin_object();
  write_text_or_null(out, "answer", answer.answer);
  out.key("citations").begin_array();
  for (auto const& citation : answer.citations) write_citation(out, citation, snapshot);
  out.end_array();
  if (answer.confidence) out.member("confidence", *answer.confidence);
  write_text_or_null(out, "message", answer.message);
  out.member("request_id", answer.request_id);
  if (answer.processing_time_ms) out.member("processing_time_ms", *answer.processing_time_ms);
  if (answer.attributes) out.key("attributes").raw(answer.attributes->json);
  write_flags(out, answer.flags);
  out.end_object();
}

PageSource render(View const& /*view*/, RetrievedChunks&& chunks, RagRetrieveParams const& /*params*/) {
  auto const found = std::make_shared<RetrievedChunks const>(std::move(chunks));
  return {.lists = {list_of_each("chunks", found, found->chunks, write_chunk)}};
}

PageSource render(View const& view, RagRequest&& request, RagGetParams const& /*params*/) {
  auto const found = std::make_shared<RagRequest const>(std::move(request));
  return {.write_members = [view, found](Writer& out) { write_request(out, *found, view.snapshot); }};
}

}  // namespace whence::queries
