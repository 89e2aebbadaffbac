#include "engine/plan/past_links.hpp"

#include <algorithm>

namespace whence::engine {

PastLinks::PastLinks(graph::Snapshot const& known, schema::VertexId vertex) {
  if (!known.contains(vertex)) return;
  for (auto const& neighbours : {known.causes_ever(vertex), known.relations_from_ever(vertex)}) {
    linked_.insert(linked_.end(), neighbours.vertices.begin(), neighbours.vertices.end());
  }
  std::ranges::sort(linked_);
  for (auto const each : linked_) {
    if (known.is_deleted(each)) deleted_.emplace(known.type(each), known.id(each));
  }
}

bool PastLinks::has(schema::VertexId other) const {
  return std::ranges::binary_search(linked_, other);
}

}  // namespace whence::engine
