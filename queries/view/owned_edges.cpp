// A record names its sources and its whole, so most edges come with the end they start from. The uses and renderings of
// a response and the inclusions of a prompt come with the other end. The attachment of a query and the embedding of a
// prompt may be linked by either end: by the one that was written later. So are the edges that the engine adds.

#include "queries/view/owned_edges.hpp"

namespace whence::queries {
namespace {

using graph::DeltaEdge;
using graph::Snapshot;
using graph::VertexId;
using schema::EdgeType;
using schema::RecordType;

VertexId owner_of(Snapshot const& snapshot, DeltaEdge const& edge) {
  auto const type = schema::named_type(snapshot.type(edge.edge));
  auto const from = snapshot.type(edge.from);
  bool const is_either = (type == EdgeType::prompted && from == RecordType::xml_message_attachment) ||
                         (type == EdgeType::included_in && from == RecordType::embedding_vector) ||
                         schema::is_added_by_engine(type);
  if (is_either) return edge.from > edge.to ? edge.from : edge.to;
  bool const is_to = type == EdgeType::used_in || type == EdgeType::prompted || type == EdgeType::rendered_as ||
                     type == EdgeType::included_in;
  return is_to ? edge.to : edge.from;
}

/// The neighbours of a node in each list, deleted ones among them or not.
struct Around {
  graph::Neighbours causes;
  graph::Neighbours effects;
  graph::Neighbours relations;  ///< that start from it
};

void append(Snapshot const& snapshot, VertexId node, Around const& around, std::vector<DeltaEdge>& edges) {
  auto const take_stored = [&](VertexId cause, VertexId effect, graph::EdgeId id) {
    auto const view = snapshot.edge(cause, effect, id);
    DeltaEdge const edge{view.from, view.to, id};
    if (owner_of(snapshot, edge) == node) edges.push_back(edge);
  };
  auto const& [causes, effects, relations] = around;
  for (std::size_t i = 0; i < causes.size(); ++i) take_stored(causes.vertices[i], node, causes.edges[i]);
  for (std::size_t i = 0; i < effects.size(); ++i) take_stored(node, effects.vertices[i], effects.edges[i]);
  // A relation comes with the end it starts from.
  for (std::size_t i = 0; i < relations.size(); ++i) edges.push_back({node, relations.vertices[i], relations.edges[i]});
}

}  // namespace

void append_owned_edges(Snapshot const& snapshot, VertexId node, std::vector<DeltaEdge>& edges) {
  append(snapshot, node, {snapshot.causes(node), snapshot.effects(node), snapshot.relations_from(node)}, edges);
}

void append_owned_edges_ever(Snapshot const& snapshot, VertexId node, std::vector<DeltaEdge>& edges) {
  append(snapshot, node, {snapshot.causes_ever(node), snapshot.effects_ever(node), snapshot.relations_from_ever(node)},
         edges);
}

}  // namespace whence::queries
