// The relations that a walk met and could not follow, because they carry no influence for the sake of a cycle.
#include "graph/boost/scratch.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstddef>

namespace whence::graph {

bool has_cut_relations(Snapshot const& snapshot) {
  for (std::size_t type = 1; type < schema::edge_type_count; ++type) {
    auto const each = static_cast<EdgeType>(type);
    if (schema::is_relation_variant(each) && snapshot.edge_count(each) > 0) return true;
  }
  return false;
}

Result<CutRelations> cut_relations(Snapshot const& snapshot, std::span<VertexId const> starts, Direction direction,
                                   WalkLimits const& limits, Reach const& reach, schema::Interrupt const& interrupt) {
  CutRelations found;
  if (limits.depth == 0 || !has_cut_relations(snapshot)) return found;
  schema::Poll poll{interrupt};
  impl::LocalNumbers known{snapshot.vertex_count()};
  for (auto const v : starts) known.add(v);
  for (auto const v : reach.vertices) known.add(v);
  bool const is_up = direction == Direction::ancestors;
  auto const look_at = [&](VertexId v) {
    // The influence of every such type runs against its stored direction (schema/types/edge_catalogue.hpp).
    auto const relations = is_up ? snapshot.relations_from(v) : snapshot.relations_to(v);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      auto const type = snapshot.type(relations.edges[i]);
      if (!schema::is_relation_variant(type) || !limits.edge_types.contains(type)) continue;
      auto const other = relations.vertices[i];
      found.relations.push_back({is_up ? v : other, is_up ? other : v, relations.edges[i]});
      found.lead_beyond = found.lead_beyond || known.find(other) == impl::LocalNumbers::none;
    }
    return !poll.must_stop(relations.size() + 1);
  };
  // Those at the depth are not walked on from.
  bool const is_deep = reach.layer_ends.size() >= limits.depth;
  auto const end = !is_deep ? reach.vertices.size() : limits.depth < 2 ? 0 : reach.layer_ends[limits.depth - 2];
  for (auto const v : starts) {
    if (!snapshot.is_deleted(v) && !look_at(v)) return poll.error();
  }
  for (std::size_t i = 0; i < end; ++i) {
    if (!look_at(reach.vertices[i])) return poll.error();
  }
  std::ranges::sort(found.relations, {}, &CutRelation::edge);
  auto const is_same = [](CutRelation const& a, CutRelation const& b) { return a.edge == b.edge; };
  found.relations.erase(std::unique(found.relations.begin(), found.relations.end(), is_same), found.relations.end());
  return found;
}

}  // namespace whence::graph
