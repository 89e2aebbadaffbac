// Checks of retrieval records: chunks and retrievals, embeddings, prompts, answers and their citations.
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/records/check_context.hpp"
#include "schema/records/retrieval/citation.hpp"
#include "schema/records/retrieval/rules.hpp"

#include <algorithm>

namespace whence::schema {
namespace {

void check_vector(std::vector<float> const& numbers, CheckContext const& /*context*/, Path const& at, Report& report) {
  if (numbers.empty() || report.has_within(at)) return;
  if (std::ranges::all_of(numbers, [](float each) { return each == 0; })) {
    report.add(at, "zero_vector", "", "a vector of zeros has no direction");
  }
}

/// The members of a retrieval must be present with a `request_id`, and absent without.
void check_retrieval(RetrievedChunk const& chunk, Path const& root, Report& report) {
  Path const score{root, "similarity_score"};
  if (chunk.request_id) {
    if (!chunk.similarity_score) report.add(score, "required", "", "a retrieval says how similar the chunk is");
    return;
  }
  if (chunk.similarity_score) {
    report.add(score, "request_id", shown(*chunk.similarity_score), "belongs to a retrieval, which has a request_id");
  }
  if (chunk.rank) {
    report.add(Path{root, "rank"}, "request_id", shown(*chunk.rank), "belongs to a retrieval, which has a request_id");
  }
}

}  // namespace

void prepare(Query& query, CheckContext const& /*context*/) {
  query.question = std::string(trim_white_space(query.question));
}

/// Where too little was found, the text is dropped unread.
void prepare(Answer& answer, CheckContext const& context) {
  if (answer.answer && answer.confidence < context.confidence_min) withhold(answer);
  if (!answer.answer && answer.message.value_or("").empty()) answer.message = not_found_message;
}

void check_joined(Document const& document, CheckContext const& /*context*/, Path const& root, Report& report) {
  check_hash(document.sha256, Path{root, "sha256"}, report);
}

void check_joined(RetrievedChunk const& chunk, CheckContext const& context, Path const& root, Report& report) {
  check_retrieval(chunk, root, report);
  if (chunk.embedding) check_vector(*chunk.embedding, context, Path{root, "embedding"}, report);
}

void check_joined(EmbeddingVector const& embedding, CheckContext const& context, Path const& root, Report& report) {
  check_vector(embedding.vector, context, Path{root, "vector"}, report);
  auto const& models = context.embedding_models;
  if (std::ranges::find(models, embedding.model_name) != models.end()) return;
  report.add(Path{root, "model_name"}, "model_name", shown(embedding.model_name), "is no model that is configured");
}

void check_joined(PromptContext const& prompt, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const list{root, "retrieved_chunks"};
  check_distinct(
      prompt.retrieved_chunks, [](IncludedChunk const& chunk) -> std::string_view { return chunk.chunk_id; },
      [&](std::size_t i, std::string_view id) {
        Path const item{list, i};
        report.add(Path{item, "chunk_id"}, "duplicate_chunk", shown(id), "a chunk may be included once");
      });
}

void check_joined(Citation const& citation, CheckContext const& /*context*/, Path const& root, Report& report) {
  if (citation.request_id) return;
  report.add(Path{root, "request_id"}, "required", "", "a citation of its own says whose it is");
}

void check_joined(Answer const& answer, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const list{root, "citations"};
  for (std::size_t i = 0; i < answer.citations.size(); ++i) {
    Path const item{list, i};
    if (!answer.citations[i].request_id) continue;
    report.add(Path{item, "request_id"}, "unknown_field", shown(*answer.citations[i].request_id),
               "is no field here: the answer says it");
  }
  if (!answer.answer && !answer.citations.empty()) {
    report.add(list, "citations", "", "where nothing was found nothing is cited");
  }
}

}  // namespace whence::schema
