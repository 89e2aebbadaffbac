// Depth comes from a breadth-first walk, weight from the strongest path, which may be a longer one.

#include "queries/impl/lineage_walk.hpp"

#include "queries/impl/order.hpp"

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

}  // namespace

Result<LineageWalk> walk_lineage(Snapshot const& snapshot, VertexId start, graph::Direction direction,
                                 graph::WalkLimits const& limits, NodeFilter const& filter,
                                 schema::Interrupt const& interrupt) {
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
  return walk;
}

void write_depth_and_weight(Writer& out, Ranked const& node) {
  out.member("depth", node.depth).member("weight", node.value);
}

}  // namespace whence::queries
