// The walk, the kinds of what it meets, and what goes.

#include "queries/impact/withdrawn.hpp"

#include "graph/snapshot/acts.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/resolve.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace whence::queries {
namespace {

/// `vertices` with what they were made from, each once, ascending.
Result<std::vector<VertexId>> with_causes(Snapshot const& snapshot, std::span<VertexId const> vertices,
                                          schema::EdgeTypeSet edge_types, schema::Interrupt const& interrupt) {
  auto causes =
      graph::reach(snapshot, vertices, graph::Direction::ancestors, {.depth = 1, .edge_types = edge_types}, interrupt);
  if (!causes) return causes.error();
  auto all = std::move(causes->vertices);
  all.insert(all.end(), vertices.begin(), vertices.end());
  std::ranges::sort(all);
  return all;
}

}  // namespace

bool is_told_by_response(Snapshot const& snapshot, VertexId vertex) {
  return snapshot.type(vertex) == schema::RecordType::answer && graph::other_half(snapshot, vertex).has_value();
}

Result<Withdrawn> withdraw_refs(View const& view, std::vector<NodeRef> const& refs,
                                std::optional<std::vector<schema::Basis>> const& basis, Budget const& budget) {
  auto starts = resolve_all(view.snapshot, refs, "/refs");
  if (!starts) return starts.error();
  return withdraw_vertices(view, std::move(*starts), basis, budget);
}

Result<Withdrawn> withdraw_vertices(View const& view, std::vector<VertexId> starts,
                                    std::optional<std::vector<schema::Basis>> const& basis, Budget const& budget) {
  Snapshot const& snapshot = view.snapshot;
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  graph::WalkLimits const limits{.edge_types = walked_types(basis), .vertices_max = budget.vertices_max};
  auto reach = graph::reach(snapshot, starts, graph::Direction::descendants, limits, budget.interrupt);
  if (!reach) return reach.error();
  auto const sources = with_causes(snapshot, reach->vertices, limits.edge_types, budget.interrupt);
  if (!sources) return sources.error();
  auto kinds = SourceKinds::of(view, *sources, budget);
  if (!kinds) return kinds.error();
  auto withdrawal = graph::withdraw(
      snapshot, starts, *reach, [&](VertexId vertex) { return (*kinds)(vertex); }, budget.interrupt, limits.edge_types);
  if (!withdrawal) return withdrawal.error();
  return Withdrawn{std::move(starts), limits, std::move(*reach), std::move(*kinds), std::move(*withdrawal)};
}

}  // namespace whence::queries
