// Edges are sorted by the ranks of their ends: refs are compared once per node, not once per edge.

#include "queries/lineage/member_edge.hpp"

#include "queries/view/order.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>

namespace whence::queries {
namespace {

void sort_edges(Snapshot const& snapshot, std::span<VertexId const> members, std::vector<MemberEdge>& edges) {
  std::vector<std::uint32_t> ranks(members.size());
  std::uint32_t rank = 0;
  for (std::uint32_t const place : ref_order(snapshot, members)) ranks[place] = rank++;
  auto const key = [&](MemberEdge const& edge) {
    return (std::uint64_t{ranks[edge.from_place]} << 32U) | ranks[edge.to_place];
  };
  std::sort(edges.begin(), edges.end(), [&](MemberEdge const& a, MemberEdge const& b) {
    if (key(a) != key(b)) return key(a) < key(b);
    auto const name_a = schema::name_of(snapshot.type(a.stored.edge));
    auto const name_b = schema::name_of(snapshot.type(b.stored.edge));
    return name_a != name_b ? name_a < name_b : a.stored.edge < b.stored.edge;
  });
}

}  // namespace

Result<std::vector<MemberEdge>> edges_among(Snapshot const& snapshot, std::span<VertexId const> members,
                                            VertexMap const& places, EdgeWalk const& walk,
                                            schema::Interrupt const& interrupt) {
  schema::Poll poll(interrupt);
  bool const is_upward = walk.direction == graph::Direction::ancestors;
  std::vector<MemberEdge> edges;
  for (VertexId const source : walk.sources) {
    graph::Neighbours const next = is_upward ? snapshot.causes(source) : snapshot.effects(source);
    if (poll.must_stop(1 + next.size())) return poll.error();
    std::uint32_t const source_place = *places.find(source);
    for (std::size_t i = 0; i < next.size(); ++i) {
      auto const place = places.find(next.vertices[i]);
      if (!place || !walk.edge_types.contains(snapshot.type(next.edges[i]))) continue;
      VertexId const cause = is_upward ? next.vertices[i] : source;
      VertexId const effect = is_upward ? source : next.vertices[i];
      StoredEdge const edge = stored_edge(snapshot, cause, effect, next.edges[i]);
      bool const is_from_source = edge.from == source;
      edges.push_back({edge, is_from_source ? source_place : *place, is_from_source ? *place : source_place});
    }
    if (!walk.has_relations && !walk.has_cut_cycles) continue;
    graph::Neighbours const relations = snapshot.relations_from(source);
    if (poll.must_stop(relations.size())) return poll.error();
    for (std::size_t i = 0; i < relations.size(); ++i) {
      if (!walk.has_relations && !schema::is_relation_variant(snapshot.type(relations.edges[i]))) continue;
      auto const place = places.find(relations.vertices[i]);
      if (place) edges.push_back({{source, relations.vertices[i], relations.edges[i]}, source_place, *place});
    }
  }
  sort_edges(snapshot, members, edges);
  return edges;
}

}  // namespace whence::queries
