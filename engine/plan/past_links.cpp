#include "engine/plan/past_links.hpp"

#include <algorithm>

namespace whence::engine {

using schema::VertexId;

std::vector<VertexId> linked_nodes(graph::Snapshot const& known, VertexId vertex) {
  std::vector<VertexId> linked;
  if (!known.contains(vertex)) return linked;
  for (auto const& neighbours : {known.causes_ever(vertex), known.relations_from_ever(vertex)}) {
    linked.insert(linked.end(), neighbours.vertices.begin(), neighbours.vertices.end());
  }
  std::ranges::sort(linked);
  return linked;
}

bool is_of_deleted(graph::Snapshot const& known, std::span<VertexId const> linked, schema::RecordType type,
                   std::string_view id) {
  return std::ranges::any_of(linked, [&](VertexId each) {
    return known.is_deleted(each) && known.type(each) == type && known.id(each) == id;
  });
}

}  // namespace whence::engine
