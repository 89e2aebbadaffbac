// Evaluating feedback.list.

#include "queries/history/feedback.hpp"

#include "queries/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries {
namespace {

void append_feedback(Snapshot const& snapshot, VertexId response, std::vector<VertexId>& feedback) {
  auto const relations = snapshot.relations_to(response);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (snapshot.type(relations.edges[i]) == graph::EdgeType::evaluates) feedback.push_back(relations.vertices[i]);
  }
}

// Vertex numbers follow the order of commit, so sorting them is sorting by transaction, then by place in the batch.
Result<std::vector<VertexId>> feedback_of_unit(Snapshot const& snapshot, VertexId unit, schema::Poll poll) {
  std::vector<VertexId> feedback;
  auto const effects = snapshot.effects(unit);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (poll.must_stop(1 + snapshot.relations_to(effects.vertices[i]).size())) return poll.error();
    if (snapshot.type(effects.edges[i]) == graph::EdgeType::used_in) {
      append_feedback(snapshot, effects.vertices[i], feedback);
    }
  }
  std::sort(feedback.begin(), feedback.end());
  return feedback;
}

}  // namespace

Result<Feedback> feedback_list(View const& view, FeedbackListParams const& params, Budget const& budget) {
  auto const vertex = resolve(view.snapshot, params.ref, "/ref");
  if (!vertex) return vertex.error();
  if (params.ref.type == schema::RecordType::context_unit) {
    auto records = feedback_of_unit(view.snapshot, *vertex, schema::Poll(budget.interrupt));
    if (!records) return records.error();
    return Feedback{std::move(*records), view.snapshot.state(*vertex)};
  }
  if (params.ref.type == schema::RecordType::response) {
    Feedback feedback{{}, score_of(view.snapshot, *vertex)};
    append_feedback(view.snapshot, *vertex, feedback.records);
    return feedback;
  }
  return error_from(invalid_param("type", "/ref", schema::shown(schema::format_ref(params.ref)),
                                  "feedback belongs to responses and context units"));
}

}  // namespace whence::queries
