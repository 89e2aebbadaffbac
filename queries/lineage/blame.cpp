// Evaluating impact.blame.

#include "queries/lineage/blame.hpp"

#include "graph/snapshot/acts.hpp"
#include "graph/walks/walk.hpp"
#include "queries/lineage/reach_count.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/order.hpp"
#include "queries/resolve.hpp"
#include "queries/score.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace whence::queries {
namespace {

// An act is counted once, as its response: both halves have the same ancestors.
VertexId response_half(Snapshot const& snapshot, VertexId vertex) {
  if (snapshot.type(vertex) != schema::RecordType::answer) return vertex;
  return graph::other_half(snapshot, vertex).value_or(vertex);
}

// All responses, and the answers that are one act with none.
std::vector<VertexId> all_rated(Snapshot const& snapshot) {
  auto rated = snapshot.vertices(schema::RecordType::response);
  for (VertexId const answer : snapshot.vertices(schema::RecordType::answer)) {
    if (!graph::other_half(snapshot, answer)) rated.push_back(answer);
  }
  std::sort(rated.begin(), rated.end());
  return rated;
}

// Each named response or answer once, in order of commit.
Result<std::vector<VertexId>> resolve_responses(Snapshot const& snapshot, std::vector<NodeRef> const& refs) {
  std::vector<Violation> wrong;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (is_rated_itself(refs[i].type)) continue;
    wrong.push_back(invalid_param("type", "/responses/" + std::to_string(i), schema::shown(schema::format_ref(refs[i])),
                                  "blame is asked of responses and answers only"));
    wrong.back().index = static_cast<std::uint32_t>(i);
  }
  if (!wrong.empty()) return error_from(std::move(wrong));
  auto vertices = resolve_all(snapshot, refs, "/responses");
  if (!vertices) return vertices.error();
  for (VertexId& vertex : *vertices) vertex = response_half(snapshot, vertex);
  std::sort(vertices->begin(), vertices->end());
  vertices->erase(std::unique(vertices->begin(), vertices->end()), vertices->end());
  return vertices;
}

Result<std::vector<VertexId>> responses_of(Snapshot const& snapshot, BlameParams const& params, schema::Poll& poll) {
  if (!params.responses && !params.score_below) {
    return error_from(invalid_param("required", "/responses", "", "give `responses`, `score_below` or both"));
  }
  auto responses = params.responses ? resolve_responses(snapshot, *params.responses)
                                    : Result<std::vector<VertexId>>(all_rated(snapshot));
  if (!responses || !params.score_below) return responses;
  std::vector<VertexId> bad;
  for (VertexId const response : *responses) {
    if (poll.must_stop(1 + snapshot.relations_to(response).size())) return poll.error();
    auto const score = score_of(snapshot, response).mean();
    if (score && *score < *params.score_below) bad.push_back(response);
  }
  return bad;
}

}  // namespace

Result<Blame> impact_blame(View const& view, BlameParams const& params, Budget const& budget) {
  Snapshot const& snapshot = view.snapshot;
  schema::Poll poll(budget.interrupt);
  auto const responses = responses_of(snapshot, params, poll);
  if (!responses) return responses.error();

  auto const upward = graph::Direction::ancestors;
  graph::WalkLimits limits{
      .edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max, .has_roles = params.roles};
  if (!params.roles) limits.edge_types.leave_out_roles();
  auto const reach = graph::reach(snapshot, *responses, upward, limits, budget.interrupt);
  if (!reach) return reach.error();
  auto const shares = graph::path_shares(snapshot, *responses, upward, limits, *reach, budget.interrupt);
  if (!shares) return shares.error();
  auto const counts = count_reaching(snapshot, *responses, *reach, budget.interrupt);
  if (!counts) return counts.error();

  Blame blame{.incomplete = reach->is_cut_by_vertices ? Incomplete::nodes : Incomplete::no};
  auto cut = graph::cut_relations(snapshot, *responses, upward, limits, *reach, budget.interrupt);
  if (!cut) return cut.error();
  take_cut(std::move(*cut), blame);
  for (std::size_t i = 0; i < reach->vertices.size(); ++i) {
    if (!schema::info(snapshot.type(reach->vertices[i])).has_status) continue;
    blame.units.push_back({reach->vertices[i], (*counts)[i], (*shares)[i]});
  }
  rank(snapshot, std::span(blame.units), &BlamedUnit::share);
  if (params.order == BlameOrder::responses) {
    std::ranges::stable_sort(blame.units, std::ranges::greater{}, &BlamedUnit::responses);
  }
  return blame;
}

}  // namespace whence::queries
