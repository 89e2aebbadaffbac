// Depth comes from a breadth-first walk, weight from the strongest path, which may be a longer one.

#include "queries/lineage/walk.hpp"

#include "queries/view/order.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace whence::queries {
namespace {

bool is_between(std::optional<schema::Time> const& time, TimeRange const& range) {
  return time && (!range.from || *time >= *range.from) && (!range.to || *time <= *range.to);
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
  constexpr std::size_t few = 16;  // are looked at sooner than the counts of all types
  std::vector<VertexId> deleted;
  if (limits.depth == 0) return deleted;
  // Those at the depth are not walked on from.
  bool const is_deep = reach.layer_ends.size() >= limits.depth;
  std::size_t const end = !is_deep ? reach.vertices.size() : limits.depth < 2 ? 0 : reach.layer_ends[limits.depth - 2];
  if (end > few && !was_anything_deleted(snapshot)) return deleted;
  schema::Poll poll{interrupt};
  add_deleted(snapshot, start, direction, limits.edge_types, deleted);
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

/// Layer by layer: a path of one edge more may be a stronger one, so vertices whose weight grew are walked on from
/// again.
class Surroundings {
 public:
  Surroundings(Snapshot const& snapshot, VertexId start, graph::Direction direction, graph::WalkLimits const& limits,
               schema::Interrupt const& interrupt)
      : snapshot_(snapshot), direction_(direction), limits_(limits), poll_(interrupt) {
    ways_.emplace(schema::number(start), RankedNode{start, 0, 1});
    grown_.push_back(start);
  }

  Result<LineageWalk> run() {
    for (depth_ = 1; depth_ <= limits_.depth && !grown_.empty(); ++depth_) {
      if (!walk_layer()) return poll_.error();
    }
    walk_.is_cut_by_depth = !grown_.empty() && leads_beyond();
    if (poll_.has_stopped()) return poll_.error();
    for (auto const& [number, node] : ways_) {
      if (node.depth > 0) walk_.nodes.push_back(node);
    }
    return std::move(walk_);
  }

 private:
  /// Calls `take(neighbour, weight)` for each edge that leads on from `vertex`.
  template <class Take>
  void for_each_next(VertexId vertex, Take const& take) {
    bool const is_up = direction_ == graph::Direction::ancestors;
    auto const influence = is_up ? snapshot_.causes(vertex) : snapshot_.effects(vertex);
    auto const relations = is_up ? snapshot_.relations_from(vertex) : snapshot_.relations_to(vertex);
    (void)poll_.must_stop(1 + influence.size() + relations.size());
    for (std::size_t i = 0; i < influence.size(); ++i) {
      if (limits_.edge_types.contains(snapshot_.type(influence.edges[i])))
        take(influence.vertices[i], snapshot_.path_weight(influence.edges[i]));
    }
    for (VertexId const other : relations.vertices) take(other, 1.0);
  }

  /// False where it must stop.
  bool walk_layer() {
    std::vector<RankedNode> layer;  // with the weights of the layer before
    layer.reserve(grown_.size());
    for (VertexId const vertex : grown_) layer.push_back(ways_.at(schema::number(vertex)));
    grown_.clear();
    for (RankedNode const& node : layer) {
      for_each_next(node.vertex, [&](VertexId other, double weight) { reach(other, node.value * weight); });
      if (poll_.has_stopped()) return false;
    }
    std::ranges::sort(grown_);
    grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
    return true;
  }

  void reach(VertexId vertex, double weight) {
    auto const known = ways_.find(schema::number(vertex));
    if (known != ways_.end()) {
      if (weight <= known->second.value) return;
      known->second.value = weight;
    } else if (ways_.size() > limits_.vertices_max) {  // the start is among them
      walk_.is_cut_by_vertices = true;
      return;
    } else {
      ways_.emplace(schema::number(vertex), RankedNode{vertex, depth_, weight});
    }
    grown_.push_back(vertex);
  }

  /// Whether an edge leads from the last layer to a vertex that was not reached.
  bool leads_beyond() {
    bool leads = false;
    for (VertexId const vertex : grown_) {
      for_each_next(vertex, [&](VertexId other, double) { leads = leads || !ways_.contains(schema::number(other)); });
      if (leads || poll_.has_stopped()) return leads;
    }
    return leads;
  }

  Snapshot const& snapshot_;
  graph::Direction direction_;
  graph::WalkLimits const& limits_;
  schema::Poll poll_;
  std::unordered_map<std::uint32_t, RankedNode> ways_ = {};  // by vertex number: least depth, largest weight so far
  std::vector<VertexId> grown_ = {};                         // reached, or with more weight, in the last layer
  std::uint32_t depth_ = 0;
  LineageWalk walk_ = {};
};

}  // namespace

bool passes(Snapshot const& snapshot, NodeFilter const& filter, VertexId vertex, double weight) {
  if (filter.node_types && !filter.node_types->contains(snapshot.type(vertex))) return false;
  if (filter.between && !is_between(snapshot.time(vertex), *filter.between)) return false;
  return !filter.min_weight || weight >= *filter.min_weight;
}

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
  auto cut = graph::cut_relations(snapshot, std::span(&start, 1), direction, limits, *reach, interrupt);
  if (!cut) return cut.error();
  walk.cut = std::move(*cut);
  if (!gathers_dangling) return walk;
  auto dangling = dangling_of(snapshot, start, direction, limits, *reach, interrupt);
  if (!dangling) return dangling.error();
  walk.dangling = std::move(*dangling);
  return walk;
}

Result<LineageWalk> walk_surroundings(Snapshot const& snapshot, VertexId start, graph::Direction direction,
                                      graph::WalkLimits const& limits, schema::Interrupt const& interrupt) {
  auto walk = Surroundings(snapshot, start, direction, limits, interrupt).run();
  if (!walk) return walk;
  std::ranges::sort(walk->nodes, [&](RankedNode const& a, RankedNode const& b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    if (a.value != b.value) return a.value > b.value;
    return compare_refs(snapshot, a.vertex, b.vertex) < 0;
  });
  return walk;
}

}  // namespace whence::queries
