// Depth comes from a breadth-first walk, weight from the strongest path, which may be a longer one.

#include "queries/lineage/walk.hpp"

#include "queries/order.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>

namespace whence::queries {
namespace {

bool is_between(std::optional<schema::Time> const& time, TimeRange const& range) {
  return time && (!range.from || *time >= *range.from) && (!range.to || *time <= *range.to);
}

bool passes(Snapshot const& snapshot, NodeFilter const& filter, VertexId vertex, double weight) {
  if (filter.node_types && !filter.node_types->contains(snapshot.type(vertex))) return false;
  if (filter.between && !is_between(snapshot.time(vertex), *filter.between)) return false;
  return !filter.min_weight || weight >= *filter.min_weight;
}

bool was_anything_deleted(Snapshot const& snapshot) {
  std::uint64_t visible = 0;
  for (auto const& row : schema::record_types()) {
    if (row.is_node) visible += snapshot.vertex_count(row.type);
  }
  return visible != snapshot.vertex_count();
}

/// Appends the deleted neighbours of `vertex` in `direction`. A list that holds none is not looked at twice.
void add_deleted(Snapshot const& snapshot, VertexId vertex, graph::Direction direction, schema::EdgeTypeSet edge_types,
                 std::vector<VertexId>& deleted) {
  bool const is_back = direction == graph::Direction::ancestors;
  auto const visible = is_back ? snapshot.causes(vertex) : snapshot.effects(vertex);
  if (visible.kept == nullptr) return;
  auto const all = is_back ? snapshot.causes_ever(vertex) : snapshot.effects_ever(vertex);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!edge_types.contains(snapshot.type(all.edges[i]))) continue;
    if (snapshot.is_deleted(all.vertices[i])) deleted.push_back(all.vertices[i]);
  }
}

/// One vertex a ref: an id may be deleted, written again and deleted again.
void keep_distinct_refs(Snapshot const& snapshot, std::vector<VertexId>& vertices) {
  auto const ref_of = [&](VertexId v) { return std::pair{schema::name_of(snapshot.type(v)), snapshot.id(v)}; };
  std::ranges::sort(vertices, {}, ref_of);
  auto const is_same = [&](VertexId a, VertexId b) { return ref_of(a) == ref_of(b); };
  vertices.erase(std::unique(vertices.begin(), vertices.end(), is_same), vertices.end());
}

Result<std::vector<VertexId>> dangling_of(Snapshot const& snapshot, VertexId start, graph::Direction direction,
                                          graph::WalkLimits const& limits, graph::Reach const& reach,
                                          schema::Interrupt const& interrupt) {
  std::vector<VertexId> deleted;
  if (limits.depth == 0 || !was_anything_deleted(snapshot)) return deleted;
  schema::Poll poll{interrupt};
  add_deleted(snapshot, start, direction, limits.edge_types, deleted);
  // Those at the depth are not walked on from.
  bool const is_deep = reach.layer_ends.size() >= limits.depth;
  std::size_t const end = !is_deep ? reach.vertices.size() : limits.depth < 2 ? 0 : reach.layer_ends[limits.depth - 2];
  for (std::size_t at = 0; at < end; ++at) {
    add_deleted(snapshot, reach.vertices[at], direction, limits.edge_types, deleted);
    if (poll.must_stop()) return poll.error();
  }
  // A node that was written again under its ref, and was reached as that, is not missing.
  std::erase_if(deleted, [&](VertexId v) {
    auto const alive = snapshot.find(snapshot.type(v), snapshot.id(v));
    return alive && (*alive == start || std::ranges::find(reach.vertices, *alive) != reach.vertices.end());
  });
  keep_distinct_refs(snapshot, deleted);
  return deleted;
}

}  // namespace

Result<LineageWalk> walk_lineage(Snapshot const& snapshot, VertexId start, graph::Direction direction,
                                 graph::WalkLimits const& limits, NodeFilter const& filter,
                                 schema::Interrupt const& interrupt, bool gathers_dangling) {
  auto const reach = graph::reach(snapshot, std::span(&start, 1), direction, limits, interrupt);
  if (!reach) return reach.error();
  auto const weights = graph::strongest_weights(snapshot, start, direction, limits, *reach, interrupt);
  if (!weights) return weights.error();

  LineageWalk walk{.is_cut_by_depth = reach->is_cut_by_depth, .is_cut_by_vertices = reach->is_cut_by_vertices};
  walk.nodes.reserve(reach->vertices.size());
  std::size_t place = 0;
  std::uint32_t depth = 0;
  for (std::uint32_t const layer_end : reach->layer_ends) {
    ++depth;
    std::size_t const layer_begin = walk.nodes.size();
    for (; place < layer_end; ++place) {
      if (!passes(snapshot, filter, reach->vertices[place], (*weights)[place])) continue;
      walk.nodes.push_back({reach->vertices[place], depth, (*weights)[place]});
    }
    rank(snapshot, std::span(walk.nodes).subspan(layer_begin));
  }
  if (!gathers_dangling) return walk;
  auto dangling = dangling_of(snapshot, start, direction, limits, *reach, interrupt);
  if (!dangling) return dangling.error();
  walk.dangling = std::move(*dangling);
  return walk;
}

}  // namespace whence::queries
