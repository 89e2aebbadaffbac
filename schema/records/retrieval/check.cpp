// Checks of retrieval records: chunks and retrievals, embeddings, prompts, answers and their citations.
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/retrieval/citation.hpp"
#include "schema/records/retrieval/rules.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace whence::schema {
namespace {

/// Where the parts of an embedding are.
struct EmbeddingPlaces {
  Path vector;
  Path model;
};

void check_embedding(std::vector<float> const& numbers, std::string_view model, CheckContext const& context,
                     EmbeddingPlaces const& at, Report& report) {
  auto const fault = find_fault(context.embeddings, model, numbers.size());
  if (fault && fault->is_about_model) report.add(at.model, fault->rule, shown(model), fault->message);
  if (numbers.empty() || report.has_within(at.vector)) return;
  if (fault && !fault->is_about_model) report.add(at.vector, fault->rule, shown(numbers.size()), fault->message);
  if (std::ranges::all_of(numbers, [](float each) { return each == 0; })) {
    report.add(at.vector, "zero_vector", "", "a vector of zeros has no direction");
  }
}

/// The members of a retrieval must be present with a `request_id`, and absent without. What was captured may be known
/// without its similarity.
void check_retrieval(RetrievedChunk const& chunk, Mode mode, Path const& root, Report& report) {
  Path const score{root, "similarity_score"};
  if (chunk.request_id) {
    bool const is_missing = !chunk.similarity_score && mode != Mode::capture;
    if (is_missing) report.add(score, "required", "", "a retrieval says how similar the chunk is");
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

/// A new embedding that names no model is of the default one. Its record says which, unless a stored one without a name
/// is of that model anyway. Capture mode takes a chunk without an id.
void prepare(RetrievedChunk& chunk, CheckContext const& context) {
  if (context.mode == Mode::capture && chunk.chunk_id.empty()) chunk.chunk_id = chunk_id_of(context.id_key, chunk);
  auto const& models = context.embeddings;
  if (!chunk.embedding || chunk.embedding_model || models.default_model() == models.unnamed) return;
  chunk.embedding_model = models.default_model();
}

void check_joined(Document const& document, CheckContext const& /*context*/, Path const& root, Report& report) {
  check_hash(document.sha256, Path{root, "sha256"}, report);
}

void check_joined(RetrievedChunk const& chunk, CheckContext const& context, Path const& root, Report& report) {
  check_retrieval(chunk, context.mode, root, report);
  if (!chunk.embedding || report.has(Path{root, "embedding_model"})) return;
  check_embedding(*chunk.embedding, chunk.embedding_model ? *chunk.embedding_model : context.embeddings.unnamed,
                  context, {Path{root, "embedding"}, Path{root, "embedding_model"}}, report);
}

void check_joined(EmbeddingVector const& embedding, CheckContext const& context, Path const& root, Report& report) {
  Path const dimension{root, "dimension"};
  if (!report.has(Path{root, "model_name"})) {
    check_embedding(embedding.vector, embedding.model_name, context, {Path{root, "vector"}, Path{root, "model_name"}},
                    report);
  }
  if (report.has(dimension) || report.has_within(Path{root, "vector"})) return;
  if (std::cmp_equal(embedding.dimension, embedding.vector.size())) return;
  report.add(dimension, "dimension", shown(embedding.dimension),
             "the vector has " + std::to_string(embedding.vector.size()) + " numbers");
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

void check_joined(Answer const& answer, CheckContext const& context, Path const& root, Report& report) {
  Path const list{root, "citations"};
  Path const confidence{root, "confidence"};
  bool const is_missing = !answer.confidence && context.mode != Mode::capture && !report.has(confidence);
  if (is_missing) report.add(confidence, "required", "", "an answer says how similar to its question its sources are");
  for (std::size_t i = 0; i < answer.citations.size(); ++i) {
    Path const item{list, i};
    if (!answer.citations[i].request_id) continue;
    report.add(Path{item, "request_id"}, "unknown_field", shown(*answer.citations[i].request_id),
               "is no field here: the answer says it");
  }
  if (!answer.answer && answer.message.value_or("").empty()) {
    report.add(Path{root, "message"}, "required", "", "an answer without text says why");
  }
  if (!answer.answer && !answer.citations.empty()) {
    report.add(list, "citations", "", "where nothing was found nothing is cited");
  }
}

}  // namespace whence::schema
