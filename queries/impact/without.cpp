// One withdrawal says what falls and what is weakened. Alternatives and minimal sets are bounded by steps, not by time:
// of one graph every machine answers the same.

#include "queries/impact/without.hpp"

#include "graph/shares/each_share.hpp"
#include "graph/snapshot/acts.hpp"
#include "queries/impact/source_kinds.hpp"
#include "queries/impact/withdrawn.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/score.hpp"
#include "queries/view/vertex_map.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace whence::queries {
namespace {

using schema::RecordType;

/// Steps for the alternatives: at most 0.3 s in graphs beyond the caches.
constexpr std::uint64_t alternatives_steps_max = std::uint64_t{1} << 21U;

/// Steps for the sets of all answers.
constexpr std::uint64_t sets_steps_max = std::uint64_t{1} << 24U;

/// Ends work after so many steps, the same on every machine, and when the request's own interrupt does.
class StepBound final : public schema::Interrupt {
 public:
  StepBound(schema::Interrupt const& inner, std::uint64_t steps) : inner_{inner}, left_{steps} {}
  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    left_ -= std::min(left_, steps);
    return is_over() ? schema::Stop::too_long : inner_.check(steps);
  }
  [[nodiscard]] bool is_over() const noexcept { return left_ == 0; }

 private:
  schema::Interrupt const& inner_;
  std::uint64_t mutable left_;
};

/// Nothing where it must stop.
std::optional<std::uint64_t> count_acts(Snapshot const& snapshot, schema::Poll& poll) {
  auto acts = snapshot.vertex_count(RecordType::response);
  for (auto const answer : snapshot.vertices(RecordType::answer)) {
    if (poll.must_stop()) return std::nullopt;
    if (!graph::other_half(snapshot, answer)) ++acts;
  }
  return acts;
}

/// Sorts what fell and what was weakened into the lists. False where it must stop.
[[nodiscard]] bool sort_out(Snapshot const& snapshot, graph::Reach const& reach, graph::Withdrawal const& withdrawal,
                            schema::Poll& poll, Without& without) {
  std::uint32_t layer = 0;
  for (std::size_t i = 0; i < reach.vertices.size(); ++i) {
    if (poll.must_stop()) return false;
    while (i >= reach.layer_ends[layer]) ++layer;
    auto const vertex = reach.vertices[i];
    if (std::ranges::binary_search(without.starts, vertex)) continue;
    bool const has_fallen = withdrawal.has_fallen[i] != 0;
    if (!is_rated_itself(snapshot.type(vertex))) {
      if (has_fallen) without.fallen.push_back({vertex, layer + 1});
      continue;
    }
    if (withdrawal.lost[i] <= 0 || is_told_by_response(snapshot, vertex)) continue;
    without.answers.push_back({vertex, layer + 1, has_fallen, withdrawal.lost[i]});
    ++(has_fallen ? without.lost : without.weakened);
  }
  rank(snapshot, std::span(without.answers), &AffectedAnswer::lost);
  std::ranges::stable_sort(without.answers, std::ranges::greater{}, &AffectedAnswer::is_lost);
  sort_by_ref(snapshot, std::span(without.fallen));
  std::ranges::stable_sort(without.fallen, {}, &FallenNode::depth);
  return !poll.must_stop(without.answers.size() + without.fallen.size());
}

/// Counts the other sources of the answers; those that fell are none.
Result<void> add_alternatives(Snapshot const& snapshot, graph::Reach const& below, graph::Withdrawal const& withdrawal,
                              graph::WalkLimits const& limits, Budget const& budget, Without& without) {
  schema::Poll poll(budget.interrupt);
  std::vector<VertexId> effects;
  effects.reserve(without.answers.size());
  for (auto const& answer : without.answers) effects.push_back(answer.vertex);
  auto const reach = graph::reach(snapshot, effects, graph::Direction::ancestors, limits, budget.interrupt);
  if (!reach) return reach.error();
  VertexMap const places(below.vertices);
  std::vector<Alternative> found;
  std::vector<std::uint32_t> numbers(reach->vertices.size(), 0xffff'ffff);
  for (std::size_t i = 0; i < reach->vertices.size(); ++i) {
    if (poll.must_stop()) return poll.error();
    auto const vertex = reach->vertices[i];
    if (!is_source(snapshot.type(vertex)) || std::ranges::binary_search(without.starts, vertex)) continue;
    auto const place = places.find(vertex);
    if (place && withdrawal.has_fallen[*place] != 0) continue;
    numbers[i] = static_cast<std::uint32_t>(found.size());
    found.push_back({vertex, 0, 0});
  }
  graph::EachShareBounds const bounds{.steps_max = alternatives_steps_max, .edge_types = limits.edge_types};
  auto const visit = [&](std::size_t, std::span<graph::CauseShare const> causes) {
    for (auto const& cause : causes) {
      if (numbers[cause.place] == 0xffff'ffff) continue;
      auto& alternative = found[numbers[cause.place]];
      ++alternative.answers;
      alternative.share += cause.share;
    }
  };
  auto const depth = graph::each_share(snapshot, effects, *reach, bounds, budget.interrupt, visit);
  if (!depth) return depth.error();
  // Divided once: a sum of quotients may come to more than 1.
  for (auto& alternative : found) alternative.share /= static_cast<double>(effects.size());
  without.has_all_alternatives = *depth == graph::depth_unbounded && !reach->is_cut_by_vertices;
  std::erase_if(found, [](Alternative const& each) { return each.answers == 0; });
  rank(snapshot, std::span(found), &Alternative::share);
  std::ranges::stable_sort(found, std::ranges::greater{}, &Alternative::answers);
  without.alternatives = std::move(found);
  return {};
}

/// Looks for the sets of the first answers, as far as the steps go.
Result<void> add_sets(View const& view, schema::EdgeTypeSet edge_types, Budget const& budget, Without& without) {
  StepBound const bound{budget.interrupt, sets_steps_max};
  for (std::size_t i = 0; i < std::min(without.answers.size(), answers_with_sets_max) && !bound.is_over(); ++i) {
    schema::Poll poll(bound);
    if (poll.must_stop(schema::Poll::steps_between) && !bound.is_over()) return poll.error();
    auto& answer = without.answers[i];
    auto sets = minimal_sets(view, answer.vertex, {bound, budget.vertices_max}, edge_types);
    if (sets) {
      answer.sets = std::move(*sets);
    } else if (!bound.is_over()) {
      return sets.error();
    }
  }
  return {};
}

}  // namespace

Result<Without> impact_without(View const& view, WithoutParams const& params, Budget const& budget) {
  Snapshot const& snapshot = view.snapshot;
  auto withdrawn = withdraw_refs(view, params.refs, params.basis, budget);
  if (!withdrawn) return withdrawn.error();
  auto const& [starts, limits, reach, kinds, withdrawal] = *withdrawn;

  Without without{.starts = starts};
  if (reach.is_cut_by_vertices) without.incomplete = Incomplete::nodes;
  auto cut = graph::cut_relations(snapshot, starts, graph::Direction::descendants, limits, reach, budget.interrupt);
  if (!cut) return cut.error();
  take_cut(std::move(*cut), without);
  schema::Poll poll(budget.interrupt);
  if (!sort_out(snapshot, reach, withdrawal, poll, without)) return poll.error();
  auto const acts = count_acts(snapshot, poll);
  if (!acts) return poll.error();
  auto const taken = static_cast<std::uint64_t>(std::ranges::count_if(without.starts, [&](VertexId start) {
    return is_rated_itself(snapshot.type(start)) && !is_told_by_response(snapshot, start);
  }));
  without.untouched = *acts - std::min(*acts, without.lost + without.weakened + taken);
  if (params.alternatives) {
    if (auto const added = add_alternatives(snapshot, reach, withdrawal, limits, budget, without); !added) {
      return added.error();
    }
  }
  if (params.sets) {
    if (auto const added = add_sets(view, limits.edge_types, budget, without); !added) return added.error();
  }
  return without;
}

}  // namespace whence::queries
