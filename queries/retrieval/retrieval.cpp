// Evaluating rag.retrieve, and what it has in common with rag.get.

#include "queries/retrieval/retrieval.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::RecordType;
using schema::Retrieval;
using schema::RetrievedChunk;

/// A chunk and how it was found.
struct FoundChunk {
  VertexId vertex;
  std::optional<double> similarity;
  std::uint32_t rank;
};

Result<std::vector<Retrieval>> read_chunks(View const& view, std::span<FoundChunk const> found) {
  std::vector<VertexId> vertices;
  for (auto const& each : found) vertices.push_back(each.vertex);
  std::vector<Retrieval> retrievals;
  auto const read = graph::read_records(view.snapshot, *view.records, vertices, [&](std::size_t i, graph::Said&& said) {
    retrievals.push_back(retrieval_of(view.snapshot, vertices[i], std::move(said)));
    retrievals.back().similarity = found[i].similarity;
    retrievals.back().rank = found[i].rank;
    return true;
  });
  if (!read) return read.error();
  return retrievals;
}

schema::EmbeddingModels const& models_of(View const& view) {
  static schema::EmbeddingModels const any;
  return view.embeddings != nullptr ? *view.embeddings : any;
}

/// The chunks of the document of a name; none where there is no such document.
Result<std::vector<VertexId>> chunks_of(Snapshot const& snapshot, std::string const& document_name,
                                        schema::Interrupt const& interrupt) {
  std::vector<VertexId> chunks;
  auto const document = snapshot.find(RecordType::document, document_name);
  if (!document) return chunks;
  schema::Poll poll{interrupt};
  auto const effects = snapshot.effects(*document);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (snapshot.type(effects.edges[i]) == EdgeType::part_of) chunks.push_back(effects.vertices[i]);
    if (poll.must_stop()) return poll.error();
  }
  return chunks;
}

/// A model may have embeddings of several dimensions, but a vector of another one has nothing to be compared with.
Result<void> check_dimension(View const& view, std::string const& model, std::size_t dimension) {
  auto const known = view.vectors->dimensions(view.snapshot, model);
  if (known.empty() || std::ranges::find(known, dimension) != known.end()) return {};
  std::string numbers;
  for (auto const each : known) numbers.append(numbers.empty() ? "" : ", ").append(std::to_string(each));
  return error_from(invalid_param("dimension", "/vector", schema::shown(dimension),
                                  "the embeddings of " + model + " have " + numbers + " numbers"));
}

Result<std::vector<graph::Match>> nearest(View const& view, RagRetrieveParams const& params,
                                          schema::Interrupt const& interrupt) {
  if (view.vectors == nullptr) return std::vector<graph::Match>{};
  auto const model = model_of(view, params);
  if (auto const checked = check_dimension(view, model, params.vector.size()); !checked) return checked.error();
  auto const filters = params.filters.value_or(schema::QueryFilters{});
  auto const count = static_cast<std::size_t>(filters.max_results.value_or(schema::limits::max_results_default));
  graph::Nearest asked{.snapshot = view.snapshot, .vector = params.vector, .count = count, .model = model};
  if (!filters.source) return view.vectors->nearest(asked, interrupt);
  auto const chunks = chunks_of(view.snapshot, *filters.source, interrupt);
  if (!chunks) return chunks.error();
  asked.among = *chunks;
  return view.vectors->nearest(asked, interrupt);
}

std::optional<Violation> question_violation(RagRetrieveParams const& params) {
  std::string const at = "/question";
  if (!params.question) {
    if (!params.record) return std::nullopt;
    return invalid_param("required", at, "", "what is recorded needs its question");
  }
  auto const length = schema::code_points(schema::trim_white_space(*params.question));
  if (length >= schema::limits::question_min && length <= schema::limits::question_max) return std::nullopt;
  return invalid_param("length", at, schema::shown(*params.question),
                       "must have " + std::to_string(schema::limits::question_min) + " to " +
                           std::to_string(schema::limits::question_max) + " characters without white space around it");
}

}  // namespace

std::string model_of(View const& view, RagRetrieveParams const& params) {
  return params.model.value_or(std::string(models_of(view).default_model()));
}

Result<void> check_retrieve(View const& view, RagRetrieveParams const& params) {
  std::vector<Violation> violations;
  auto const model = model_of(view, params);
  if (auto const fault = find_fault(models_of(view), model, params.vector.size())) {
    violations.push_back(
        fault->is_about_model
            ? invalid_param(fault->rule, "/model", schema::shown(model), fault->message)
            : invalid_param(fault->rule, "/vector", schema::shown(params.vector.size()), fault->message));
  }
  if (std::ranges::all_of(params.vector, [](float each) { return each == 0; })) {
    violations.push_back(invalid_param("zero_vector", "/vector", "", "a vector of zeros has no direction"));
  }
  if (auto violation = question_violation(params)) violations.push_back(*std::move(violation));
  if (!violations.empty()) return error_from(std::move(violations));
  return {};
}

Result<std::vector<Retrieval>> retrieve(View const& view, RagRetrieveParams const& params,
                                        schema::Interrupt const& interrupt) {
  auto const matches = nearest(view, params, interrupt);
  if (!matches) return matches.error();
  std::vector<FoundChunk> found;
  for (auto const& match : *matches) {
    found.push_back({match.vertex, match.similarity, static_cast<std::uint32_t>(found.size() + 1)});
  }
  auto chunks = read_chunks(view, found);
  if (chunks) std::erase_if(*chunks, [](Retrieval const& each) { return each.is_expired; });  // since it was found
  return chunks;
}

Retrieval retrieval_of(Snapshot const& snapshot, VertexId vertex, graph::Said&& said) {
  Retrieval retrieval{.chunk_id = std::string(snapshot.id(vertex))};
  if (auto* const record = said.find()) {
    auto& chunk = std::get<RetrievedChunk>(*record);
    retrieval.content = std::move(chunk.content);
    retrieval.metadata = std::move(chunk.metadata);
  } else {
    retrieval.is_expired = true;
    retrieval.is_purged = said.gone() == graph::GoneWhy::purged;
  }
  return retrieval;
}

Result<std::vector<Retrieval>> retrievals_of(View const& view, VertexId query) {
  auto const& snapshot = view.snapshot;
  std::vector<FoundChunk> found;
  auto const causes = snapshot.causes(query);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto const edge = causes.edges[i];
    if (snapshot.type(edge) != EdgeType::retrieved_for) continue;
    found.push_back({causes.vertices[i], snapshot.value(edge), snapshot.rank(edge)});
  }
  std::ranges::sort(found, [&](FoundChunk const& a, FoundChunk const& b) {
    return std::tuple{a.rank, snapshot.id(a.vertex)} < std::tuple{b.rank, snapshot.id(b.vertex)};
  });
  return read_chunks(view, found);
}

Result<RetrievedChunks> rag_retrieve(View const& view, RagRetrieveParams const& params, Budget const& budget) {
  if (auto const checked = check_retrieve(view, params); !checked) return checked.error();
  if (params.record) {
    return error_from(invalid_param("record", "/record", "true", "a retrieval on a snapshot records nothing"));
  }
  auto chunks = retrieve(view, params, budget.interrupt);
  if (!chunks) return chunks.error();
  return RetrievedChunks{std::move(*chunks)};
}

}  // namespace whence::queries
