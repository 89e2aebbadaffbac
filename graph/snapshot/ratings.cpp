// Sources are few, so they are found by looking through the list.
#include "graph/snapshot/ratings.hpp"

#include "graph/snapshot/acts.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace whence::graph {
namespace {

class Parts {
 public:
  explicit Parts(Snapshot const& snapshot) : snapshot_(snapshot) {}

  void add_used(VertexId response) {
    auto const causes = snapshot_.causes(response);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (snapshot_.type(causes.edges[i]) != EdgeType::used_in) continue;
      auto const source = causes.vertices[i];
      if (!schema::info(snapshot_.type(source)).has_status) continue;
      parts_.push_back({source, snapshot_.value(causes.edges[i]).value_or(0)});
    }
  }

  void add_chunks_of(VertexId answer) {
    auto chunks = cited(answer);
    if (chunks.empty()) chunks = prompted(answer);
    double total = 0;
    for (auto const& chunk : chunks) total += chunk.part;
    for (auto const& [chunk, part] : chunks) {
      double const share = total > 0 ? part / total : 1 / static_cast<double>(chunks.size());
      if (auto* known = find(chunk)) {
        known->part = std::max(known->part, share);
      } else {
        parts_.push_back({chunk, share});
      }
    }
  }

  std::vector<RatedPart> take_with_documents() {
    for (std::size_t i = 0, count = parts_.size(); i < count; ++i) {
      if (snapshot_.type(parts_[i].source) != RecordType::retrieved_chunk) continue;
      auto const document = document_of(parts_[i].source);
      if (!document) continue;
      double const part = parts_[i].part;
      if (auto* known = find(*document)) {
        known->part = std::min(known->part + part, 1.0);
      } else {
        parts_.push_back({*document, part});
      }
    }
    return std::move(parts_);
  }

 private:
  [[nodiscard]] RatedPart* find(VertexId source) {
    auto const found = std::ranges::find(parts_, source, &RatedPart::source);
    return found == parts_.end() ? nullptr : &*found;
  }

  /// The chunks that an answer cites, with equal numbers.
  [[nodiscard]] std::vector<RatedPart> cited(VertexId answer) const {
    std::vector<RatedPart> chunks;
    auto const causes = snapshot_.causes(answer);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (snapshot_.type(causes.edges[i]) == EdgeType::cites) chunks.push_back({causes.vertices[i], 1});
    }
    return chunks;
  }

  /// The chunks of an answer's prompt, with their similarity to the question; with equal numbers where one of them is
  /// not known.
  [[nodiscard]] std::vector<RatedPart> prompted(VertexId answer) const {
    std::vector<RatedPart> chunks;
    auto const prompt = snapshot_.find(RecordType::prompt_context, snapshot_.id(answer));
    if (!prompt) return chunks;
    auto const included = snapshot_.causes(*prompt);
    for (auto const vertex : included.vertices) {
      if (snapshot_.type(vertex) == RecordType::retrieved_chunk) chunks.push_back({vertex, 0});
    }
    auto const query = snapshot_.find(RecordType::query, snapshot_.id(answer));
    if (!query) return chunks;
    auto const retrieved = snapshot_.causes(*query);
    bool is_known = true;
    for (std::size_t i = 0; i < retrieved.size(); ++i) {
      if (snapshot_.type(retrieved.edges[i]) != EdgeType::retrieved_for) continue;
      auto const chunk = std::ranges::find(chunks, retrieved.vertices[i], &RatedPart::source);
      if (chunk == chunks.end()) continue;
      auto const similarity = snapshot_.value(retrieved.edges[i]);
      is_known = is_known && similarity.has_value();
      chunk->part = similarity.value_or(0);
    }
    for (auto& chunk : chunks) chunk.part = is_known ? chunk.part : 1;
    return chunks;
  }

  [[nodiscard]] std::optional<VertexId> document_of(VertexId chunk) const {
    auto const causes = snapshot_.causes(chunk);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (snapshot_.type(causes.edges[i]) == EdgeType::part_of) return causes.vertices[i];
    }
    return std::nullopt;
  }

  Snapshot const& snapshot_;
  std::vector<RatedPart> parts_;
};

}  // namespace

std::vector<RatedPart> rated_parts(Snapshot const& snapshot, VertexId rated) {
  bool const is_answer = snapshot.type(rated) == RecordType::answer;
  auto const half = other_half(snapshot, rated);
  auto const response = is_answer ? half : std::optional{rated};
  auto const answer = is_answer ? std::optional{rated} : half;
  Parts parts(snapshot);
  if (response) parts.add_used(*response);
  if (answer) parts.add_chunks_of(*answer);
  return parts.take_with_documents();
}

}  // namespace whence::graph
