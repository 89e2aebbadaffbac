#pragma once
// The score of a response or an answer: the plain mean of its feedback; without feedback none, where a unit has 0.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace whence::queries {

/// Feedback scores summed in order of commit.
struct ScoreSum {
  double sum = 0;
  std::uint64_t scored = 0;  ///< of these with a score
  std::uint64_t count = 0;

  void add(std::optional<double> score) noexcept {
    ++count;
    if (!score) return;
    sum += *score;
    ++scored;
  }
  /// Nothing where nobody gave a score.
  [[nodiscard]] std::optional<double> mean() const noexcept {
    if (scored == 0) return std::nullopt;
    return sum / static_cast<double>(scored);
  }
};

/// Whether feedback rates records of `type` themselves.
[[nodiscard]] constexpr bool is_rated_itself(schema::RecordType type) noexcept {
  return type == schema::RecordType::response || type == schema::RecordType::answer;
}

/// The feedback on a response or an answer and on the other half of its act, in order of commit. O(their relations).
[[nodiscard]] std::vector<graph::VertexId> feedback_on(graph::Snapshot const& snapshot, graph::VertexId rated);

/// The score of a response or an answer: of all feedback on its act. O(its relations).
[[nodiscard]] ScoreSum score_of(graph::Snapshot const& snapshot, graph::VertexId rated);

}  // namespace whence::queries
