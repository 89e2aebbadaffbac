// Members of retrieval records, one by one.
#include "schema/stored/retrieval.hpp"

#include "schema/stored/record_parts.hpp"

namespace whence::schema::stored {
namespace {

template <class Builder>
void fill_optional_time(Builder out, std::optional<Time> time) {
  if (!time) return;
  fill_time(out, *time);
  out.setHasTimestamp(true);
}

template <class Reader>
std::optional<Time> read_optional_time(Reader in) {
  return in.getHasTimestamp() ? std::optional{read_timestamp(in)} : std::nullopt;
}

template <class Builder>
void fill_page(Builder out, std::optional<std::int64_t> page) {
  if (!page) return;
  out.setPageNumber(*page);
  out.setHasPageNumber(true);
}

template <class Reader>
std::optional<std::int64_t> read_page(Reader in) {
  return in.getHasPageNumber() ? std::optional{read_count(in.getPageNumber())} : std::nullopt;
}

template <class Builder>
void fill_floats(Builder list, std::vector<float> const& numbers) {
  for (std::uint32_t i = 0; i < list.size(); ++i) list.set(i, numbers[i] + 0.0F);  // -0 as 0
}

template <class Reader>
std::vector<float> read_floats(Reader list) {
  std::vector<float> numbers;
  numbers.reserve(list.size());
  for (float const each : list) {
    require(std::isfinite(each), "a number is not finite");
    numbers.push_back(each);
  }
  return numbers;
}

void fill_place(wire::Place::Builder out, ChunkMetadata const& metadata) {
  out.setDocumentName(text(metadata.document_name));
  fill_page(out, metadata.page_number);
  if (metadata.section) out.setSection(text(*metadata.section));
  out.setChunkIndex(metadata.chunk_index);
}

ChunkMetadata read_place(wire::Place::Reader in) {
  require(in.getDocumentName().size() > 0, "a place without a document");  // `fill` writes none for those
  return {.document_name = read_text(in.getDocumentName()),
          .page_number = read_page(in),
          .section = read_text(in.hasSection(), in.getSection()),
          .chunk_index = read_count(in.getChunkIndex())};
}

Citation read_citation(wire::Citation::Reader in) {
  return {.document_name = read_text(in.getDocumentName()),
          .excerpt = read_text(in.getExcerpt()),
          .page_number = read_page(in),
          .section = read_text(in.hasSection(), in.getSection()),
          .chunk_id = read_text(in.hasChunkId(), in.getChunkId()),
          .attributes = read_attributes(in),
          .flags = read_flags(in)};
}

}  // namespace

void fill(wire::Document::Builder out, Document const& document) {
  if (document.title) out.setTitle(text(*document.title));
  if (document.uri) out.setUri(text(*document.uri));
  if (document.sha256) out.setSha256(text(*document.sha256));
  fill_optional_time(out, document.timestamp);
  fill_attributes(out, document.attributes);
  fill_flags(out, document.flags);
}

void fill(wire::RetrievedChunk::Builder out, RetrievedChunk const& chunk) {
  out.setContent(text(chunk.content));
  if (!chunk.metadata.document_name.empty()) fill_place(out.initMetadata(), chunk.metadata);
  if (chunk.embedding) {
    fill_floats(out.initEmbedding(static_cast<unsigned>(chunk.embedding->size())), *chunk.embedding);
  }
  if (chunk.embedding_model) out.setEmbeddingModel(text(*chunk.embedding_model));
  fill_attributes(out, chunk.attributes);
  fill_flags(out, chunk.flags);
}

void fill(wire::Query::Builder out, Query const& query) {
  out.setQuestion(text(query.question));
  if (query.filters) {
    out.setHasFilters(true);
    if (query.filters->source) out.setSource(text(*query.filters->source));
    out.setMaxResults(query.filters->max_results.value_or(0));
  }
  fill_optional_time(out, query.timestamp);
  fill_attributes(out, query.attributes);
  fill_flags(out, query.flags);
}

void fill(wire::EmbeddingVector::Builder out, EmbeddingVector const& embedding) {
  fill_floats(out.initVector(static_cast<unsigned>(embedding.vector.size())), embedding.vector);
  out.setModelName(text(embedding.model_name));
  fill_attributes(out, embedding.attributes);
  fill_flags(out, embedding.flags);
}

void fill(wire::PromptContext::Builder out, PromptContext const& prompt) {
  out.setQuestion(text(prompt.question));
  auto chunks = out.initChunks(static_cast<unsigned>(prompt.retrieved_chunks.size()));
  for (std::uint32_t i = 0; i < chunks.size(); ++i) chunks.set(i, text(prompt.retrieved_chunks[i].chunk_id));
  out.setSystemPrompt(text(prompt.system_prompt));
  out.setFormattedContext(text(prompt.formatted_context));
  fill_attributes(out, prompt.attributes);
  fill_flags(out, prompt.flags);
}

void fill(wire::Citation::Builder out, Citation const& citation) {
  out.setDocumentName(text(citation.document_name));
  out.setExcerpt(text(citation.excerpt));
  fill_page(out, citation.page_number);
  if (citation.section) out.setSection(text(*citation.section));
  if (citation.chunk_id) out.setChunkId(text(*citation.chunk_id));
  fill_attributes(out, citation.attributes);
  fill_flags(out, citation.flags);
}

void fill(wire::Answer::Builder out, Answer const& answer) {
  if (answer.answer) out.setAnswer(text(*answer.answer));
  auto citations = out.initCitations(static_cast<unsigned>(answer.citations.size()));
  for (std::uint32_t i = 0; i < citations.size(); ++i) fill(citations[i], answer.citations[i]);
  out.setConfidence(canonical(answer.confidence.value_or(-1)));
  if (answer.message) out.setMessage(text(*answer.message));
  if (answer.processing_time_ms) {
    out.setProcessingTimeMs(*answer.processing_time_ms);
    out.setHasProcessingTime(true);
  }
  fill_attributes(out, answer.attributes);
  fill_flags(out, answer.flags);
}

void fill_whole(wire::Whole::Builder out, RetrievedChunk const& chunk) {
  out.setRank(chunk.rank.value_or(0));
  out.setSimilarity(canonical(chunk.similarity_score.value_or(-1)));
  if (chunk.request_id) out.setRequestId(text(*chunk.request_id));
}

void fill_whole(wire::Whole::Builder out, PromptContext const& prompt) {
  auto list = out.initIncluded(static_cast<unsigned>(prompt.retrieved_chunks.size()));
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    IncludedChunk const& chunk = prompt.retrieved_chunks[i];
    if (chunk.content) list[i].setContent(text(*chunk.content));
    if (chunk.metadata) fill_place(list[i].initPlace(), *chunk.metadata);
    list[i].setSimilarity(canonical(chunk.similarity_score.value_or(0)));
    list[i].setRank(chunk.rank.value_or(0));
  }
}

void read(wire::Document::Reader in, Document& document) {
  document.title = read_text(in.hasTitle(), in.getTitle());
  document.uri = read_text(in.hasUri(), in.getUri());
  document.sha256 = read_text(in.hasSha256(), in.getSha256());
  document.timestamp = read_optional_time(in);
  document.attributes = read_attributes(in);
  document.flags = read_flags(in);
}

void read(wire::RetrievedChunk::Reader in, RetrievedChunk& chunk) {
  chunk.content = read_text(in.getContent());
  if (in.hasMetadata()) chunk.metadata = read_place(in.getMetadata());
  if (in.hasEmbedding()) chunk.embedding = read_floats(in.getEmbedding());
  chunk.embedding_model = read_text(in.hasEmbeddingModel(), in.getEmbeddingModel());
  chunk.attributes = read_attributes(in);
  chunk.flags = read_flags(in);
}

void read(wire::Query::Reader in, Query& query) {
  query.question = read_text(in.getQuestion());
  if (in.getHasFilters()) {
    auto& filters = query.filters.emplace();
    filters.source = read_text(in.hasSource(), in.getSource());
    if (in.getMaxResults() != 0) filters.max_results = read_count(in.getMaxResults());
  }
  query.timestamp = read_optional_time(in);
  query.attributes = read_attributes(in);
  query.flags = read_flags(in);
}

void read(wire::EmbeddingVector::Reader in, EmbeddingVector& embedding) {
  embedding.vector = read_floats(in.getVector());
  embedding.model_name = read_text(in.getModelName());
  embedding.dimension = static_cast<std::int64_t>(embedding.vector.size());
  embedding.attributes = read_attributes(in);
  embedding.flags = read_flags(in);
}

void read(wire::PromptContext::Reader in, PromptContext& prompt) {
  prompt.question = read_text(in.getQuestion());
  for (auto const id : in.getChunks()) prompt.retrieved_chunks.push_back({.chunk_id = read_text(id)});
  prompt.system_prompt = read_text(in.getSystemPrompt());
  prompt.formatted_context = read_text(in.getFormattedContext());
  prompt.attributes = read_attributes(in);
  prompt.flags = read_flags(in);
}

void read(wire::Answer::Reader in, Answer& answer) {
  answer.answer = read_text(in.hasAnswer(), in.getAnswer());
  for (auto const citation : in.getCitations()) answer.citations.push_back(read_citation(citation));
  if (auto const confidence = read_number(in.getConfidence()); confidence >= 0) answer.confidence = confidence;
  answer.message = read_text(in.hasMessage(), in.getMessage());
  auto const took = read_count(in.getProcessingTimeMs());
  if (in.getHasProcessingTime() || took != 0) answer.processing_time_ms = took;
  answer.attributes = read_attributes(in);
  answer.flags = read_flags(in);
}

}  // namespace whence::schema::stored
