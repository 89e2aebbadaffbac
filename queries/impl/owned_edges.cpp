// A record names what it was made from or belongs to, so most edges come with the end they are drawn from. What a
// response used, how it was rendered and what a prompt includes is said by the other end. A query's attachment and a
// prompt's embedding may be linked by either: whichever was written later.

#include "queries/impl/owned_edges.hpp"

namespace whence::queries {
namespace {

using graph::DeltaEdge;
using graph::Snapshot;
using graph::VertexId;
using schema::EdgeType;
using schema::RecordType;

VertexId owner_of(Snapshot const& snapshot, DeltaEdge const& edge) {
  auto const type = snapshot.type(edge.edge);
  auto const from = snapshot.type(edge.from);
  bool const is_either = (type == EdgeType::prompted && from == RecordType::xml_message_attachment) ||
                         (type == EdgeType::included_in && from == RecordType::embedding_vector);
  if (is_either) return edge.from > edge.to ? edge.from : edge.to;
  bool const is_to = type == EdgeType::used_in || type == EdgeType::prompted || type == EdgeType::rendered_as ||
                     type == EdgeType::included_in;
  return is_to ? edge.to : edge.from;
}

}  // namespace

void append_owned_edges(Snapshot const& snapshot, VertexId node, std::vector<DeltaEdge>& edges) {
  auto const take = [&](DeltaEdge const& edge) {
    if (owner_of(snapshot, edge) == node) edges.push_back(edge);
  };
  auto const take_drawn = [&](VertexId cause, VertexId effect, graph::EdgeId id) {
    auto const view = snapshot.edge(cause, effect, id);
    take({view.from, view.to, id});
  };
  auto const causes = snapshot.causes(node);
  for (std::size_t i = 0; i < causes.size(); ++i) take_drawn(causes.vertices[i], node, causes.edges[i]);
  auto const effects = snapshot.effects(node);
  for (std::size_t i = 0; i < effects.size(); ++i) take_drawn(node, effects.vertices[i], effects.edges[i]);
  // A relation comes with the end it is drawn from.
  auto const relations = snapshot.relations_from(node);
  for (std::size_t i = 0; i < relations.size(); ++i) edges.push_back({node, relations.vertices[i], relations.edges[i]});
}

}  // namespace whence::queries
