// The walk, the kinds of what it meets, and what goes.

#include "queries/impact/withdrawn.hpp"

#include "graph/snapshot/acts.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace whence::queries {
namespace {

/// What `vertices` were made from, each once, ascending.
Result<std::vector<VertexId>> causes_of(Snapshot const& snapshot, std::span<VertexId const> vertices,
                                        Budget const& budget) {
  schema::Poll poll(budget.interrupt);
  std::vector<VertexId> causes;
  for (auto const each : vertices) {
    auto const own = snapshot.causes(each);
    if (poll.must_stop(1 + own.size())) return poll.error();
    causes.insert(causes.end(), own.vertices.begin(), own.vertices.end());
  }
  std::ranges::sort(causes);
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  return causes;
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
  auto const causes = causes_of(snapshot, reach->vertices, budget);
  if (!causes) return causes.error();
  auto kinds = SourceKinds::of(view, *causes, budget);
  if (!kinds) return kinds.error();
  auto withdrawal = graph::withdraw(
      snapshot, starts, *reach, [&](VertexId vertex) { return (*kinds)(vertex); }, budget.interrupt, limits.edge_types);
  if (!withdrawal) return withdrawal.error();
  return Withdrawn{std::move(starts), limits, std::move(*reach), std::move(*kinds), std::move(*withdrawal)};
}

}  // namespace whence::queries
