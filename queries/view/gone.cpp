#include "queries/view/gone.hpp"

#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"

#include <string>

namespace whence::queries {

Error gone_error(Snapshot const& snapshot, VertexId vertex, graph::GoneWhy why, std::string_view path) {
  return error_from(graph::gone_content(snapshot, vertex, why, std::string(path)));
}

void leave_out_gone(Snapshot const& snapshot, std::vector<VertexId>& vertices) {
  std::erase_if(vertices, [&](VertexId vertex) { return snapshot.gone(vertex).has_value(); });
}

}  // namespace whence::queries
