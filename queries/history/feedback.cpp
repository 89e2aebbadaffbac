// Evaluating feedback.list.

#include "queries/history/feedback.hpp"

#include "graph/snapshot/acts.hpp"
#include "graph/snapshot/ratings.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace whence::queries {
namespace {

/// What a rating may have been of that reached a source: the responses that use it, the answers that cite it or were
/// generated from a prompt with it, and the other halves of their acts.
class RatedBySource {
 public:
  RatedBySource(Snapshot const& snapshot, schema::Poll& poll) : snapshot_(snapshot), poll_(poll) {}

  [[nodiscard]] bool add_around(VertexId source) {
    auto const effects = snapshot_.effects(source);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (poll_.must_stop()) return false;
      auto const type = snapshot_.type(effects.edges[i]);
      auto const effect = effects.vertices[i];
      if (type == graph::EdgeType::used_in || type == graph::EdgeType::cites) add(effect);
      if (type == graph::EdgeType::included_in && !add_answers(effect)) return false;
      if (type == graph::EdgeType::part_of && !add_around(effect)) return false;  // a document's chunk
    }
    return true;
  }

  [[nodiscard]] std::set<VertexId> const& found() const noexcept { return found_; }

 private:
  void add(VertexId rated) {
    found_.insert(rated);
    if (auto const half = graph::other_half(snapshot_, rated)) found_.insert(*half);
  }

  [[nodiscard]] bool add_answers(VertexId prompt) {
    for (auto const effect : snapshot_.effects(prompt).vertices) {
      if (poll_.must_stop()) return false;
      if (is_rated_itself(snapshot_.type(effect))) add(effect);
    }
    return true;
  }

  Snapshot const& snapshot_;
  schema::Poll& poll_;
  std::set<VertexId> found_;
};

/// Whether a rating of `rated`, written when `feedback` was, reached `source`: what is joined or cited later does not
/// count.
bool has_reached(Snapshot const& snapshot, VertexId feedback, VertexId rated, VertexId source) {
  auto const parts = graph::rated_parts(snapshot.as_of(snapshot.created(feedback)), rated);
  return std::ranges::find(parts, source, &graph::RatedPart::source) != parts.end();
}

// Vertex numbers follow the order of commit, so sorting them is sorting by transaction, then by place in the batch.
Result<std::vector<VertexId>> feedback_of_source(Snapshot const& snapshot, VertexId source, schema::Poll poll) {
  RatedBySource rated(snapshot, poll);
  if (!rated.add_around(source)) return poll.error();
  std::vector<VertexId> feedback;
  for (VertexId const each : rated.found()) {
    auto const relations = snapshot.relations_to(each);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      if (poll.must_stop()) return poll.error();
      if (snapshot.type(relations.edges[i]) != graph::EdgeType::evaluates) continue;
      if (has_reached(snapshot, relations.vertices[i], each, source)) feedback.push_back(relations.vertices[i]);
    }
  }
  std::sort(feedback.begin(), feedback.end());
  return feedback;
}

}  // namespace

Result<Feedback> feedback_list(View const& view, FeedbackListParams const& params, Budget const& budget) {
  auto const vertex = resolve(view.snapshot, params.ref, "/ref");
  if (!vertex) return vertex.error();
  if (schema::info(params.ref.type).has_status) {
    auto records = feedback_of_source(view.snapshot, *vertex, schema::Poll(budget.interrupt));
    if (!records) return records.error();
    return Feedback{std::move(*records), view.snapshot.state(*vertex)};
  }
  if (is_rated_itself(params.ref.type)) {
    return Feedback{feedback_on(view.snapshot, *vertex), score_of(view.snapshot, *vertex)};
  }
  return error_from(invalid_param("type", "/ref", schema::shown(schema::format_ref(params.ref)),
                                  "feedback belongs to responses, answers, context units, chunks and documents"));
}

}  // namespace whence::queries
