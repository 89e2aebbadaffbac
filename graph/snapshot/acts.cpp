// The two halves of an act are joined by one relation, from the response to the answer.
#include "graph/snapshot/acts.hpp"

namespace whence::graph {

std::optional<VertexId> other_half(Snapshot const& snapshot, VertexId v) {
  auto const type = snapshot.type(v);
  bool const is_response = type == RecordType::response;
  if (!is_response && type != RecordType::answer) return std::nullopt;
  auto const relations = is_response ? snapshot.relations_from(v) : snapshot.relations_to(v);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (snapshot.type(relations.edges[i]) == EdgeType::same_act) return relations.vertices[i];
  }
  return std::nullopt;
}

}  // namespace whence::graph
