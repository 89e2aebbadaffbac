// Ratings are relations from feedback, with the score on the edge.

#include "queries/view/score.hpp"

#include "graph/snapshot/acts.hpp"

#include <algorithm>

namespace whence::queries {
namespace {

struct Rating {
  graph::VertexId feedback;
  std::optional<double> score;
};

std::vector<Rating> ratings_of(graph::Snapshot const& snapshot, graph::VertexId rated) {
  std::vector<Rating> ratings;
  auto const half = graph::other_half(snapshot, rated);
  for (auto const each : {std::optional{rated}, half}) {
    if (!each) continue;
    auto const relations = snapshot.relations_to(*each);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      if (snapshot.type(relations.edges[i]) != graph::EdgeType::evaluates) continue;
      ratings.push_back({relations.vertices[i], snapshot.value(relations.edges[i])});
    }
  }
  if (half) std::ranges::sort(ratings, {}, &Rating::feedback);
  return ratings;
}

}  // namespace

std::vector<graph::VertexId> feedback_on(graph::Snapshot const& snapshot, graph::VertexId rated) {
  std::vector<graph::VertexId> feedback;
  for (auto const& rating : ratings_of(snapshot, rated)) feedback.push_back(rating.feedback);
  return feedback;
}

ScoreSum score_of(graph::Snapshot const& snapshot, graph::VertexId rated) {
  ScoreSum score;
  for (auto const& rating : ratings_of(snapshot, rated)) score.add(rating.score);
  return score;
}

}  // namespace whence::queries
