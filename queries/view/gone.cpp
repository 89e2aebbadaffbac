#include "queries/view/gone.hpp"

#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <string>

namespace whence::queries {

Error gone_error(Snapshot const& snapshot, VertexId vertex, graph::GoneWhy why, std::string_view path) {
  return error_from(graph::gone_content(snapshot, vertex, why, std::string(path)));
}

std::vector<GoneNode> gone_among(Snapshot const& snapshot, std::vector<VertexId> vertices, std::size_t count_max) {
  std::erase_if(vertices, [&](VertexId vertex) { return !snapshot.gone(vertex); });
  std::ranges::sort(vertices);
  vertices.resize(std::min(vertices.size(), count_max));
  std::vector<GoneNode> gone;
  gone.reserve(vertices.size());
  for (auto const vertex : vertices) gone.push_back({vertex, *snapshot.gone(vertex)});
  return gone;
}

void leave_out_gone(Snapshot const& snapshot, std::vector<VertexId>& vertices) {
  std::erase_if(vertices, [&](VertexId vertex) { return snapshot.gone(vertex).has_value(); });
}

}  // namespace whence::queries
