#include "graph/walks/between.hpp"

#include "graph/boost/scratch.hpp"
#include "graph/boost/walked.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>

namespace whence::graph::impl {

Result<std::vector<VertexId>> vertices_between(Snapshot const& snapshot, VertexId from, VertexId to,
                                               schema::Interrupt const& interrupt, schema::EdgeTypeSet edge_types) {
  std::vector<VertexId> between;
  if (from == to) return between;
  auto const ancestors =
      reach(snapshot, std::span{&to, 1}, Direction::ancestors, {.edge_types = edge_types}, interrupt);
  if (!ancestors) return ancestors.error();
  if (std::ranges::find(ancestors->vertices, from) == ancestors->vertices.end()) return between;
  WalkedLists const effects{snapshot, Direction::descendants, edge_types};
  LocalNumbers leads_to{snapshot.vertex_count()};
  leads_to.add(to);
  for (auto const v : ancestors->vertices) leads_to.add(v);
  std::vector<bool> is_found(leads_to.size());
  between = {to, from};
  is_found[leads_to.find(to)] = is_found[leads_to.find(from)] = true;
  schema::Poll poll{interrupt};
  for (std::size_t at = 1; at < between.size(); ++at) {
    auto const list = effects[between[at]];
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto const next = list.vertices[i];
      if (!effects.is_walked(list.edges[i])) continue;
      auto const number = leads_to.find(next);
      if (number == LocalNumbers::none || is_found[number]) continue;
      is_found[number] = true;
      between.push_back(next);
    }
    if (poll.must_stop(list.size() + 1)) return poll.error();
  }
  return between;
}

}  // namespace whence::graph::impl
