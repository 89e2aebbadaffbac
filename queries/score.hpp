#pragma once
// The score of a response: the plain mean of its feedback.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <optional>

namespace whence::queries {

/// Feedback scores summed in order of commit.
struct ScoreSum {
  double sum = 0;
  std::uint64_t count = 0;

  void add(double score) noexcept {
    sum += score;
    ++count;
  }
  /// Nothing without feedback.
  [[nodiscard]] std::optional<double> mean() const noexcept {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

/// The feedback of `response`. O(its relations).
[[nodiscard]] inline ScoreSum score_of(graph::Snapshot const& snapshot, graph::VertexId response) {
  ScoreSum score;
  auto const relations = snapshot.relations_to(response);
  for (graph::EdgeId const edge : relations.edges) {
    if (snapshot.type(edge) == graph::EdgeType::evaluates) score.add(snapshot.value(edge).value_or(0));
  }
  return score;
}

}  // namespace whence::queries
