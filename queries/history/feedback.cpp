// feedback.list: the feedback a response got, or that reached a context unit through the responses that use it
// directly.

#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"
#include "queries/score.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <memory>

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

void write_unit_score(Writer& out, graph::UnitState const& state) {
  out.member("aggregate_score", state.score).member("feedback_count", state.count);
  out.member("status", graph::name_of(state.status));
}

// Without feedback a response has no score.
void write_response_score(Writer& out, ScoreSum const& score) {
  out.key("mean_score");
  if (auto const mean = score.mean()) {
    out.value(*mean);
  } else {
    out.null();
  }
  out.member("feedback_count", score.count);
}

}  // namespace

Result<PageSource> feedback_list(View const& view, FeedbackListParams const& params, Budget const& budget) {
  auto const vertex = resolve(view.snapshot, params.ref, "/ref");
  if (!vertex) return vertex.error();
  PageSource answer;
  Result<std::vector<VertexId>> feedback{std::vector<VertexId>{}};
  if (params.ref.type == schema::RecordType::context_unit) {
    feedback = feedback_of_unit(view.snapshot, *vertex, schema::Poll(budget.interrupt));
    auto const state = view.snapshot.state(*vertex);
    answer.write_members = [state](Writer& out) { write_unit_score(out, state); };
  } else if (params.ref.type == schema::RecordType::response) {
    append_feedback(view.snapshot, *vertex, *feedback);
    auto const score = score_of(view.snapshot, *vertex);
    answer.write_members = [score](Writer& out) { write_response_score(out, score); };
  } else {
    return error_from(invalid_param("type", "/ref", schema::shown(schema::format_ref(params.ref)),
                                    "feedback belongs to responses and context units"));
  }
  if (!feedback) return feedback.error();

  auto const records = std::make_shared<std::vector<VertexId> const>(std::move(*feedback));
  auto const write = [view, records](Writer& out, std::size_t begin, std::size_t end) {
    auto const nothing = [](std::size_t) {};
    return write_records(out, view, std::span(*records).subspan(begin, end - begin), nothing, nothing);
  };
  answer.lists.push_back({"records", records->size(), write});
  return answer;
}

}  // namespace whence::queries
